import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { postgresProcess } from '../../../faults/postgres-process.js';

const run = promisify(execFile);
const NODES = ['node1', 'node2', 'node3'];

/** The cluster that scripts/lab/patroni/start.sh starts: three servers under Patroni, etcd, and HAProxy before them. */
export interface Cluster {
  /** A database's url by way of HAProxy: that of the primary, whichever server that is. */
  url(database: string): string;
  /** A database's url on one server, which may be a standby. */
  urlOf(node: string, database: string): string;
  /** Whether the queue listens on this server. */
  queueListens(node: string): Promise<boolean>;
  /** The server that reports that it is the primary; undefined while none does. */
  primary(): Promise<string | undefined>;
  /** The machine loses its power: Patroni and all of PostgreSQL at once. */
  kill(node: string): Promise<void>;
  /** The machine hangs: connections stay, and nobody answers. Returns a function that ends that. */
  freeze(node: string): Promise<() => void>;
  /** The server's log no longer reaches the standbys, and clients still reach it: the first half of a cut network. */
  muteReplication(node: string): Promise<void>;
  /** Stops etcd, or lets it go on. Meanwhile no server can learn or announce which one is the primary. */
  signalEtcd(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Makes another server the primary, as an operator does before work on a machine. */
  switchover(from: string): Promise<void>;
  /** Starts again what does not run; resolves when all three servers are healthy. */
  mend(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a new cluster in the chroot; a cluster that was there before is removed. */
export async function startCluster(folder: string): Promise<Cluster> {
  await run('bash', ['scripts/lab/patroni/stop.sh', '--clean', folder]);
  await run('bash', ['scripts/lab/patroni/start.sh', folder]);
  const inside = `${folder}/tmp/patroni`;
  const ports = new Map(
    readFileSync(`${inside}/ports`, 'utf8')
      .trim()
      .split('\n')
      .map((line): [string, number] => [line.split('=')[0] ?? '', Number(line.split('=')[1])]),
  );
  const port = (name: string): number => ports.get(name) ?? 0;
  const at = (name: string, database: string): string => `postgres://postgres@127.0.0.1:${port(name)}/${database}`;
  const pidOf = (name: string): number => Number(readFileSync(`${inside}/${name}.pid`, 'utf8'));

  const says = async (node: string, role: string): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port(`${node}_rest`)}/${role}`, { signal: AbortSignal.timeout(1_000) }).then(
      ({ ok }) => ok,
      () => false,
    );

  return {
    url: (database) => at('haproxy', database),
    urlOf: at,
    queueListens: async (node) =>
      (
        await ask(
          at(node, 'postgres'),
          `select from pg_stat_activity where application_name = 'pathmend-jobs' and (query ilike 'listen %' or query like '%pg_listening_channels%')`,
        )
      ).length > 0,
    primary: async () => {
      const all = await Promise.all(NODES.map(async (node) => ((await says(node, 'primary')) ? node : undefined)));
      return all.find((node) => node !== undefined);
    },
    kill: async (node) => {
      const server = await postgresProcess(at(node, 'postgres'));
      process.kill(pidOf(node), 'SIGKILL');
      await server.kill();
    },
    freeze: async (node) => {
      const server = await postgresProcess(at(node, 'postgres'));
      const patroni = pidOf(node);
      process.kill(patroni, 'SIGSTOP');
      server.freeze();
      const thaw = (): void => {
        server.thaw();
        process.kill(patroni, 'SIGCONT');
      };
      process.once('exit', thaw);
      return () => {
        process.off('exit', thaw);
        thaw();
      };
    },
    muteReplication: async (node) => {
      const senders = await ask(at(node, 'postgres'), 'select pid from pg_stat_replication');
      for (const { pid } of senders) process.kill(Number(pid), 'SIGSTOP');
    },
    signalEtcd: (signal) => process.kill(pidOf('etcd'), signal),
    switchover: async (from) => {
      const settings = `/tmp/patroni/${from}.yml`;
      const command = ['patronictl', '-c', settings, 'switchover', 'pathmend', '--leader', from, '--force'];
      await run('chroot', [folder, ...command], {
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' },
      });
    },
    mend: async () => {
      await run('bash', ['scripts/lab/patroni/start.sh', folder]);
      while (!(await Promise.all(NODES.map((node) => says(node, 'health')))).every(Boolean)) await pause(200);
    },
    stop: async () => {
      await run('bash', ['scripts/lab/patroni/stop.sh', '--clean', folder]);
    },
  };
}

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return (await client.query<Record<string, unknown>>(statement).finally(() => client.end())).rows;
}
