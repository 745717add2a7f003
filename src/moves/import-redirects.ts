import type { Clock } from '../clock.js';
import { inTransaction } from '../database/session/connect.js';
import type { Db, Trx } from '../database/db.js';
import { bumpIndexVersion } from '../database/queries/index-version.js';
import { removeGonePaths, storeGonePaths } from '../database/queries/gone-paths.js';
import { lockMoves } from '../database/queries/moves.js';
import { storeRedirects } from '../database/queries/redirect-rows.js';
import { readRules, removeIgnoredPaths } from '../database/queries/rule-rows.js';
import { ApiError, invalid } from '../errors.js';
import type { RuleOrigin } from '../glossary.js';
import { readLines } from '../text/read-lines.js';
import { pathKey } from '../text/paths/plain-path.js';
import { storeWildcard, MAX_WILDCARDS, type WildcardInput } from '../database/queries/wildcard-redirects.js';
import { readRedirect, type Gone, type Redirect, type Wildcard } from './read-redirect.js';
import { RedirectFile, type RedirectFormat } from './redirect-files/redirect-file.js';
import type { LocatedRule } from './redirect-files/redirect-rule.js';
import { toGonePath, toRedirectInput, toWildcardInput, wildcardKey } from './rule-inputs.js';

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
  const report = emptyReport();
  let batch = new Map<string, ImportedLine>();
  const wildcards = new WildcardBatch(report);
  let line = 0;
  const flush = async (): Promise<void> => {
    if (batch.size > 0) await storeBatch({ ...deps, origin: 'import' }, projectId, [...batch.values()], report);
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
      try {
        wildcards.add(rule.line, says);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        report.bad.push({ line: rule.line, reason: error.message });
      }
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
  await wildcards.store({ ...deps, origin: 'import' }, projectId);
  return report;
}

function emptyReport(): RedirectReport {
  return { created: 0, updated: 0, unchanged: 0, gone: 0, review: 0, without_page: [], bad: [] };
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

interface StoreDeps {
  db: Db;
  clock: Clock;
  origin: RuleOrigin;
}

export async function storeBatch(
  deps: StoreDeps,
  projectId: string,
  lines: readonly ImportedLine[],
  report: RedirectReport,
): Promise<void> {
  const { stored, batch, inputs, gone } = await inTransaction(deps.db, async (trx) => {
    const made = { origin: deps.origin, by: null, at: new Date(deps.clock.now()) };
    await lockMoves(trx, projectId);
    const keys = lines.map(({ says }) => pathKey(oldPathOf(says)));
    const taken = await readTaken(trx, projectId, deps.origin, { keys, prefixes: [] });
    const free = lines.filter((_, at) => !taken.has(keys[at]?.toString('hex') ?? ''));
    const gone = free.flatMap(({ says }) => ('gonePath' in says ? [says.gonePath] : []));
    const batch = free.flatMap(({ line, says }) => ('gonePath' in says ? [] : [{ line, redirect: says }]));
    const inputs = batch.map(({ redirect }) => toRedirectInput(redirect));
    const stored = await storeRedirects(trx, projectId, inputs, made);
    await removeIgnoredPaths(
      trx,
      projectId,
      free.map(({ says }) => pathKey(oldPathOf(says))),
    );
    const revived = await removeGonePaths(
      trx,
      projectId,
      inputs.map(({ oldKey }) => oldKey),
    );
    const given = gone.length === 0 ? 0 : await storeGonePaths(trx, projectId, gone.map(toGonePath), made);
    if (revived + given > 0 || stored.some((row) => row.page_id !== row.before)) await bumpIndexVersion(trx, projectId);
    return { stored, batch, inputs, gone };
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

/** The keys of rules that a sync leaves alone: a person made them, and the next night would take them back. */
async function readTaken(
  trx: Trx,
  projectId: string,
  origin: RuleOrigin,
  only: { keys: readonly Buffer[]; prefixes: readonly string[] },
): Promise<Set<string>> {
  if (origin !== 'sync') return new Set();
  const rules = await readRules(trx, projectId, only);
  return new Set(rules.flatMap((rule) => (rule.made_by === null ? [] : [rule.key])));
}

function oldPathOf(says: Redirect | Gone): string {
  return 'gonePath' in says ? says.gonePath : says.oldPath;
}

/** Wildcards of a source; when some share an old prefix, the last one counts. */
export class WildcardBatch {
  readonly #report: Pick<RedirectReport, 'created' | 'updated' | 'unchanged' | 'bad'>;
  readonly #all = new Map<string, { line: number; wildcard: WildcardInput }>();

  constructor(report: Pick<RedirectReport, 'created' | 'updated' | 'unchanged' | 'bad'>) {
    this.#report = report;
  }

  /** @throws ApiError if it is refused */
  add(line: number, says: Wildcard): void {
    const wildcard = toWildcardInput(says);
    if (this.#all.size >= MAX_WILDCARDS && !this.#all.has(wildcard.oldPrefix))
      throw invalid('path', `more than ${MAX_WILDCARDS} wildcards`);
    this.#all.set(wildcard.oldPrefix, { line, wildcard });
  }

  async store(deps: StoreDeps, projectId: string): Promise<void> {
    if (this.#all.size === 0) return;
    await inTransaction(deps.db, async (trx) => {
      await lockMoves(trx, projectId);
      let changed = false;
      const prefixes = [...this.#all.keys()];
      const taken = await readTaken(trx, projectId, deps.origin, { keys: [], prefixes });
      const made = { origin: deps.origin, by: null, at: new Date(deps.clock.now()) };
      for (const { line, wildcard } of this.#all.values()) {
        if (taken.has(wildcardKey(wildcard.oldPrefix).toString('hex'))) continue;
        const done = await storeWildcard(trx, projectId, wildcard, made);
        changed ||= done === 'created' || done === 'updated';
        if (done !== 'full') this.#report[done]++;
        else
          this.#report.bad.push({ line, reason: `the project has ${MAX_WILDCARDS} wildcards, and may have no more` });
      }
      if (changed) await bumpIndexVersion(trx, projectId);
    });
  }
}
