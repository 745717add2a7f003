import { createHash } from 'node:crypto';
import type { Actor } from '../../accounts/actor.js';
import { ApiError, invalid } from '../../base/errors.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { parseSource, withoutOwnHost } from '../../rule-formats/read/source-address.js';
import type { NoOldUrl, OldUrl } from '../../sources/source.js';
import { changeRules, MAX_CHANGES, type Changed } from '../change-rules.js';
import { checkChange, type RuleChange, type RuleDeps } from '../rule.js';
import { readHosts } from '../store/page-urls.js';
import {
  countSheet,
  deleteSheetRows,
  insertSheetRows,
  listSheetRows,
  updateSheetRows,
  type FoundRow,
  type NewRow,
  type SheetRow,
} from '../store/redirect-sheet.js';

/** The maximum number of old urls in a project's sheet. */
export const MAX_SHEET = 5_000;
const MAX_BATCH = 500;
const MAX_TITLE = 500;
/** The maximum number of characters of a page's content: searches use no more. */
const MAX_CONTENT = 2_000;
/** The maximum value of an integer in the database. */
const MAX_HITS = 2_147_483_647;
const MAX_REFUSALS = 5;

export type SheetFilled = Awaited<ReturnType<typeof fillSheet>>;

/**
 * Adds the old urls of a list to the sheet, each to be looked up. Those that are in it stay as they are.
 * @returns `again`: the old urls whose paths were in the sheet before, perhaps in another spelling. `full`: there was
 * no room for the rest of the list.
 */
export async function fillSheet({ db, projectId }: Tenant, urls: AsyncIterable<OldUrl | NoOldUrl>, at: Date) {
  const stored = Object.values(await countSheet(db, projectId)).reduce((sum, count) => sum + count, 0);
  const filled = { added: 0, again: 0, refused: 0, refusals: [] as NoOldUrl[], full: false };
  const hosts = await readHosts(db, projectId);
  let batch: NewRow[] = [];
  const flush = async (): Promise<void> => {
    const added = batch.length === 0 ? 0 : await insertSheetRows(db, projectId, batch, at);
    filled.added += added;
    filled.again += batch.length - added;
    batch = [];
  };
  for await (const oldUrl of urls) {
    const row = 'reason' in oldUrl ? oldUrl : toWaiting({ ...oldUrl, old: withoutOwnHost(oldUrl.old, hosts) });
    if ('reason' in row) {
      filled.refused++;
      if (filled.refusals.length < MAX_REFUSALS) filled.refusals.push(row);
      continue;
    }
    if (batch.length >= MAX_BATCH) await flush();
    filled.full = stored + filled.added + batch.length >= MAX_SHEET;
    if (filled.full) break;
    batch.push(row);
  }
  await flush();
  return filled;
}

function toWaiting({ line, old, title, content, hits = 0 }: OldUrl): NewRow | NoOldUrl {
  try {
    const { key } = checkChange({ path: literally(old), action: 'ignore' }, 'url');
    if (!parseSource(old)) throw invalid('url', `no browser can ask for ${old.slice(0, 100)}`);
    return {
      // This is not the key of the rule: a proposal from learned redirects may have that key.
      key: createHash('sha256').update(`map ${key}`).digest('hex'),
      path: old,
      hits: Math.min(MAX_HITS, Math.round(hits)),
      title: storable(title, MAX_TITLE),
      content: storable(content, MAX_CONTENT),
    };
  } catch (error) {
    if (error instanceof ApiError) return { line, reason: error.message };
    throw error;
  }
}

/**
 * Cuts a text, drops U+0000 and replaces halves of characters: the database cannot store them, and searches do not find
 * them.
 */
function storable(text: string, max: number): string {
  return text.slice(0, max).replaceAll('\0', '').toWellFormed();
}

/** A path that somebody asked for is never a wildcard, whatever it contains. */
export function literally(path: string): string {
  return path.replaceAll('*', '%2A').replace(/:(?=[a-z])/gi, '%3A');
}

/** The change of rules that a decision makes; undefined: it makes no change. */
function toChange({ path, decision, target }: Pick<SheetRow, 'path' | 'decision' | 'target'>): RuleChange | undefined {
  if (decision === 'none' || decision === 'review') return undefined;
  const action = decision === 'accept' ? 'redirect' : decision;
  return { path: literally(path), action, ...(action === 'redirect' && { target }) };
}

/** Stores the pages that were found for rows that waited. */
export const storeFound = ({ db, projectId }: Tenant, rows: readonly FoundRow[]): Promise<number> =>
  updateSheetRows(db, projectId, true, rows);

/**
 * Stores what a person decided about rows. It makes no rules yet: {@link saveSheet} does.
 * @throws ApiError that names `to:KEY`, the target of a row
 */
export async function decideRows({ db, projectId }: Tenant, rows: readonly FoundRow[]): Promise<number> {
  for (const row of rows) {
    try {
      const change = toChange({ ...row, path: '/' });
      if (change) checkChange(change, 'row');
    } catch (error) {
      if (!(error instanceof ApiError) || error.param === undefined) throw error;
      throw invalid(`to:${row.key}`, error.message.replaceAll(error.param, 'The target'));
    }
  }
  return updateSheetRows(db, projectId, false, rows);
}

/**
 * Makes rules of the rows that are decided: one entry of the history, undone together. The rows leave the sheet. If
 * there are more than 1,000, the rest stays for the next time.
 * @throws ApiError invalid_request
 */
export async function saveSheet(deps: RuleDeps, projectId: string, by: Actor): Promise<Changed & { left: number }> {
  const { db } = deps.tenants.of(projectId);
  const counts = await countSheet(db, projectId);
  const rows: SheetRow[] = [];
  for (const decision of ['accept', 'gone', 'ignore'] as const)
    if (rows.length < MAX_CHANGES)
      rows.push(
        ...(await listSheetRows(db, projectId, { waiting: false, decision, limit: MAX_CHANGES - rows.length })),
      );
  const changes = rows.flatMap((row) => toChange(row) ?? []);
  if (changes.length === 0) throw invalid(undefined, 'No row is decided yet: nothing was saved.');
  const changed = await changeRules(deps, projectId, changes, by, 'console');
  const keys = rows.map(({ key }) => key);
  await deleteSheetRows(db, projectId, keys);
  return { ...changed, left: counts.accept + counts.gone + counts.ignore - keys.length };
}

/** Drops the whole sheet. Returns how many rows it had. */
export const discardSheet = ({ db, projectId }: Tenant): Promise<number> => deleteSheetRows(db, projectId);
