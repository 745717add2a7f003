import type { FoundSuggestion } from '../search/answer.js';
import type { Explanation } from '../search/ranking/scores/explanation.js';
import { amount } from '../text/count-of.js';
import { scorePercent } from './shared/numbers.js';

/** What speaks for a page, in words. Evidence that is not named here compares the two paths. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  'redirects and clicks from this path or its section lead there': ['moved'],
  'redirects of like paths lead there': ['redirectedSection', 'redirectedFolder', 'redirectedPage', 'renamedWords'],
  'it stands near the top of the site': ['shallow'],
  'numbers and language are the same': ['numbers', 'noOtherNumber', 'sameLanguage'],
  'its text says it': [
    'dense',
    'beginning',
    'denseTitle',
    'denseMax',
    'lexical',
    'slugLexical',
    'association',
    'headingCover',
    'bestHeading',
  ],
};
const OTHERS = 'the paths are alike';
const MIN_SHARE = 0.1;

/** `the paths are alike (71%), its text says it (29%)`, largest share first. */
export function explainScore({ evidence, corrections = [], rewriting, bounded }: Explanation): string {
  const shares = new Map<string, number>();
  for (const [name, share] of Object.entries(evidence)) {
    const kind = Object.keys(KINDS).find((one) => KINDS[one]?.includes(name)) ?? OTHERS;
    shares.set(kind, (shares.get(kind) ?? 0) + share);
  }
  const parts = [...shares]
    .filter(([, share]) => share >= MIN_SHARE)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, share]) => `${kind} (${Math.round(share * 100)}%)`);
  const spelled = corrections.map(({ from, to }) => `read “${from}” as “${to}”`);
  const but = bounded === undefined ? [] : [`but ${bounded}`];
  return [...parts, ...spelled, ...(rewriting === undefined ? [] : [rewriting]), ...but].join(', ');
}

/**
 * How sure a suggestion is, as it is answered now, where only a rule is 100%; where that is a bound, `69% at most`;
 * where visitors decided, what they chose: `17 of 20 chose this`. No other number says how probably a path means a page
 * (docs/relevance.md, "One number for a path").
 */
export function certainty({ score, explanation }: Pick<FoundSuggestion, 'score' | 'explanation'>): string {
  const { chosen, bounded } = explanation ?? {};
  if (!chosen) return `${scorePercent(score)} ${bounded === undefined ? 'sure' : 'at most'}`;
  return 'below' in chosen
    ? `as visitors of ${chosen.below}… chose`
    : `${amount(chosen.clicks)} of ${amount(chosen.of)} chose this`;
}
