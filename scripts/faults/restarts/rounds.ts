import { setTimeout as pause } from 'node:timers/promises';
import { cliJson, startServer, type ServerProcess } from '../../../test/support/processes.js';
import { until } from '../../../test/support/until.js';
import { startBalancer, type Backend } from './balancer.js';
import { startLoad } from './load.js';

/** The results of some restarts. */
export interface Restarts {
  restarts: number;
  requests: number;
  /** Answers with `Connection: close`: the last of their connection. */
  last: number;
  slowestEndMs: number;
  failed: string[];
}

const CONNECTIONS = 16;
const END_WITHIN_MS = 10_000;
const NO_LIMIT = ['read-rate', 'read-burst', 'write-rate', 'write-burst'].flatMap((rate) => [`--${rate}`, '1000000']);

/** A key of a project without limits. */
export async function unlimitedKey(environment: Record<string, string>): Promise<string> {
  await cliJson(['project', 'create', '--name', 'restarts', '--plan', 'enterprise', ...NO_LIMIT], environment);
  return ((await cliJson(['key', 'create', '--project', 'restarts', '--mode', 'live'], environment)) as { key: string })
    .key;
}

/**
 * Ends a process by SIGTERM while clients send it requests, and starts it again, `rounds` times. Before every second
 * end /readyz is asked, as a balancer would.
 */
export async function terminateUnderLoad(
  environment: Record<string, string>,
  role: string,
  rounds: number,
): Promise<Restarts> {
  let server = await startServer(environment, ['--role', role]);
  const key = await unlimitedKey(environment);
  const load = startLoad(CONNECTIONS, key, () => server.url);
  const failed: string[] = [];
  let slowestEndMs = 0;
  for (let round = 0; round < rounds; round++) {
    const answered = load.sent;
    await until('clients are being answered', () => load.sent > answered + 4 * CONNECTIONS, 60_000);
    if (round % 2 === 1) for (let times = 0; times < 2; times++) await fetch(`${server.url}/readyz`);
    slowestEndMs = Math.max(slowestEndMs, await terminate(server, failed));
    server = await startServer(environment, ['--role', role]);
  }
  await load.stop();
  await terminate(server, failed);
  return { restarts: rounds, requests: load.sent, last: load.last, slowestEndMs, failed: [...failed, ...load.failed] };
}

/** Restarts two instances in turn, behind a balancer under load, each `rounds` times. */
export async function restartInTurn(
  environment: Record<string, string>,
  rounds: number,
  keepAlive: boolean,
): Promise<Restarts> {
  const start = (): Promise<ServerProcess> => startServer(environment, ['--role', 'api']);
  const instances = [await start(), await start()];
  const backends: Backend[] = instances.map(({ url }) => ({ url, up: true }));
  const key = await unlimitedKey(environment);
  const balancer = await startBalancer(backends, keepAlive);
  const load = startLoad(CONNECTIONS, key, () => balancer.url);
  const failed: string[] = [];
  let slowestEndMs = 0;
  for (let round = 0; round < rounds; round++) {
    for (const [i, backend] of backends.entries()) {
      const instance = instances[i];
      if (!instance) continue;
      // Long enough for the balancer to have asked for readiness some times.
      await pause(1_500);
      slowestEndMs = Math.max(slowestEndMs, await terminate(instance, failed));
      const next = await start();
      instances[i] = next;
      backend.url = next.url;
      await until('the balancer has taken it back', () => backend.up, 60_000);
    }
  }
  await load.stop();
  if (load.refused > 0) failed.push(`${load.refused} connections were refused by the balancer itself`);
  await balancer.close();
  for (const instance of instances) await terminate(instance, failed);
  return {
    restarts: 2 * rounds,
    requests: load.sent,
    last: load.last,
    slowestEndMs,
    failed: [...failed, ...load.failed],
  };
}

/** Ends a process by SIGTERM. Returns how many milliseconds it took to end. */
async function terminate(server: ServerProcess, failed: string[]): Promise<number> {
  const from = performance.now();
  const code = await server.end('SIGTERM');
  const ms = Math.round(performance.now() - from);
  if (code !== 0) failed.push(`ended with ${String(code)}: ${server.stderr().slice(-500)}`);
  if (ms > END_WITHIN_MS) failed.push(`ended after ${ms} ms`);
  return ms;
}
