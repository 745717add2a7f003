import { PathmendError } from './errors.js';

const MAX_ASKING = 32;
const MAX_FAILURES = 5;
const MAX_PAUSE_MS = 60_000;

/**
 * @typedef {object} Gate decides whether pathmend is asked at all, so that its outage costs few visitors their time
 * @property {() => boolean} isPaused whether pathmend failed so often that nothing is sent at present
 * @property {<T>(ask: () => Promise<T>) => Promise<T> | undefined} run undefined where it is not asked
 */

/**
 * After five failures one after the other nothing is asked for `pauseMs`, or for as long as pathmend said. Then one
 * visitor's ask tries it. No more than 32 visitors are asked for at a time.
 * @param {number} pauseMs
 * @returns {Gate}
 */
export function createGate(pauseMs) {
  let asking = 0;
  let failures = 0;
  let pausedUntil = 0;

  /** @param {unknown} error */
  const failed = (error) => {
    const { status, retryAfterMs } =
      error instanceof PathmendError ? error : { status: undefined, retryAfterMs: undefined };
    // It lives, and did not like this one path.
    if (status === 400 || status === 413) return;
    failures += 1;
    const undone = status === 429 || status === 503;
    if (undone && retryAfterMs !== undefined) pausedUntil = Date.now() + Math.min(retryAfterMs, MAX_PAUSE_MS);
    else if (failures >= MAX_FAILURES) pausedUntil = Date.now() + pauseMs;
  };
  const isPaused = () => Date.now() < pausedUntil;

  return {
    isPaused,
    run: (ask) => {
      if (isPaused() || asking >= (failures >= MAX_FAILURES ? 1 : MAX_ASKING)) return undefined;
      asking += 1;
      return ask()
        .then(
          (answer) => {
            failures = 0;
            return answer;
          },
          (/** @type {unknown} */ error) => {
            failed(error);
            throw error;
          },
        )
        .finally(() => {
          asking -= 1;
        });
    },
  };
}
