import { setTimeout as pause } from 'node:timers/promises';
import { postRequest, RawConnection } from './raw-connection.js';

export interface Probed {
  status: number;
  /** Milliseconds until the answer. */
  took: number;
  answeredAt: number;
}

const EVERY_MS = 100;

/** One more client, on a connection of its own, that asks something new ten times a second. */
export function startProbe(
  url: string,
  key: string,
  paths: readonly string[],
): { take: () => Probed[]; stop: () => Promise<void> } {
  let seen: Probed[] = [];
  const stopping = new AbortController();
  let connection = new RawConnection(url);
  const asking = (async () => {
    for (let number = 0; !stopping.signal.aborted; number++) {
      if (connection.ended) connection = new RawConnection(url);
      const sentAt = performance.now();
      const { status } = await connection.send(
        postRequest(
          '/v1/suggest',
          key,
          JSON.stringify({ path: `${paths[number % paths.length] ?? ''}-probe-${number}` }),
        ),
      );
      const answeredAt = performance.now();
      seen.push({ status, took: answeredAt - sentAt, answeredAt });
      await pause(Math.max(0, EVERY_MS - (answeredAt - sentAt)));
    }
    connection.close();
  })();
  return {
    /** Returns the answers since the last call. */
    take: () => {
      const taken = seen;
      seen = [];
      return taken;
    },
    stop: () => {
      stopping.abort();
      return asking;
    },
  };
}
