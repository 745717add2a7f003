import {
  findMissingPlace,
  selectMissingPaths,
  type MissingFilter,
  type MissingPathRow,
  type MissingPlace,
} from '../../analytics/store/missing-paths.js';
import { openRuleMatcher } from '../../rules/preview/rule-matcher.js';
import { findUndecided } from '../../rules/preview/try-rules.js';
import type { FoundSuggestion } from '../../search/answer.js';
import { shownScore } from '../../search/ranking/scores/score.js';
import { countOf } from '../../text/count-of.js';
import { isSamePage } from '../../text/same-url.js';
import type { ConsoleDeps, ProjectVisit } from '../shared/console-page.js';

/** So many missing paths are looked at for a page: some hundredths of a second, even if the filter matches none. */
const MAX_LOOKED = 10_000;
const ROUND = 250;
const MAX_ROUNDS = 8;
/** The maximum number of paths that are read because somebody judged their answer wrong, decided or not. */
const MAX_WRONG = 500;
/** So many paths judged wrong come first: fewer than a page has, since the next page begins behind its last row. */
const MAX_RETURNED = 20;

export interface Unresolved {
  rows: MissingPathRow[];
  /** The place behind which the next page begins; undefined: these rows are the last. */
  next: MissingPlace | undefined;
}

/**
 * Reads the missing paths that nothing is decided about: they have no rule and no indexed page. First come those whose
 * answer a person judged wrong, then the others by priority: hits by people × doubt.
 */
export async function readUnresolved(
  deps: ConsoleDeps,
  projectId: string,
  filter: MissingFilter,
  after: MissingPlace | undefined,
  limit: number,
  looked = MAX_LOOKED,
): Promise<Unresolved> {
  const returned = await readReturned(deps, projectId, filter);
  const unresolved = after === undefined ? returned.slice(0, limit) : [];
  const shown = new Set(returned.map(({ hash }) => hash));
  let last = after;
  for (let round = 0; round < Math.min(MAX_ROUNDS, Math.ceil(looked / ROUND)); round++) {
    const bounds = { looked, limit: ROUND };
    const rows = await selectMissingPaths(deps.db, projectId, filter, last, bounds);
    const behind = rows.filter(({ hash }) => !shown.has(hash));
    for (const row of await findUndecided(deps, projectId, behind)) {
      if (unresolved.length === limit) return { rows: unresolved, next: placeOf(unresolved.at(-1)) };
      unresolved.push(row);
    }
    if (rows.length < ROUND) {
      // All paths within the limit were looked at. There may be more: `next` is behind them.
      const next = await findMissingPlace(deps.db, projectId, last, looked);
      return { rows: unresolved, next };
    }
    last = placeOf(rows.at(-1));
  }
  return { rows: unresolved, next: last };
}

/** Reads the paths judged wrong that nothing was decided about since: no rule or page, or still the wrong page. */
async function readReturned(deps: ConsoleDeps, projectId: string, filter: MissingFilter): Promise<MissingPathRow[]> {
  const rows = await selectMissingPaths(deps.db, projectId, filter, 'wrong', { looked: MAX_WRONG, limit: MAX_WRONG });
  if (rows.length === 0) return rows;
  const undecided = new Set(await findUndecided(deps, projectId, rows));
  const followed = await (await openRuleMatcher(deps.tenants.of(projectId))).followAll(rows.map(({ path }) => path));
  const isOpen = (row: MissingPathRow, at: number): boolean => {
    const { to } = followed[at]?.answer ?? { to: null };
    return undecided.has(row) || (to !== null && isSamePage(to, row.wrong_url ?? ''));
  };
  return rows.filter(isOpen).slice(0, MAX_RETURNED);
}

/** Whether the filter accepts the best suggestion's score; null: none; undefined: not known yet, always accepted. */
export function hasScore({ minScore = 0, belowScore = 2 }: MissingFilter, best: FoundSuggestion | null | undefined) {
  const score = shownScore(best?.score ?? 0);
  return best === undefined || (score >= minScore && score < belowScore);
}

