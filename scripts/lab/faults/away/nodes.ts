import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import pg from 'pg';
import { until } from '../../../../test/support/until.js';

const run = promisify(execFile);

/** A PostgreSQL server of scripts/postgres: its folder and its port. */
export interface Node {
  folder: string;
  port: number;
}

export function urlOf({ port }: Node): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

/** Starts a server without any databases, or as a copy of another that follows it. What was in its folder goes. */
export async function startEmpty(node: Node, primary?: Node): Promise<void> {
  const environment = primary ? { ...process.env, PATHMEND_PG_STANDBY_OF: urlOf(primary) } : process.env;
  await run('bash', ['scripts/postgres/stop.sh', '--clean', node.folder]);
  await run('bash', ['scripts/postgres/start.sh', node.folder, String(node.port)], { env: environment });
}

/** From now on a commit is acknowledged when the standby has it too; resolves when it follows so closely. */
export async function waitForStandby(primary: Node): Promise<void> {
  await on(primary, `alter system set synchronous_standby_names = '*'`);
  await on(primary, 'select pg_reload_conf()');
  await until(
    'the standby follows',
    async () => (await on(primary, `select from pg_stat_replication where sync_state = 'sync'`)) === 1,
  );
}

/** The standby takes writes from now on. */
export async function promote(standby: Node): Promise<void> {
  await on(standby, 'select pg_promote(true, 60)');
}

/** Whether the queue listens on this server. */
export async function queueListens(node: Node): Promise<boolean> {
  return (
    (await on(
      node,
      `select from pg_stat_activity where application_name = 'pathmend-jobs' and (query ilike 'listen %' or query like '%pg_listening_channels%')`,
    )) > 0
  );
}

async function on(node: Node, statement: string): Promise<number> {
  const client = new pg.Client({ connectionString: urlOf(node) });
  await client.connect();
  try {
    return (await client.query(statement)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}
