import { contentTokens } from '../../text/words/content-words.js';
import { stem } from '../../text/words/stem.js';
import { Trigrams } from '../../text/paths/trigrams.js';

/** Evidence from the comparison of a question with the first line of a page's content; each 0 to 1. */
export interface HeadingEvidence {
  /** Dice's coefficient of the trigrams of both. */
  headingTrigrams: number;
  /** The share of the heading's words that the question has: high for a short heading that the question names. */
  headingCover: number;
}

/** More words than a heading has: a first line may be a whole text. */
const MAX_WORDS = 24;

function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const word of contentTokens(text)) if (words.push(word) === MAX_WORDS) break;
  return words;
}

/** A question, prepared once for comparison with many headings. Takes time linear in the heading's length. */
export function prepareQuestion(question: string): (heading: string) => HeadingEvidence {
  const asked = wordsOf(question);
  const stems = new Set(asked.map(stem));
  const trigrams = new Trigrams(asked.join(' '));
  return (heading) => {
    const words = wordsOf(heading);
    const distinct = new Set(words.map(stem));
    const common = [...distinct].filter((one) => stems.has(one)).length;
    return {
      headingTrigrams: trigrams.dice(words.join(' ')),
      headingCover: distinct.size === 0 ? 0 : common / distinct.size,
    };
  };
}
