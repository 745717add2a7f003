import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { ask } from '../../../faults/ask.js';

/** Somebody who reads his own writes: pushes a page, waits until it is indexed, and asks every api for it at once. */
export interface Reader {
  /** How often he found it. */
  found(): number;
  faults: string[];
  stop(): Promise<void>;
}

const LISTED_MS = 100;

export function startReader(apis: readonly string[], key: string, primary: () => string): Reader {
  const faults: string[] = [];
  let stopped = false;
  let count = 0;

  /** undefined: the primary is away. */
  async function isIndexed(url: string): Promise<boolean | undefined> {
    const client = new pg.Client({ connectionString: primary(), connectionTimeoutMillis: 1_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rowCount } = await client.query(`select from pathmend.pages where url = $1 and status = 'INDEXED'`, [
        url,
      ]);
      return rowCount === 1;
    } catch {
      return undefined;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function read(turn: number): Promise<void> {
    const url = `https://kill.example/mine/report-${turn}-of-the-archive`;
    const pushed = await ask(`${apis[0] ?? ''}/v1/pages/upsert`, '', 'POST', key, {
      url,
      content: `Report ${turn} of the archive.`,
    });
    if (pushed.status !== 202) return;
    while (!stopped && (await isIndexed(url)) !== true) await pause(LISTED_MS);
    for (const api of stopped ? [] : apis) {
      const { status, text } = await ask(`${api}/v1/suggest`, '', 'POST', key, {
        path: `/old/report-${turn}-of-the-archive`,
      });
      if (status !== 200) continue;
      if (text.includes(`/mine/report-${turn}-of-the-archive`)) count += 1;
      else faults.push(`his own page ${turn} was not found at ${api}: ${text.slice(0, 200)}`);
    }
  }

  const until = (): boolean => stopped;
  const reading = (async () => {
    for (let turn = 1; !until(); turn++) await read(turn);
  })();
  return {
    found: () => count,
    faults,
    stop: async () => {
      stopped = true;
      await reading;
    },
  };
}
