import type { ModelRegistry } from '../../embedding/model-registry.js';
import type { NewChunk } from '../store/index-rows.js';
import { hashText, type ContentOptions, type EmbeddedChunk } from '../../embedding/embedder.js';
import { cutText, findSafeCut } from '../../text/cut-text.js';

/** The number of words in a page's beginning: about its headline and first sentence. */
const BEGINNING_WORDS = 30;

/** The maximum number of characters in a page's beginning, for scripts without spaces and for endless words. */
const MAX_CHARACTERS = 240;

/** The ordinal of a page's beginning. Its text is also in the first chunks. */
export const BEGINNING = -1;
/** The ordinals of texts other than the content. */
const TITLE = -2;
const LAST_SEGMENT = -3;

interface EmbeddedTexts {
  content: string;
  title: string | null;
  /** The words of the path's last segment. */
  slugWords: string;
}

/** Computes the vectors of a page under one model: of its chunks, beginning, title and the path's last segment. */
export async function embedPage(
  models: ModelRegistry,
  modelId: number,
  pageId: string,
  { content, title, slugWords }: EmbeddedTexts,
  known?: ContentOptions['known'],
): Promise<NewChunk[]> {
  const beginning = cutBeginning(content);
  const chunkMs = (await models.find(modelId))?.chunkMs ?? 1;
  const embedBeside = async (ordinal: number, text: string): Promise<NewChunk[]> => {
    const [only] = text === '' ? [] : await models.embedContent(modelId, text, { known });
    if (!only) return [];
    // Offsets are of the content, which begins with its beginning.
    const { start, end } = ordinal === BEGINNING ? only : NOWHERE;
    const textHash = hashText(text.slice(only.start, only.end));
    return [{ pageId, modelId, ordinal, start, end, vector: only.vector, textHash }];
  };
  const [chunks, begun, ...beside] = await Promise.all([
    embedParts(models, modelId, content, { known, maxChunks: chunksOfPage(chunkMs) }),
    // Content that is only a beginning needs one call.
    beginning.length >= content.trim().length ? [] : embedBeside(BEGINNING, beginning),
    embedBeside(TITLE, cutText(title ?? '', MAX_BESIDE)),
    embedBeside(LAST_SEGMENT, cutText(slugWords, MAX_BESIDE)),
  ]);
  const body = chunks.map((chunk): NewChunk => {
    return { pageId, modelId, ...chunk, textHash: hashText(content.slice(chunk.start, chunk.end)) };
  });
  const [first] = body;
  if (!first) return beside.flat();
  const again =
    begun.length > 0
      ? begun
      : body.length === 1
        ? [{ ...first, ordinal: BEGINNING }]
        : await embedBeside(BEGINNING, beginning);
  return [...body, ...again, ...beside.flat()];
}

const NOWHERE = { start: 0, end: 0 };

/** The maximum number of characters of a title or segment that are embedded. */
const MAX_BESIDE = 300;

/** The number of last chunks of a part that are cut again, with the text that follows. */
const CUT_AGAIN = 2;

/** The max chunks of a page. A megabyte of English has 1,200, a hostile text without spaces 20,000. */
export const MAX_CHUNKS = 2_500;
/** A slow model spends about this time on a page, but reads some ten thousand words of it at least. */
const MAX_PAGE_MS = 1_000;
const MIN_CHUNKS = 60;

/** The number of a page's chunks that are embedded. The text after them is found by its words alone. */
export function chunksOfPage(chunkMs: number): number {
  return Math.max(MIN_CHUNKS, Math.min(MAX_CHUNKS, Math.floor(MAX_PAGE_MS / chunkMs)));
}

/** The max characters of a head: two chunks, a third of those of an average page (docs/evidence/benchmarks.md). */
const HEAD_CHARACTERS = 1_300;
/** A shorter rest stays with the head: a chunk of a few words is near to every question that has them. */
const MIN_REST_CHARACTERS = 700;

