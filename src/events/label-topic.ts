/** A missing path in a group: its words, and how many it helped nobody. */
export interface GroupedPath {
  words: readonly string[];
  lost: number;
}

const MAX_WORDS = 3;
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
  const shared = [...asked].filter(([, lost]) => lost >= all * MIN_SHARE);
  const best = (shared.length > 0 ? shared : [...asked])
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
