import { rmSync } from 'node:fs';
import { OperatorError } from '../../errors.js';
import { SupervisedThread } from '../../threads/supervised-thread.js';
import type { ThreadData, ThreadMessage } from './database-thread.js';

const RESTART_DELAY_MS = 500;

/** Hears what becomes of the embedded database. */
export interface EmbeddedWatch {
  /** It died, or could not be started again; it will be tried again. */
  lost(reason: string): void;
  /** It answers again; nothing that was acknowledged is lost. */
  back(): void;
}

/**
 * Keeps the database's thread running: when it dies, another recovers the folder from its write-ahead log, as soon as
 * that works again (a full disk has space). Meanwhile connections are refused, which callers know from a server that
 * restarts.
 * @returns what stops it.
 * @throws OperatorError when the first one does not start.
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
        // Left by the dead thread, if at all.
        rmSync(data.socket, { force: true });
        return everListened;
      },
    });
    thread.start();
  });
}
