import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile, chown, writeFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { onServer } from './database.js';
import { until } from './until.js';

const run = promisify(execFile);

/** A PostgreSQL of a test's own, which it may configure, stop and make follow another. */
export interface OwnServer {
  port: number;
  /** The url with the superuser as its login. */
  url: string;
  /** The path of the data folder outside the chroot. */
  folder: string;
  connect(): Promise<pg.Client>;
  /** Makes it read its configuration again. */
  reload(): void;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it at once, without a checkpoint: it replays its log when it starts again. */
  kill(): Promise<void>;
  /** Makes its processes stand still, as behind a network that drops everything; `SIGCONT` lets them go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

export interface OwnServerOptions {
  /** Lines of postgresql.conf. */
  settings?: string[];
  /** Lines of pg_hba.conf in place of trust on loopback. */
  access?: string[];
  /** Files beside the data that only the server's user may read. */
  files?: Record<string, string | Buffer>;
  /** The server becomes a standby of this one, from a copy of it. */
  follows?: OwnServer;
  /** A command that runs the server elsewhere, such as `nsenter …`. */
  within?: readonly string[];
}

/** The chroot that scripts/postgres/start.sh made; undefined where it is missing or only root could enter it. */
export function ownServerRoot(): string | undefined {
  const root =
    process.env['PATHMEND_PG_DIR'] ?? `/var/tmp/pathmend-postgres-${process.env['PATHMEND_PG_VERSION'] ?? '18'}`;
  return process.getuid?.() === 0 && existsSync(join(root, 'usr/lib/postgresql')) ? root : undefined;
}

/**
 * True where tests with a server of their own do not run. The database of the other tests does not matter to them, so
 * that a run on both databases has them once: on a server.
 */
export function skipsOwnServers(): boolean {
  return !onServer() || ownServerRoot() === undefined;
}

export async function createOwnServer(options: OwnServerOptions = {}): Promise<OwnServer> {
  const root = ownServerRoot();
  if (root === undefined) throw new Error('there is no chroot of scripts/postgres/start.sh');
  const [version = ''] = readdirSync(join(root, 'usr/lib/postgresql'));
  const user = /^postgres:[^:]*:(\d+):(\d+)/m.exec(readFileSync(join(root, 'etc/passwd'), 'utf8')) ?? [];
  const [uid, gid] = [Number(user[1]), Number(user[2])];
  const inside = `/tmp/own-${randomBytes(6).toString('hex')}`;
  const folder = join(root, inside);
  const command = (name: string, args: string[]): [string, string[], { env: Record<string, string> }] => [
    'chroot',
    [`--userspec=${uid}:${gid}`, root, `/usr/lib/postgresql/${version}/bin/${name}`, ...args],
    { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/tmp', LC_ALL: 'C.UTF-8' } },
  ];
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  if (options.follows) {
    await run(...command('pg_basebackup', ['-D', inside, '-d', options.follows.url, '-R', '--checkpoint=fast']));
  } else {
    await run(...command('initdb', ['-D', inside, '-U', 'postgres', '--auth=trust', '--locale=C.UTF-8', '--no-sync']));
  }
  for (const [name, content] of Object.entries(options.files ?? {})) {
    await writeFile(join(folder, name), content, { mode: 0o600 });
    await chown(join(folder, name), uid, gid);
  }
  const access = [
    ...(options.access ?? []),
    'local all postgres trust',
    'host replication postgres 127.0.0.1/32 trust',
  ];
  if (options.access) await writeFile(join(folder, 'pg_hba.conf'), `${access.join('\n')}\n`);
  const settings = [
    "listen_addresses = '127.0.0.1'",
    "unix_socket_directories = ''",
    'fsync = off',
    'shared_buffers = 32MB',
  ];
  settings.push(`port = ${port}`, 'dynamic_shared_memory_type = sysv', ...(options.settings ?? []));
  await appendFile(join(folder, 'postgresql.conf'), `\n${settings.join('\n')}\n`);
  let server: ReturnType<typeof spawn> | undefined;
  let serverLog = '';
  const start = async (): Promise<void> => {
    const [chroot, args, environment] = command('postgres', ['-D', inside]);
    const [program = '', ...rest] = [...(options.within ?? []), chroot, ...args];
    const child = (server = spawn(program, rest, environment));
    process.once('exit', () => child.kill('SIGKILL'));
    child.stderr.on('data', (chunk: Buffer) => (serverLog += chunk.toString()));
    await until('the server accepts connections', () => {
      if (child.exitCode !== null) throw new Error(`the server ended: ${serverLog}`);
      return serverLog.includes('ready to accept');
    });
    serverLog = '';
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!server || (server.exitCode ?? server.signalCode) !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  };
  // SIGINT is a fast stop, which ends sessions.
  const stop = (): Promise<void> => end('SIGINT');
  await start();
  return {
    port,
    url,
    folder,
    connect: async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      return client;
    },
    reload: () => server?.kill('SIGHUP'),
    start,
    stop,
    kill: () => end('SIGQUIT'),
    signal: async (signal) => {
      const mine = server?.pid ?? 0;
      const { stdout } = await run('ps', ['-e', '-o', 'pid=,ppid=']);
      const all = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
      for (const [pid = 0, parent] of all) if (pid === mine || parent === mine) process.kill(pid, signal);
    },
    remove: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
