import { stem } from '../text/words/word-forms.js';

/** A missing path in a group: its words, and how many it helped nobody. */
export interface GroupedPath {
  words: readonly string[];
  lost: number;
}

const MAX_WORDS = 3;
const SMALL_WORDS = new Set(
  'a an and are as at by for from how in is it my of on or our the to we what with you your'.split(' '),
);
/** Of a group's visitors: a word of fewer says nothing about the others. */
const MIN_SHARE = 0.34;

/**
 * Names a group by the words that most of its visitors asked for and that few other groups have, in the order in which
 * they stand in its first path that has them.
 * @param rarity of a word among all groups
 */
export function labelTopic(paths: readonly GroupedPath[], rarity: (word: string) => number): string {
  const asked = new Map<string, number>();
  let all = 0;
  for (const { words, lost } of paths) {
    all += lost;
    for (const word of new Set(words)) asked.set(word, (asked.get(word) ?? 0) + lost);
  }
  // `syrups` and `syrup` are one word; numbers and `for` name nothing.
  const known = new Set<string>();
  const naming = [...asked].filter(
    ([word]) => /\p{L}/u.test(word) && !SMALL_WORDS.has(word) && !known.has(stem(word)) && known.add(stem(word)),
  );
  const named = naming.length > 0 ? naming : [...asked];
  const shared = named.filter(([, lost]) => lost >= all * MIN_SHARE);
  const best = (shared.length > 0 ? shared : named)
    .map(([word, lost]) => ({ word, weight: (lost / all) * rarity(word) }))
    .sort((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1))
    .slice(0, MAX_WORDS)
    .map(({ word }) => word);
  const order = [...new Set(paths.flatMap(({ words }) => words))];
  return best.sort((a, b) => order.indexOf(a) - order.indexOf(b)).join(' ');
}

/** How rare each word is: 1 in all of the groups, and more the fewer have it. */
export function rarityAmong(groups: readonly (readonly GroupedPath[])[]): (word: string) => number {
  const having = new Map<string, number>();
  for (const group of groups)
    for (const word of new Set(group.flatMap(({ words }) => words))) having.set(word, (having.get(word) ?? 0) + 1);
  return (word) => 1 + Math.log(groups.length / (having.get(word) ?? groups.length));
}