/** Cuts the head of a content, which is embedded first and has chunks of its own. */
export function cutHead(content: string): string {
  const whole = content.trimEnd();
  const head = cutPart(whole, 0, HEAD_CHARACTERS);
  if (whole.length - head.length < MIN_REST_CHARACTERS) return whole;
  // A heading belongs to what follows it.
  const heading = head.lastIndexOf('\n#');
  const last = head.slice(heading + 1).trim();
  return heading > 0 && !last.includes('\n') ? head.slice(0, heading + 1) : head;
}

/** The max characters of a part, a fifth of a second of a small model. Other pages come between two parts. */
const MAX_PART_CHARACTERS = 25_000;
/** The size of a part of a text with longer words, which have more chunks. */
const DENSE_PART_CHARACTERS = 3_000;
const CHARACTERS_PER_WORD = 16;

function charactersOfPart(text: string): number {
  const spaces = text.match(/\s+/g)?.length ?? 0;
  return spaces * CHARACTERS_PER_WORD < text.length ? DENSE_PART_CHARACTERS : MAX_PART_CHARACTERS;
}

interface EmbedPartsOptions {
  known?: ContentOptions['known'];
  /** The size of a part in characters; absent: it follows from the text. */
  maxPart?: number;
  maxChunks?: number;
}

/**
 * Embeds a content part by part, with other pages in between: its head, then the rest, whose chunks equal those of the
 * whole rest, because each part begins with the last two chunks of the part before. Stops at `maxChunks`.
 */
export async function embedParts(
  models: Pick<ModelRegistry, 'embedContent'>,
  modelId: number,
  content: string,
  { known, maxPart, maxChunks = MAX_CHUNKS }: EmbedPartsOptions = {},
): Promise<EmbeddedChunk[]> {
  const all: EmbeddedChunk[] = [];
  const add = (chunks: readonly EmbeddedChunk[], from: number): void => {
    for (const chunk of chunks.slice(0, maxChunks - all.length))
      all.push({ ...chunk, ordinal: all.length, start: from + chunk.start, end: from + chunk.end });
  };
  const head = cutHead(content);
  add(await models.embedContent(modelId, head, { known }), 0);
  for (let start = head.length; start < content.trimEnd().length && all.length < maxChunks;) {
    const size = maxPart ?? charactersOfPart(content.slice(start, start + MAX_PART_CHARACTERS));
    const text = cutPart(content, start, size);
    const chunks = await models.embedContent(modelId, text, { known });
    const isLast = all.length + chunks.length >= maxChunks || start + text.length >= content.length;
    const next = isLast ? undefined : chunks.at(-CUT_AGAIN);
    const again = next && next.start > 0 ? chunks.length - CUT_AGAIN : chunks.length;
    add(chunks.slice(0, again), start);
    start += again < chunks.length && next ? next.start : text.length;
  }
  return all;
}

/** Cuts a text after its 30th word, and after 240 characters at most. */
export function cutBeginning(content: string): string {
  const text = content.slice(0, 2_000).trimStart();
  let words = 0;
  for (const match of text.matchAll(/\S+/gu)) {
    words++;
    if (words === BEGINNING_WORDS) return cutText(text, Math.min(match.index + match[0].length, MAX_CHARACTERS));
  }
  return cutText(text, MAX_CHARACTERS).trimEnd();
}

/** The borders at which a text is cut, the best first. */
const BORDERS = ['\n\n', '\n', '. ', ' '];

/** Cuts the part that begins at `start` and ends at a good place to cut. */
export function cutPart(content: string, start: number, max: number): string {
  const rest = content.slice(start, findSafeCut(content, start + max));
  return start + max >= content.length ? rest : rest.slice(0, Math.max(1, endOf(rest)));
}

/** Finds the last good place to cut in the second half of a text; else its end. */
function endOf(text: string): number {
  for (const border of BORDERS) {
    const at = text.lastIndexOf(border);
    if (at >= text.length / 2) return at + border.length;
  }
  return text.length;
}
