/** The entry of the thread that detects languages. The detector's tables take 85 MB, freed with the thread. */
import { eld } from 'eld/extrasmall';
import { htmlText } from '../../sources/html/html-text.js';
import { serveWorkThread } from '../../platform/run-in-thread.js';

/** The minimum number of letters: shorter texts are names and numbers. */
const MIN_LETTERS = 12;

/** With fewer letters the best language must lead: "Rental bike station" has .57 as French and .54 as English. */
const ENOUGH_LETTERS = 60;
const MIN_LEAD = 0.1;

/** Returns the ISO 639-1 code of a text's language; '' if the text does not show it clearly. */
function detectLanguage(pushed: string): string {
  const text = /<[a-z!]/i.test(pushed) ? htmlText(pushed) : pushed;
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  if (letters < MIN_LETTERS) return '';
  const detected = eld.detect(text);
  const [best = 0, next = 0] = Object.values(detected.getScores()).sort((a, b) => b - a);
  const isClear = letters >= ENOUGH_LETTERS || (detected.isReliable() && best - next >= MIN_LEAD);
  return isClear ? detected.language : '';
}

await serveWorkThread(async function* (texts) {
  await Promise.resolve();
  yield (texts as string[]).map(detectLanguage);
});