function placeOf(row: MissingPathRow | undefined): MissingPlace | undefined {
  return row && { hash: row.hash, priority: row.priority };
}

/** The console counts what waits for a decision up to this number. */
export const MAX_COUNTED = 200;
/** So many paths are looked at to count those of an inbox. The paths that most people met are among the first. */
const MAX_LOOKED_TO_COUNT = 500;

/** Counts the missing paths that nothing is decided about, as a number and in words; the same on all pages. */
export async function countUnresolved(deps: ConsoleDeps, projectId: string): Promise<{ count: number; what: string }> {
  const { rows, next } = await readUnresolved(deps, projectId, {}, undefined, MAX_COUNTED, MAX_LOOKED_TO_COUNT);
  return { count: rows.length, what: countUpTo(rows.length, 'missing path', next !== undefined) };
}

/** Writes a count that ends at a limit: `3 alerts`, `200 alerts or more`. */
export function countUpTo(count: number, singular: string, isMore = count >= MAX_COUNTED): string {
  return `${countOf(count, singular)}${isMore ? ' or more' : ''}`;
}

/** The filter of the inbox, and the place behind which its page begins. Invalid values are left out. */
export interface InboxQuery {
  filter: MissingFilter;
  after: MissingPlace | undefined;
  /** The fields of the filter, as filled in. */
  fields: Readonly<Record<'section' | 'referrer' | 'score' | 'days', string>>;
}

const BANDS: Readonly<Record<string, Pick<MissingFilter, 'minScore' | 'belowScore'>>> = {
  high: { minScore: 0.8 },
  middle: { minScore: 0.5, belowScore: 0.8 },
  low: { belowScore: 0.5 },
};
export const SCORE_CHOICES = {
  '': 'any score',
  high: '0.8 or more',
  middle: '0.5 to 0.8',
  low: 'below 0.5, or none yet',
};
export const REFERRER_CHOICES = { '': 'Any', own: 'Your own pages', foreign: 'Other sites' };
export const DAY_CHOICES = { '': 'any time', '1': 'the last day', '7': 'the last 7 days', '30': 'the last 30 days' };
const MAX_PREFIX = 500;

export function readInboxQuery(query: URLSearchParams): InboxQuery {
  const choice = (name: string, choices: object): string => {
    const value = query.get(name) ?? '';
    return Object.hasOwn(choices, value) ? value : '';
  };
  const section = (query.get('section') ?? '').replaceAll('\0', '').trim().slice(0, MAX_PREFIX);
  const referrer = choice('referrer', REFERRER_CHOICES);
  const score = choice('score', SCORE_CHOICES);
  const days = choice('days', DAY_CHOICES);
  return {
    filter: {
      prefix: section === '' ? undefined : `/${section.replace(/^\//, '')}`,
      referrer: referrer === 'own' || referrer === 'foreign' ? referrer : undefined,
      days: days === '' ? undefined : Number(days),
      ...BANDS[score],
    },
    after: readPlace(query.get('after') ?? ''),
    fields: { section, referrer, score, days },
  };
}

/** The query string of a page of the inbox, with its question mark. */
export function writeInboxQuery({ fields, after }: Pick<InboxQuery, 'fields' | 'after'>): string {
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ''));
  if (after) query.set('after', `${after.priority}_${after.hash}`);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function readPlace(text: string): MissingPlace | undefined {
  const [, priority, hash] = /^(\d[\d.e+-]{0,30})_([0-9a-f]{64})$/.exec(text) ?? [];
  return hash !== undefined && Number.isFinite(Number(priority)) ? { priority: Number(priority), hash } : undefined;
}

/** The path of the page of the inbox that the user came from. `back`: the query string of that page. */
export function backTo({ ownPath }: ProjectVisit, back = ''): string {
  const inboxQuery = readInboxQuery(new URLSearchParams(back));
  return ownPath(`/inbox${writeInboxQuery(inboxQuery)}`);
}
