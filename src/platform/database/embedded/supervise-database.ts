import { rmSync } from 'node:fs';
import { OperatorError } from '../../../base/errors.js';
import { SupervisedThread } from '../../supervised-thread.js';
import type { ThreadData, ThreadMessage } from './database-thread.js';

const RESTART_DELAY_MS = 500;

/** Receives the deaths and restarts of the embedded database. */
export interface EmbeddedWatch {
  /** The database died, or a restart failed. Another restart follows. */
  lost(reason: string): void;
  /** The database answers again. It holds every acknowledged write. */
  back(): void;
}

/**
 * Supervises the thread of the database. When it dies, a new one recovers the folder from its write-ahead log. New
 * threads are tried until that works, such as when a full disk has space again. Meanwhile connections are refused, as
 * by a server that restarts.
 * @returns a function that stops the thread.
 * @throws OperatorError when the first start fails.
 */
export async function superviseDatabase(data: ThreadData, watch: EmbeddedWatch): Promise<() => Promise<void>> {
  const place = `The embedded database in ${data.folder} does not start`;
  return new Promise((started, failed) => {
    let everListened = false;
    let listening = false;
    let deathReason: string | undefined;
    const thread = new SupervisedThread<{ type: 'stop' }, ThreadMessage>({
      url: new URL('./database-thread.js', import.meta.url),
      workerData: data,
      name: 'its thread',
      // PostgreSQL's memory is not V8's, and what V8 collects there dies young: with the size that V8 chooses, the
      // process took 10 to 20 MB more.
      resourceLimits: { maxYoungGenerationSizeMb: 12 },
      restartDelayMs: RESTART_DELAY_MS,
      onMessage: (message) => {
        if (message.type === 'died') {
          deathReason = message.reason;
          return;
        }
        if (everListened) watch.back();
        everListened = listening = true;
        started(() => thread.stop());
      },
      onLost: (reason) => {
        const why = deathReason ?? reason;
        deathReason = undefined;
        if (!everListened) failed(new OperatorError(`${place}: ${why}`));
        else watch.lost(listening ? why : `${place}: ${why}`);
        listening = false;
        // The dead thread may have left its socket.
        rmSync(data.socket, { force: true });
        return everListened;
      },
    });
    thread.start();
  });
}
