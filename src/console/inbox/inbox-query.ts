import type { MissingFilter, MissingPlace } from '../../analytics/store/missing-paths.js';

/** What the inbox is filtered by, and where its page begins, by the query string. What cannot be is left out. */
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
  high: '0.8 and more',
  middle: '0.5 to 0.8',
  low: 'below 0.5, or nothing yet',
};
export const REFERRER_CHOICES = { '': 'any', own: 'your own pages', foreign: 'other sites' };
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
