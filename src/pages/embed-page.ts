import type { ModelRegistry } from '../embedding/model-registry.js';
import type { NewPassage } from '../database/queries/page-index.js';
import type { EmbeddedPassage } from '../embedding/embedder.js';
import { cutText } from '../text/cut-text.js';
import { cutPart } from './content-parts.js';

/** Words that the beginning of a page is compared by: about its headline and first sentence. */
const BEGINNING_WORDS = 30;

/** And no more than this, for scripts without spaces and endless words. */
const MAX_CHARACTERS = 240;

/** The ordinal of a page's beginning, which stands in the passages once more, by itself. */
export const BEGINNING = -1;

/** The vectors of a page under one model: its passages, and its beginning, where a page says what it is about. */
export async function embedPage(
  models: ModelRegistry,
  modelId: number,
  pageId: string,
  content: string,
): Promise<NewPassage[]> {
  const beginning = cutBeginning(content);
  // Asked for together, so that both may share a batch. A page of one passage that is no longer than its beginning
  // needs no second inference.
  const short = beginning.length >= content.trim().length;
  const [passages, begun] = await Promise.all([
    embedParts(models, modelId, content),
    short ? undefined : models.embedContent(modelId, beginning),
  ]);
  const [first] = passages;
  if (!first) return [];
  const [again] = begun ?? (passages.length === 1 ? passages : await models.embedContent(modelId, beginning));
  const all = passages.map((passage): NewPassage => ({ pageId, modelId, ...passage }));
  if (again)
    all.push({ pageId, modelId, ordinal: BEGINNING, start: again.start, end: again.end, vector: again.vector });
  return all;
}

/** Where a part ends, its last passages end too; with what follows they are cut elsewhere. */
const CUT_AGAIN = 2;

/**
 * One part after the other, so that others' pages come between them. The passages are those of the whole: the last two
 * of a part, which would have shared what follows it, begin the next one.
 */
export async function embedParts(
  models: Pick<ModelRegistry, 'embedContent'>,
  modelId: number,
  content: string,
  max?: number,
): Promise<EmbeddedPassage[]> {
  const all: EmbeddedPassage[] = [];
  for (let start = 0; ;) {
    const text = cutPart(content, start, max);
    const isLast = start + text.length >= content.length;
    const passages = await models.embedContent(modelId, text);
    const next = isLast ? undefined : passages.at(-CUT_AGAIN);
    const again = next && next.start > 0 ? passages.length - CUT_AGAIN : passages.length;
    for (const passage of passages.slice(0, again)) {
      all.push({ ...passage, ordinal: all.length, start: start + passage.start, end: start + passage.end });
    }
    if (isLast) return all;
    start += again < passages.length && next ? next.start : text.length;
  }
}

/** The text up to its 30th word; of a script without spaces up to as many characters as 30 words usually have. */
export function cutBeginning(content: string): string {
  const text = content.slice(0, 2_000).trimStart();
  let words = 0;
  for (const match of text.matchAll(/\S+/gu)) {
    words++;
    if (words === BEGINNING_WORDS) return cutText(text, Math.min(match.index + match[0].length, MAX_CHARACTERS));
  }
  return cutText(text, MAX_CHARACTERS).trimEnd();
}
