import { ORDINAL_OF } from './number-words.js';
import { monthOf } from './token-path.js';

const WEEKDAYS = toMap([
  'monday tuesday wednesday thursday friday saturday sunday',
  'montag dienstag mittwoch donnerstag freitag samstag sonntag',
  'lundi mardi mercredi jeudi vendredi samedi dimanche',
  'lunes martes miercoles jueves viernes sabado domingo',
  'lunedi martedi mercoledi giovedi venerdi sabato domenica',
  'maandag dinsdag woensdag donderdag vrijdag zaterdag zondag',
]);
const SEASONS = toMap([
  'spring summer autumn winter',
  '- - fall -',
  'fruhling sommer herbst winter',
  'fruhjahr - - -',
  'printemps ete automne hiver',
  'primavera verano otono invierno',
  '- estate autunno inverno',
  '- sommersemester - wintersemester',
]);

function toMap(lists: readonly string[]): ReadonlyMap<string, number> {
  return new Map(lists.flatMap((list) => list.split(' ').map((word, at) => [word, at] as const)));
}

/** What a word is one of: a place of a row (`first`), a month, a day of the week, a season. */
const SERIES: readonly ((word: string) => string | number | undefined)[] = [
  (word) => ORDINAL_OF.get(word),
  monthOf,
  (word) => WEEKDAYS.get(word),
  (word) => SEASONS.get(word),
];

/** Which member of each series a path's words name: of `minutes-monday-6-may` day 0 and month 5. */
export type SeriesMembers = readonly ReadonlySet<string | number>[];

export function seriesOf(words: readonly string[]): SeriesMembers {
  return SERIES.map((memberOf) => new Set(words.map(memberOf).filter((member) => member !== undefined)));
}

/** Whether one path names another member of a series than the other: `first-steps` and `second-steps`. */
export function otherMember(dead: SeriesMembers, live: SeriesMembers): boolean {
  return dead.some((own, at) => {
    const others = live[at];
    if (own.size === 0 || others === undefined || others.size === 0) return false;
    const lacks = (all: ReadonlySet<unknown>, from: ReadonlySet<unknown>): boolean =>
      [...all].some((member) => !from.has(member));
    return lacks(own, others) && lacks(others, own);
  });
}
