import type { Clock } from '../../base/clock.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { bumpIndexVersion } from '../../projects/index-version.js';
import { removeGonePaths, storeGonePaths } from '../store/gone-paths.js';
import { lockMoves } from '../../projects/turns.js';
import { storeRedirects } from '../store/redirects.js';
import { deleteRules, readRules as readStoredRules, removeIgnoredPaths, storeIgnoredPaths } from '../store/rules.js';
import { ApiError } from '../../base/errors.js';
import type { Made } from '../../base/glossary.js';
import { pathKey } from '../../text/paths/plain-path.js';
import type { CompiledRules } from '../../rule-formats/own-exports.js';
import { OverwrittenRules } from './overwritten-rules.js';
import { readRedirect, type Bare, type Gone, type Redirect } from '../../rule-formats/check-redirect.js';
import type { RedirectFormat } from '../../rule-formats/read/redirect-file.js';
import { readRulesOf } from '../../rule-formats/read/read-rules-of.js';
import { toGonePath, toRedirectInput } from '../rule-keys.js';
import { readTaken, WildcardBatch, type StoreDeps } from './wildcard-batch.js';

/** A line of the file, and what is wrong with it. */
export interface ReportedLine {
  line: number;
  reason: string;
}

interface ImportedLine {
  line: number;
  says: Redirect | Gone | Bare;
}

export interface RedirectReport {
  created: number;
  updated: number;
  unchanged: number;
  /** Stored as gone for good; those that were already are unchanged. */
  gone: number;
  /** Rows of `redirects map` that are to be reviewed; not stored. */
  review: number;
  /** Stored as not worth a redirect; those that were already are unchanged. */
  ignored: number;
  /** Wildcards and patterns that say what the project's redirects say; unchanged, and not stored. */
  compiled: number;
  /** Stored; inactive until their target is a page of the project. */
  without_page: ReportedLine[];
  /** Not stored: a later row of the file has the same old path, and leads elsewhere. */
  overwritten: ReportedLine[];
  /** Not stored. */
  bad: ReportedLine[];
}

/** Of one transaction. */
export const MAX_REDIRECTS = 500;

/**
 * Stores the redirects of a file in any format of {@link RedirectFile}. When rules share an old path, the last one
 * counts; of wildcards, too; an earlier one that says something else is reported. Bad lines, and targets that are no
 * pages, are reported and do not stop the import.
 * @param deps.compiled what an export makes of the redirects that the project knows: read back, that is no rule.
 * @param format else by the file's name and lines.
 */
export async function importRedirects(
  deps: { db: Db; clock: Clock; compiled?: () => Promise<CompiledRules> },
  projectId: string,
  file: string,
  onProgress: (lines: number) => void,
  format?: RedirectFormat,
): Promise<RedirectReport> {
  const { db, clock } = deps;
  const storeDeps: StoreDeps = { db, clock, origin: 'import' };
  const report = emptyReport();
  let batch = new Map<string, ImportedLine>();
  const wildcards = new WildcardBatch(report);
  const overwritten = new OverwrittenRules(report.overwritten);
  const patterns: { line: number; text: string; reason: string }[] = [];
  let line = 0;
  const flush = async (): Promise<void> => {
    if (batch.size > 0) await storeBatch(storeDeps, projectId, [...batch.values()], report);
    batch = new Map();
    onProgress(line);
  };
  for await (const rule of readRulesOf(file, format, () => line++)) {
    if (rule.kind === 'undecided') report.review++;
    const says = readRedirect(rule);
    if (!says) continue;
    if ('refused' in says) {
      if (rule.kind === 'skipped' && rule.reason === 'pattern' && deps.compiled)
        patterns.push({ line: rule.line, text: rule.text, reason: says.refused });
      else report.bad.push({ line: rule.line, reason: says.refused });
    } else if ('keepsRest' in says || ('below' in says && says.below)) {
      try {
        const prefix = wildcards.add(rule.line, says);
        overwritten.add(`${prefix}*`, rule.line, says);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        report.bad.push({ line: rule.line, reason: error.message });
      }
    } else {
      const key = pathKey(oldPathOf(says)).toString('hex');
      batch.set(key, { line: rule.line, says });
      overwritten.add(key, rule.line, says);
    }
    if (batch.size >= MAX_REDIRECTS) await flush();
  }
  await flush();
  if (deps.compiled && wildcards.redirects.length + patterns.length > 0) {
    const compiled = await deps.compiled();
    const written = new Set<string>();
    // Who writes single redirects beside their wildcard means the wildcard: no export does.
    for await (const rule of readRulesOf(file, format, () => undefined))
      if (rule.kind === 'redirect') for (const path of compiled.wildcardsOf(rule.from)) written.add(path);
    const said = new Set(
      wildcards.redirects.filter((one) => {
        const path = compiled.findWildcard(one);
        return path !== undefined && !written.has(path);
      }),
    );
    wildcards.leaveOut(said);
    const known = await compiled.findPatterns(new Set(patterns.map(({ text }) => text)));
    for (const { line: at, text, reason } of patterns) if (!known.has(text)) report.bad.push({ line: at, reason });
    report.compiled = said.size + patterns.filter(({ text }) => known.has(text)).length;
    report.unchanged += report.compiled;
  }
  await wildcards.store(storeDeps, projectId);
  return report;
}

