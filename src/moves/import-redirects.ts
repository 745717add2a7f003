import type { Clock } from '../clock.js';
import { inTransaction } from '../database/session/connect.js';
import type { Db } from '../database/db.js';
import { bumpIndexVersion } from '../database/queries/index-version.js';
import { removeGonePaths, storeGonePaths, type GonePath } from '../database/queries/gone-paths.js';
import { lockMoves } from '../database/queries/moves.js';
import { storeRedirects, type RedirectInput } from '../database/queries/redirect-rows.js';
import { readLines } from '../text/read-lines.js';
import { folderKey, joinSegments, pathKey, plainPath } from '../text/paths/plain-path.js';
import { storeWildcard, MAX_WILDCARDS, type WildcardInput } from '../database/queries/wildcard-redirects.js';
import { readRedirect, type Gone, type Redirect, type Wildcard } from './read-redirect.js';
import { RedirectFile, type RedirectFormat } from './redirect-files/redirect-file.js';
import type { LocatedRule } from './redirect-files/redirect-rule.js';

/** A line of the file, and what is wrong with it. */
export interface ReportedLine {
  line: number;
  reason: string;
}

interface ImportedLine {
  line: number;
  says: Redirect | Gone;
}

export interface RedirectReport {
  created: number;
  updated: number;
  unchanged: number;
  /** Stored as gone for good. */
  gone: number;
  /** Rows of `redirects map` that are to be reviewed; not stored. */
  review: number;
  /** Stored; inactive until their target is a page of the project. */
  without_page: ReportedLine[];
  /** Not stored. */
  bad: ReportedLine[];
}

/** Of one transaction. */
export const MAX_REDIRECTS = 500;

/**
 * Stores the redirects of a file in any format of {@link RedirectFile}. When rules share an old path, the last one
 * counts; of wildcards, too. Bad lines, and targets that are no pages, are reported and do not stop the import.
 * @param format else by the file's name and lines.
 */
export async function importRedirects(
  deps: { db: Db; clock: Clock },
  projectId: string,
  file: string,
  onProgress: (lines: number) => void,
  format?: RedirectFormat,
): Promise<RedirectReport> {
  const report: RedirectReport = {
    created: 0,
    updated: 0,
    unchanged: 0,
    gone: 0,
    review: 0,
    without_page: [],
    bad: [],
  };
  let batch = new Map<string, ImportedLine>();
  const wildcards = new Map<string, { line: number; wildcard: WildcardInput }>();
  let line = 0;
  const flush = async (): Promise<void> => {
    if (batch.size > 0) await storeBatch(deps, projectId, [...batch.values()], report);
    batch = new Map();
    onProgress(line);
  };
  const rules = new RedirectFile(file, format);
  const addRule = (rule: LocatedRule): void => {
    if (rule.kind === 'undecided') report.review++;
    const says = readRedirect(rule);
    if (!says) return;
    if ('refused' in says) report.bad.push({ line: rule.line, reason: says.refused });
    else if ('keepsRest' in says) {
      const wildcard = toWildcardInput(says);
      if (wildcard.oldPrefix === '') report.bad.push({ line: rule.line, reason: 'a wildcard for every path' });
      else if (wildcards.size >= MAX_WILDCARDS && !wildcards.has(wildcard.oldPrefix))
        report.bad.push({ line: rule.line, reason: `more than ${MAX_WILDCARDS} wildcards` });
      else wildcards.set(wildcard.oldPrefix, { line: rule.line, wildcard });
    } else batch.set(pathKey(oldPathOf(says)).toString('hex'), { line: rule.line, says });
  };
  for await (const text of readLines(file)) {
    line++;
    addRule(rules.push(text));
    if (batch.size >= MAX_REDIRECTS) await flush();
  }
  for (const rule of rules.end()) {
    addRule(rule);
    if (batch.size >= MAX_REDIRECTS) await flush();
  }
  await flush();
  await storeWildcards(deps, projectId, [...wildcards.values()], report);
  return report;
}

export async function storeBatch(
  deps: { db: Db; clock: Clock },
  projectId: string,
  lines: readonly ImportedLine[],
  report: RedirectReport,
): Promise<void> {
  const gone = lines.flatMap(({ says }) => ('gonePath' in says ? [says.gonePath] : []));
  const batch = lines.flatMap(({ line, says }) => ('gonePath' in says ? [] : [{ line, redirect: says }]));
  const inputs = batch.map(({ redirect }) => toInput(redirect));
  const stored = await inTransaction(deps.db, async (trx) => {
    const at = new Date(deps.clock.now());
    await lockMoves(trx, projectId);
    const rows = await storeRedirects(trx, projectId, inputs, at);
    const revived = await removeGonePaths(
      trx,
      projectId,
      inputs.map(({ oldKey }) => oldKey),
    );
    const given = gone.length === 0 ? 0 : await storeGonePaths(trx, projectId, gone.map(toGonePath), at);
    if (revived + given > 0 || rows.some((row) => row.page_id !== row.before)) await bumpIndexVersion(trx, projectId);
    return rows;
  });
  report.gone += gone.length;
  for (const { place, page_id, before } of stored) {
    if (page_id === null) {
      report.without_page.push({
        line: batch[place]?.line ?? 0,
        reason: `the project has no page ${inputs[place]?.target ?? ''}; the redirect waits for it`,
      });
    } else {
      report[before === null ? 'created' : before === page_id ? 'unchanged' : 'updated']++;
    }
  }
}

function oldPathOf(says: Redirect | Gone): string {
  return 'gonePath' in says ? says.gonePath : says.oldPath;
}

function toGonePath(path: string): GonePath {
  return { path, key: pathKey(path), folder: folderKey(plainPath(path)) };
}

async function storeWildcards(
  deps: { db: Db; clock: Clock },
  projectId: string,
  wildcards: readonly { line: number; wildcard: WildcardInput }[],
  report: RedirectReport,
): Promise<void> {
  if (wildcards.length === 0) return;
  await inTransaction(deps.db, async (trx) => {
    await lockMoves(trx, projectId);
    let changed = false;
    for (const { line, wildcard } of wildcards) {
      const done = await storeWildcard(trx, projectId, wildcard, new Date(deps.clock.now()));
      changed ||= done === 'created' || done === 'updated';
      if (done !== 'full') report[done]++;
      else report.bad.push({ line, reason: `the project has ${MAX_WILDCARDS} wildcards, and may have no more` });
    }
    if (changed) await bumpIndexVersion(trx, projectId);
  });
}

function toWildcardInput({ oldPath, target, keepsRest }: Wildcard): WildcardInput {
  const isUrl = 'href' in target;
  return {
    oldPrefix: plainPrefix(oldPath),
    oldPath,
    target: `${isUrl ? target.href : target.path}${keepsRest ? ':splat' : ''}`,
    targetHost: isUrl ? target.host : null,
    newPrefix: keepsRest ? plainPrefix(target.path) : null,
    targetKey: keepsRest ? null : pathKey(target.path),
  };
}

function plainPrefix(path: string): string {
  return joinSegments(plainPath(path).segments);
}

function toInput({ oldPath, target }: Redirect): RedirectInput {
  const isUrl = 'href' in target;
  return {
    oldPath,
    oldKey: pathKey(oldPath),
    target: isUrl ? target.href : target.path,
    targetKey: pathKey(target.path),
    targetPath: target.path,
    targetHost: isUrl ? target.host : null,
    targetHash: isUrl ? target.hash : null,
  };
}
