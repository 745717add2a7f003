import { dice, sortedTrigrams } from '#src/text/words/likeness.js';
import { jaccard, plainPath, plainWords, slugOf } from '../path-words.js';
import type { SitePage } from '../site-data.js';
import { best, TOP, type Peer } from './peer.js';

type Pages = readonly Pick<SitePage, 'path'>[];

/** Jaccard index of the words of the two paths. */
export function pathOverlap(pages: Pages): Peer {
  const known = pages.map(({ path }) => ({ path, words: new Set(plainWords(plainPath(path))) }));
  return {
    name: 'path_overlap',
    takesQuestions: false,
    rank: ({ text }) => {
      const words = new Set(plainWords(plainPath(text)));
      return best(known, (page) => jaccard(words, page.words));
    },
  };
}

/** Dice's coefficient of the character trigrams of the two paths. */
export function pathTrigrams(pages: Pages): Peer {
  const known = pages.map(({ path }) => ({ path, trigrams: sortedTrigrams(plainPath(path)) }));
  return {
    name: 'path_trigrams',
    takesQuestions: false,
    rank: ({ text }) => {
      const trigrams = sortedTrigrams(plainPath(text));
      return best(known, (page) => dice(trigrams, page.trigrams));
    },
  };
}

/**
 * Guesses as plugins for 404 pages do: the page whose last segment is nearest by Levenshtein distance, relative to the
 * longer of both segments. Where last segments are equally near, the whole path decides.
 */
export function slugEdit(pages: Pages): Peer {
  const known = pages.map(({ path }) => ({ path, plain: plainPath(path), slug: slugOf(path) }));
  return {
    name: 'slug_edit_distance',
    takesQuestions: false,
    rank: ({ text }) => {
      const slug = slugOf(text);
      const whole = plainPath(text);
      const near = known
        .map((page) => ({ ...page, likeness: likeness(slug, page.slug) }))
        .filter((page) => page.likeness > 0)
        .sort((a, b) => b.likeness - a.likeness);
      const least = near[Math.min(near.length, TOP) - 1]?.likeness ?? 0;
      // The whole path counts for less than any difference between slugs.
      return best(
        near.filter((page) => page.likeness >= least),
        (page) => page.likeness + likeness(whole, page.plain) / 1e6,
      );
    },
  };
}

/** 1 for equal texts, 0 for texts without anything in common. */
function likeness(text: string, other: string): number {
  const longer = Math.max(text.length, other.length);
  return longer === 0 ? 1 : 1 - levenshtein(text, other) / longer;
}

/** Insertions, deletions and substitutions that turn one text into the other (Wagner and Fischer 1974). */
export function levenshtein(text: string, other: string): number {
  const row = Uint16Array.from({ length: other.length + 1 }, (_, j) => j);
  for (let i = 1; i <= text.length; i++) {
    let diagonal = i - 1;
    row[0] = i;
    for (let j = 1; j <= other.length; j++) {
      const above = row[j] ?? 0;
      const cost = text.charCodeAt(i - 1) === other.charCodeAt(j - 1) ? 0 : 1;
      row[j] = Math.min(above + 1, (row[j - 1] ?? 0) + 1, diagonal + cost);
      diagonal = above;
    }
  }
  return row[other.length] ?? 0;
}
