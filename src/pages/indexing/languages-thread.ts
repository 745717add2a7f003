/** Entry of the thread that detects languages. The detector's tables take 85 MB, which are freed with the thread. */
import { eld } from 'eld/extrasmall';
import { serveWorkThread } from '../../platform/run-in-thread.js';

/** Shorter texts are names and numbers. */
const MIN_LETTERS = 12;

/** ISO 639-1 code of each text's language; '' if unknown. */
function detectLanguages(texts: readonly string[]): string[] {
  return texts.map((text) => ((text.match(/\p{L}/gu)?.length ?? 0) < MIN_LETTERS ? '' : eld.detect(text).language));
}

await serveWorkThread(async function* (texts) {
  await Promise.resolve();
  yield detectLanguages(texts as string[]);
});