export function emptyReport(): RedirectReport {
  return {
    created: 0,
    updated: 0,
    unchanged: 0,
    gone: 0,
    review: 0,
    ignored: 0,
    compiled: 0,
    without_page: [],
    overwritten: [],
    bad: [],
  };
}

/** Stores at most {@link MAX_REDIRECTS} redirects and gone paths that are in no file. */
export async function importLines(
  deps: { db: Db; clock: Clock },
  projectId: string,
  said: readonly (Redirect | Gone)[],
): Promise<void> {
  await storeBatch(
    { ...deps, origin: 'import' },
    projectId,
    said.map((says, i) => ({ line: i + 1, says })),
    emptyReport(),
  );
}

export async function storeBatch(
  deps: StoreDeps,
  projectId: string,
  lines: readonly ImportedLine[],
  report: RedirectReport,
): Promise<void> {
  const { stored, batch, inputs, gone, ignored, known } = await inTransaction(deps.db, async (trx) => {
    const made = { origin: deps.origin, by: null, at: new Date(deps.clock.now()) };
    await lockMoves(trx, projectId);
    const keys = lines.map(({ says }) => pathKey(oldPathOf(says)));
    const taken = await readTaken(trx, projectId, deps.origin, { keys, prefixes: [] });
    const free = lines.filter((_, at) => !taken.has(keys[at]?.toString('hex') ?? ''));
    const gone = free.flatMap(({ says }) => ('gonePath' in says ? [says.gonePath] : []));
    const batch = free.flatMap(({ line, says }) => ('oldPath' in says ? [{ line, redirect: says }] : []));
    const ignored = await storeIgnored(
      trx,
      projectId,
      free.flatMap(({ says }) => ('barePath' in says ? [says.barePath] : [])),
      made,
    );
    const inputs = batch.map(({ redirect }) => toRedirectInput(redirect));
    const stored = await storeRedirects(trx, projectId, inputs, made);
    await removeIgnoredPaths(
      trx,
      projectId,
      free.flatMap(({ says }) => ('barePath' in says ? [] : [pathKey(oldPathOf(says))])),
    );
    const revived = await removeGonePaths(
      trx,
      projectId,
      inputs.map(({ oldKey }) => oldKey),
    );
    const given = gone.length === 0 ? 0 : await storeGonePaths(trx, projectId, gone.map(toGonePath), made);
    if (revived + given + ignored > 0 || stored.some((row) => row.page_id !== row.before))
      await bumpIndexVersion(trx, projectId);
    const bare = free.filter(({ says }) => 'barePath' in says).length;
    return { stored, batch, inputs, gone: given, ignored, known: gone.length - given + bare - ignored };
  });
  report.gone += gone;
  report.unchanged += known;
  report.ignored += ignored;
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

/** In place of other rules. Returns how many are new. */
async function storeIgnored(trx: Trx, projectId: string, paths: readonly string[], made: Made): Promise<number> {
  const keyed = paths.map((path) => ({ path, key: pathKey(path) }));
  if (keyed.length === 0) return 0;
  const before = await readStoredRules(trx, projectId, { keys: keyed.map(({ key }) => key), prefixes: [] });
  const same = new Set(before.flatMap(({ action, key }) => (action === 'ignore' ? [key] : [])));
  const changed = keyed.filter(({ key }) => !same.has(key.toString('hex')));
  await deleteRules(trx, projectId, { keys: changed.map(({ key }) => key), prefixes: [] });
  await storeIgnoredPaths(trx, projectId, changed, made);
  return changed.length;
}

function oldPathOf(says: ImportedLine['says']): string {
  if ('barePath' in says) return says.barePath;
  return 'gonePath' in says ? says.gonePath : says.oldPath;
}
