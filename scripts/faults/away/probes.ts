import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { until } from '../../../test/support/until.js';

/** Asks some processes of the service for /readyz and /healthz again and again, as operators do. */
export interface Probes {
  /** Since the last call: answers of /readyz and /healthz by status, 0 for none, and the most that both took. */
  take(): { ready: Record<string, number>; health: Record<string, number>; slowestMs: number };
  stop(): Promise<void>;
}

const EVERY_MS = 250;

export function startProbes(urls: readonly string[]): Probes {
  let ready: Record<string, number> = {};
  let health: Record<string, number> = {};
  let slowestMs = 0;
  let stopped = false;
  const probe = async (url: string): Promise<void> => {
    while (!stopped) {
      const from = performance.now();
      const [readiness, liveness] = [await statusOf(`${url}/readyz`), await statusOf(`${url}/healthz`)];
      slowestMs = Math.max(slowestMs, Math.round(performance.now() - from));
      ready[readiness] = (ready[readiness] ?? 0) + 1;
      health[liveness] = (health[liveness] ?? 0) + 1;
      await pause(EVERY_MS);
    }
  };
  const all = Promise.all(urls.map(probe));
  return {
    take: () => {
      const taken = { ready, health, slowestMs };
      [ready, health, slowestMs] = [{}, {}, 0];
      return taken;
    },
    stop: async () => {
      stopped = true;
      await all;
    },
  };
}

/** Waits until /readyz of every process answers with this status. Returns how many milliseconds that took. */
export async function allSay(status: number, urls: readonly string[]): Promise<number> {
  const from = performance.now();
  for (const url of urls)
    await until(`${url}/readyz is ${status}`, async () => (await statusOf(`${url}/readyz`)) === status, 60_000);
  return Math.round(performance.now() - from);
}

async function statusOf(url: string): Promise<number> {
  return fetch(url, { signal: AbortSignal.timeout(20_000) }).then(
    (answer) => answer.arrayBuffer().then(() => answer.status),
    () => 0,
  );
}

/** Counts connections: those of the pools and of the queue by the server, and all by the processes' metrics. */
export async function connections(
  pool: pg.Pool,
  urls: readonly string[],
): Promise<{ pools: number; queue: number; metrics: number }> {
  const { rows } = await pool.query<{ pools: number; queue: number }>(
    `select count(*) filter (where application_name in ('pathmend-api', 'pathmend-worker', 'pathmend-all'))::int as pools,
            count(*) filter (where application_name = 'pathmend-jobs')::int as queue
       from pg_stat_activity where datname = current_database()`,
  );
  const metrics = await Promise.all(
    urls.map(async (url) =>
      Number(/^pathmend_database_connections (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]),
    ),
  );
  return { pools: rows[0]?.pools ?? 0, queue: rows[0]?.queue ?? 0, metrics: metrics.reduce((a, b) => a + b, 0) };
}

/** Waits until one more page is indexed. Returns how many milliseconds after `from` that was. */
export async function nextIndexed(pool: pg.Pool, from: number): Promise<number> {
  const { rows } = await pool.query<{ now: Date }>('select now() as now');
  await until(
    'a page is indexed',
    async () => {
      const { rowCount } = await pool.query('select from pathmend.indexed_pages where indexed_at > $1 limit 1', [
        rows[0]?.now,
      ]);
      return rowCount === 1;
    },
    120_000,
  );
  return Math.round(performance.now() - from);
}
