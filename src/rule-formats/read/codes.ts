import { GONE_CODES, REDIRECT_CODES, type RuleCode } from './read-rule.js';

const WORDS: readonly [words: string, code: RuleCode][] = [
  ['permanent permanently movedpermanently perm', 301],
  ['temporary temporarily temp found movedtemporarily', 302],
  ['seeother', 303],
  ['gone', 410],
];

/** A code, as a number or in words; undefined: a rule cannot answer it. */
export function codeOf(text: string): RuleCode | undefined {
  const all: readonly RuleCode[] = [...REDIRECT_CODES, ...GONE_CODES];
  const word = WORDS.find(([words]) => words.split(' ').includes(text.toLowerCase()));
  return word?.[1] ?? all.find((code) => String(code) === text);
}
