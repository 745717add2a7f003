import type { ModelRegistry } from '../../embedding/model-registry.js';
import type { NewPassage } from '../store/index-rows.js';
import type { EmbeddedPassage } from '../../embedding/embedder.js';
import { cutText, findSafeCut } from '../../text/cut-text.js';

/** Words in a page's beginning: about its headline and first sentence. */
const BEGINNING_WORDS = 30;

/** Characters in a page's beginning, for scripts without spaces and for endless words. */
const MAX_CHARACTERS = 240;

/** The ordinal of a page's beginning. Its text is also in the first passages. */
export const BEGINNING = -1;
/** Ordinals of texts that stand beside the content. */
const TITLE = -2;
const LAST_SEGMENT = -3;

/** What of a page is embedded. */
export interface EmbeddedTexts {
  content: string;
  title: string | null;
  /** The words of the path's last segment. */
  slugWords: string;
}

/**
 * The vectors of a page under one model: of its passages, of its beginning, which says what the page is about, of its
 * title and of the last segment of its path.
 */
export async function embedPage(
  models: ModelRegistry,
  modelId: number,
  pageId: string,
  { content, title, slugWords }: EmbeddedTexts,
): Promise<NewPassage[]> {
  const beside = Promise.all([
    embedBeside(models, modelId, pageId, TITLE, title ?? ''),
    embedBeside(models, modelId, pageId, LAST_SEGMENT, slugWords),
  ]);
  return [...(await embedBody(models, modelId, pageId, content)), ...(await beside).flat()];
}

/** Longer titles and segments say no more. */
const MAX_BESIDE = 300;

async function embedBeside(
  models: ModelRegistry,
  modelId: number,
  pageId: string,
  ordinal: number,
  text: string,
): Promise<NewPassage[]> {
  const [only] = text === '' ? [] : await models.embedContent(modelId, cutText(text, MAX_BESIDE));
  return only ? [{ pageId, modelId, ordinal, start: 0, end: 0, vector: only.vector }] : [];
}

async function embedBody(
  models: ModelRegistry,
  modelId: number,
  pageId: string,
  content: string,
): Promise<NewPassage[]> {
  const beginning = cutBeginning(content);
  // Simultaneous calls may share a batch. A page that is no longer than its beginning needs one call only.
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

/** The last passages of a part end where the part ends. They are cut again with the text that follows. */
const CUT_AGAIN = 2;

/**
 * A megabyte of English has 1,200 passages, of a hostile text without spaces 20,000, each a vector that is computed and
 * stored. What follows the last one is found by its words alone.
 */
export const MAX_PASSAGES = 2_500;
/** Nor does a page occupy a slow model for longer. A part takes a fifth of a second; of a large model some seconds. */
const MAX_PAGE_MS = 120_000;

/**
 * Embeds one part after the other, so that other pages are embedded in between. The passages are the same as those of
 * the whole content: the last two of a part overlap the text behind it, so the next part begins with them.
 * Ends early after {@link MAX_PASSAGES}, or after {@link MAX_PAGE_MS}.
 */
export async function embedParts(
  models: Pick<ModelRegistry, 'embedContent'>,
  modelId: number,
  content: string,
  max?: number,
): Promise<EmbeddedPassage[]> {
  const all: EmbeddedPassage[] = [];
  const until = performance.now() + MAX_PAGE_MS;
  for (let start = 0; ;) {
    const text = cutPart(content, start, max);
    const passages = await models.embedContent(modelId, text);
    const isFull = all.length + passages.length >= MAX_PASSAGES || performance.now() > until;
    const isLast = isFull || start + text.length >= content.length;
    const next = isLast ? undefined : passages.at(-CUT_AGAIN);
    const again = next && next.start > 0 ? passages.length - CUT_AGAIN : passages.length;
    for (const passage of passages.slice(0, Math.min(again, MAX_PASSAGES - all.length))) {
      all.push({ ...passage, ordinal: all.length, start: start + passage.start, end: start + passage.end });
    }
    if (isLast) return all;
    start += again < passages.length && next ? next.start : text.length;
  }
}

/** The text up to its 30th word, max 240 characters. */
export function cutBeginning(content: string): string {
  const text = content.slice(0, 2_000).trimStart();
  let words = 0;
  for (const match of text.matchAll(/\S+/gu)) {
    words++;
    if (words === BEGINNING_WORDS) return cutText(text, Math.min(match.index + match[0].length, MAX_CHARACTERS));
  }
  return cutText(text, MAX_CHARACTERS).trimEnd();
}

/**
 * Characters that are embedded at once: a small model takes a fifth of a second. Other waiting pages are embedded
 * between two parts of a long page.
 */
const MAX_PART_CHARACTERS = 25_000;

/** Where to cut, best first. */
const BORDERS = ['\n\n', '\n', '. ', ' '];

/** The part that begins at `start` and ends at a good place to cut. */
export function cutPart(content: string, start: number, max = MAX_PART_CHARACTERS): string {
  const rest = content.slice(start, findSafeCut(content, start + max));
  return start + max >= content.length ? rest : rest.slice(0, Math.max(1, endOf(rest)));
}

/** The last good place to cut in the second half; else the end. */
function endOf(text: string): number {
  for (const border of BORDERS) {
    const at = text.lastIndexOf(border);
    if (at >= text.length / 2) return at + border.length;
  }
  return text.length;
}
