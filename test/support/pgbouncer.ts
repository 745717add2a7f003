import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../scripts/service/throwaway-database.js';
import { serverProgram } from './web-servers.js';
import { until } from './until.js';

export type PoolMode = 'session' | 'transaction' | 'statement';

/** A PgBouncer before a server, for all of its databases and logins. */
export interface PgBouncer {
  port: number;
  /** Returns the url of the same database through PgBouncer. */
  urlOf(url: string): string;
  /** Returns the rows of PgBouncer's command `SHOW what`. */
  show(what: string): Promise<Record<string, string | number>[]>;
  stop(): Promise<void>;
}

/** The id of the user and group nobody: PgBouncer refuses to run as root. */
const NOBODY = 65_534;

/** The program that scripts/postgres/pgbouncer.sh fetched, or else the one on the machine; undefined without both. */
export function pgBouncerProgram(): string | undefined {
  const folder =
    process.env['PATHMEND_PG_DIR'] ?? `/var/tmp/pathmend-postgres-${process.env['PATHMEND_PG_VERSION'] ?? '18'}`;
  const fetched = join(folder, 'pgbouncer', 'pgbouncer');
  return existsSync(fetched) ? fetched : serverProgram('pgbouncer');
}

/** @param settings lines of its configuration. */
export async function startPgBouncer(server: string, mode: PoolMode, settings: string[] = []): Promise<PgBouncer> {
  const program = pgBouncerProgram();
  if (program === undefined) throw new Error('There is no pgbouncer: scripts/postgres/pgbouncer.sh fetches it.');
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-pgbouncer-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const at = new URL(server);
  const user = decodeURIComponent(at.username);
  const lines = [
    '[databases]',
    `* = host=${at.hostname} port=${at.port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${join(folder, 'users')}`,
    `auth_user = ${user}`,
    'auth_dbname = postgres',
    "auth_query = select rolname::text, ''::text from pg_roles where rolname = $1",
    `admin_users = ${user}`,
    `pool_mode = ${mode}`,
    'max_client_conn = 2000',
    'server_idle_timeout = 5',
    ...settings,
  ];
  await writeFile(join(folder, 'users'), `"${user}" "${decodeURIComponent(at.password)}"\n`);
  await writeFile(join(folder, 'ini'), `${lines.join('\n')}\n`);
  const root = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(program, [join(folder, 'ini')], { ...root, stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill);
  let bouncerLog = '';
  child.stderr.on('data', (chunk: Buffer) => (bouncerLog = (bouncerLog + chunk.toString()).slice(-10_000)));
  const urlOf = (url: string): string => Object.assign(new URL(url), { hostname: '127.0.0.1', port }).href;
  const show = async (what: string): Promise<Record<string, string | number>[]> => {
    const client = new pg.Client({ connectionString: urlOf(server).replace(/\/[^/]*$/, '/pgbouncer') });
    await client.connect();
    try {
      return (await client.query<Record<string, string | number>>(`show ${what}`)).rows;
    } finally {
      await client.end();
    }
  };
  await until('PgBouncer answers', async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${bouncerLog}`);
    return await show('version').then(
      () => true,
      () => false,
    );
  });
  return {
    port,
    urlOf,
    show,
    stop: async () => {
      process.off('exit', kill);
      const closed = once(child, 'close');
      if (child.kill('SIGKILL')) await closed;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
