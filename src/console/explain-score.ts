import type { FoundSuggestion } from '../search/answer.js';
import { describeBut, type Explanation } from '../search/ranking/scores/explanation.js';
import type { FarEvidence, QuestionEvidence, SuggestEvidence } from '../search/ranking/scores/calibration.js';
import { amount } from '../text/count-of.js';
import { scoreText } from './shared/numbers.js';

type EvidenceName = Exclude<keyof SuggestEvidence, keyof FarEvidence> | keyof QuestionEvidence | 'clicked';

const PATHS = 'similar paths';
const NUMBERS = 'same numbers and language';
const TEXT = 'matching content';
const REDIRECTS = 'redirects of similar paths lead there';

/**
 * For each kind of evidence (src/search/ranking/evidence): its name in the console, and its words in the sentence of
 * {@link explainScore}, where kinds with the same words are added up.
 */
const EVIDENCE: Readonly<Record<EvidenceName, readonly [string, string]>> = {
  words: ['Words of the path', PATHS],
  pathTrigrams: ['Letters of the whole path', PATHS],
  nearCopy: ['Nearly the same path', PATHS],
  pathEdit: ['Few typing errors in the path', PATHS],
  slugTrigrams: ['Letters of the last segment', PATHS],
  slugEdit: ['Spelling of the last segment', PATHS],
  prefix: ['Same folders at the start', PATHS],
  depth: ['Same depth', PATHS],
  numbers: ['Same numbers', NUMBERS],
  noOtherNumber: ['No other number', NUMBERS],
  sameLanguage: ['Same language', NUMBERS],
  folderTrigrams: ['Letters of the folders', PATHS],
  slugIsFolder: ['Start page of the folder', PATHS],
  slugWithin: ['One name contains the other', PATHS],
  shallow: ['Near the top of the site', 'near the top of the site'],
  dense: ['Meaning of the content', TEXT],
  beginning: ['Meaning of the beginning', TEXT],
  denseTitle: ['Meaning of the title', TEXT],
  denseMax: ['Closest meaning of these', TEXT],
  lexical: ['Words of the content', TEXT],
  headingCover: ['Words of the first line', TEXT],
  bestHeading: ['Words of the best heading', TEXT],
  clicked: ['Clicks of visitors with such a question', 'visitors with such a question chose it'],
  slugLexical: ['Words of the last segment in the content', TEXT],
  redirectedSection: ['Where redirects of the section lead', REDIRECTS],
  redirectedFolder: ['Folder that similar redirects lead to', REDIRECTS],
  redirectedPage: ['Page that similar redirects lead to', REDIRECTS],
  renamedWords: ['Words that redirects renamed', REDIRECTS],
  moved: [
    'Learned redirects: rules, clicks, sections',
    'redirects and clicks from this path or its section lead there',
  ],
};
const MIN_SHARE = 0.1;

/** Evidence without an entry keeps its own name, and counts as a comparison of paths. */
function namesOf(name: string): readonly [string, string] {
  return (EVIDENCE as Readonly<Record<string, readonly [string, string]>>)[name] ?? [name, PATHS];
}

export function evidenceName(name: string): string {
  return namesOf(name)[0];
}

/** Explains a score in words: `similar paths (71%), matching content (29%)`, largest share first. */
export function explainScore(explanation: Explanation): string {
  const { evidence, corrections = [], rewriting } = explanation;
  const shares = new Map<string, number>();
  for (const [name, share] of Object.entries(evidence)) {
    const [, kind] = namesOf(name);
    shares.set(kind, (shares.get(kind) ?? 0) + share);
  }
  const parts = [...shares]
    .filter(([, share]) => share >= MIN_SHARE)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, share]) => `${kind} (${Math.round(share * 100)}%)`);
  const spelled = corrections.map(({ from, to }) => `read “${from}” as “${to}”`);
  const rewritten = rewriting === undefined ? [] : [rewriting];
  return [...parts, ...spelled, ...rewritten, ...describeBut(explanation)].join(', ');
}

/**
 * Describes how sure a suggestion is: by its score, which is 1.00 only for a rule; by `at most 0.69` if the score is a
 * bound; or, if visitors decided, by the page that they chose: `17 of 20 clicks`. No other number shows how probably a
 * path means a page (docs/evidence/relevance.md, "One number for a path").
 */
export function certainty({ score, explanation }: Pick<FoundSuggestion, 'score' | 'explanation'>): string {
  const { chosen, bounded } = explanation ?? {};
  if (!chosen) return `${bounded === undefined ? 'score' : 'at most'} ${scoreText(score)}`;
  return 'below' in chosen
    ? `as visitors of ${chosen.below}… chose`
    : `${amount(chosen.clicks)} of ${amount(chosen.of)} clicks`;
}
