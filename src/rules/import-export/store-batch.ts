import type { Clock } from '../../base/clock.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { bumpIndexVersion } from '../../projects/index-version.js';
import { removeGonePaths, storeGonePaths } from '../store/gone-paths.js';
import { lockMoves } from '../../projects/turns.js';
import { readHosts } from '../store/page-urls.js';
import { storeRedirects } from '../store/redirects.js';
import {
  deleteRules,
  readRules as readStoredRules,
  removeIgnoredPaths,
  storeIgnoredPaths,
  type ListedRule,
} from '../store/rules.js';
import type { Made } from '../../base/glossary.js';
import { pathKey } from '../../text/paths/plain-path.js';
import { type Bare, type Gone, type Redirect } from '../../rule-formats/read-redirect.js';
import { toGonePath, toRedirectInput } from '../rule-keys.js';
import { saysTheSame } from '../rule-states.js';
import { emptyReport, replacedBy, type RedirectReport } from './redirect-report.js';
import { readTaken, type StoreDeps } from './wildcard-batch.js';

export interface ImportedLine {
  line: number;
  says: Redirect | Gone | Bare;
  /** In what other ways the old path was listed. */
  spellings?: readonly string[];
}

/** Stores at most `MAX_REDIRECTS` redirects and gone paths that are in no file. */
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

/** @param deps.setsAside whether a line is not to be stored in place of the rule that its path has. */
export async function storeBatch(
  deps: StoreDeps & { setsAside?: (line: ImportedLine, was: ListedRule) => boolean },
  projectId: string,
  lines: readonly ImportedLine[],
  report: RedirectReport,
): Promise<void> {
  const { stored, batch, inputs, gone, ignored, known, hosts, replaced } = await inTransaction(deps.db, async (trx) => {
    const made = { origin: deps.origin, by: null, at: new Date(deps.clock.now()) };
    await lockMoves(trx, projectId);
    const keys = lines.map(({ says }) => pathKey(oldPathOf(says)));
    const taken = await readTaken(trx, projectId, deps.origin, { keys, prefixes: [] });
    const untaken = lines.filter((_, at) => !taken.has(keys[at]?.toString('hex') ?? ''));
    const others = await findOthers(trx, projectId, untaken);
    const aside = new Set(others.flatMap(({ line, was }) => (deps.setsAside?.(line, was) === true ? [line] : [])));
    const free = untaken.filter((line) => !aside.has(line));
    const replaced = others
      .filter(({ line }) => !aside.has(line))
      .map(({ line: { line, says }, was }) => replacedBy(line, oldPathOf(says), was, endOf(says)));
    const gone = free.flatMap(({ says, spellings }) =>
      'gonePath' in says ? [toGonePath(says.gonePath, spellings)] : [],
    );
    const batch = free.flatMap(({ line, says, spellings }) =>
      'oldPath' in says ? [{ line, redirect: says, spellings }] : [],
    );
    const ignored = await storeIgnored(
      trx,
      projectId,
      free.flatMap(({ says }) => ('barePath' in says ? [says.barePath] : [])),
      made,
    );
    const inputs = batch.map(({ redirect, spellings }) => toRedirectInput(redirect, spellings));
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
    const given = gone.length === 0 ? 0 : await storeGonePaths(trx, projectId, gone, made);
    if (
      revived + given + ignored > 0 ||
      stored.some((row) => row.page_id !== row.before || (row.page_id === null && !row.waited))
    )
      await bumpIndexVersion(trx, projectId);
    const bare = free.filter(({ says }) => 'barePath' in says).length;
    const hosts = await readHosts(trx, projectId);
    return {
      stored,
      batch,
      inputs,
      gone: given,
      ignored,
      known: gone.length - given + bare - ignored,
      hosts,
      replaced,
    };
  });
  report.replaced.push(...replaced);
  report.gone += gone;
  report.unchanged += known;
  report.ignored += ignored;
  for (const { place, page_id, before, waited } of stored) {
    const host = inputs[place]?.targetHost ?? null;
    if (page_id === null && host !== null && !hosts.has(host)) {
      // It leads to another site, and waits for no page.
      report[waited ? 'unchanged' : before === null ? 'created' : 'updated']++;
    } else if (page_id === null) {
      report.without_page.push({
        line: batch[place]?.line ?? 0,
        reason: `the project has no page ${inputs[place]?.target ?? ''}; the redirect waits for it`,
      });
    } else {
      report[before === null ? 'created' : before === page_id ? 'unchanged' : 'updated']++;
    }
  }
}

/** Lines, and the stored rules of their old paths that say something else. */
async function findOthers(
  trx: Trx,
  projectId: string,
  lines: readonly ImportedLine[],
): Promise<{ line: ImportedLine; was: ListedRule }[]> {
  const keyed = lines.map((line) => ({ line, key: pathKey(oldPathOf(line.says)) }));
  const stored = await readStoredRules(trx, projectId, { keys: keyed.map(({ key }) => key), prefixes: [] });
  const before = new Map(stored.map((rule) => [rule.key, rule]));
  return keyed.flatMap(({ line, key }) => {
    const was = before.get(key.toString('hex'));
    return !was || saysTheSame(was, { kind: 'exact', ...endOf(line.says) }) ? [] : [{ line, was }];
  });
}

/** What a line says of its old path. */
export function endOf(says: ImportedLine['says']): Pick<ListedRule, 'action' | 'target'> {
  if ('barePath' in says) return { action: says.action, target: null };
  if ('gonePath' in says) return { action: 'gone', target: null };
  return { action: 'redirect', target: 'written' in says.target ? says.target.written : says.target.path };
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

export function oldPathOf(says: ImportedLine['says']): string {
  if ('barePath' in says) return says.barePath;
  return 'gonePath' in says ? says.gonePath : says.oldPath;
}
