const MAX_WAITING = 1_000;
const MAX_SENDING = 4;

/**
 * @typedef {import('../index.js').VisitorEvent} VisitorEvent
 * @typedef {(error: Error) => void} OnError
 * @typedef {object} EventQueue events are sent after the visitor's answer; whatever becomes of them, nobody waits
 * @property {(event: VisitorEvent, onError: OnError) => void} push
 * @property {() => Promise<void>} flush resolves when all are sent or given up, or while pathmend is away
 */

/**
 * @param {(event: VisitorEvent) => Promise<unknown>} sendEvent
 * @param {import('./gate.js').Gate} gate events wait while it is paused; the next visitor's event takes them along
 * @returns {EventQueue}
 */
export function createEventQueue(sendEvent, gate) {
  /** @type {{ event: VisitorEvent, onError: OnError }[]} */
  const waiting = [];
  /** @type {(() => void)[]} */
  let flushed = [];
  let sending = 0;
  let scheduled = false;

  const sendNext = () => {
    while (sending < MAX_SENDING && !gate.isPaused()) {
      const next = waiting.shift();
      if (!next) break;
      sending += 1;
      sendEvent(next.event)
        .catch(next.onError)
        .finally(() => {
          sending -= 1;
          sendNext();
        });
    }
    if (sending > 0 || scheduled) return;
    for (const resolve of flushed) resolve();
    flushed = [];
  };
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    // Later than the answer, which is written in this turn of the event loop.
    setTimeout(() => {
      scheduled = false;
      sendNext();
    }, 0);
  };

  return {
    push: (event, onError) => {
      if (waiting.length >= MAX_WAITING) {
        onError(new Error(`An event was given up: ${MAX_WAITING} others wait to be sent.`));
        return;
      }
      waiting.push({ event, onError });
      schedule();
    },
    flush: () =>
      new Promise((resolve) => {
        flushed.push(resolve);
        schedule();
      }),
  };
}
