import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { packageRoot } from '#src/base/package-root.js';
import { typeBlock } from './document.js';
import type { Finished } from './processes.js';
import { mustStaySecret } from './said-aloud.js';

const run = promisify(execFile);

/**
 * An administrator who types the commands of docs/operate/database.md and docs/operate/backup.md on the test server,
 * with names and a folder of their own.
 */
export interface Administrator {
  folder: string;
  /** The shell variables that these documents use. */
  names: Record<string, string>;
  /** DATABASE_URL for one of the logins. */
  urlOf(login: 'OWNER' | 'API' | 'ANALYST', names?: Record<string, string>): string;
  /** Other names for a second database, in the same folder. */
  newNames(): Record<string, string>;
  /** Types a block of commands; fails with their output when they do not succeed. */
  type(block: string | undefined, names?: Record<string, string>): Promise<Finished>;
  /** A connection as the server's superuser. */
  asSuperuser(names?: Record<string, string>): Promise<pg.Client>;
  /** Removes databases, logins and the folder. */
  leave(): Promise<void>;
}

/** Returns the folder of PostgreSQL's client programs for the front of PATH; undefined where they are missing. */
export async function clientPrograms(): Promise<string | undefined> {
  try {
    return (await run(join(packageRoot(), 'scripts/postgres/clients.sh'))).stdout.trim();
  } catch {
    const clientVersion = await run('pg_dump', ['--version']).catch(() => undefined);
    return clientVersion === undefined || Number(/\d+/.exec(clientVersion.stdout)?.[0]) < 18 ? undefined : '.';
  }
}

export async function createAdministrator(server: string, programs: string): Promise<Administrator> {
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-admin-'));
  for (const name of ['dist', 'db', 'deploy']) await symlink(join(packageRoot(), name), join(folder, name));
  const at = new URL(server);
  const environment = {
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    TMPDIR: process.env['TMPDIR'] ?? '/tmp',
    PGHOST: at.hostname,
    PGPORT: at.port,
    PGUSER: decodeURIComponent(at.username),
    PGPASSWORD: decodeURIComponent(at.password),
  };
  const made: Record<string, string>[] = [];
  const newNames = (): Record<string, string> => {
    const suffix = randomUUID().slice(0, 8);
    const password = (): string => {
      const word = randomUUID();
      mustStaySecret(word);
      return word;
    };
    const names = {
      DATABASE: `pathmend_test_doc_${suffix}`,
      OWNER: `pathmend_owner_${suffix}`,
      OWNER_PASSWORD: password(),
      API: `pathmend_api_${suffix}`,
      API_PASSWORD: password(),
      ANALYST: `ann_${suffix}`,
      ANALYST_PASSWORD: password(),
      PROJECT_ANALYST: `bea_${suffix}`,
      PROJECT: 'bea-site',
    };
    made.push(names);
    return names;
  };
  const first = newNames();
  const asSuperuser = async (names?: Record<string, string>): Promise<pg.Client> => {
    const url = new URL(server);
    if (names) url.pathname = `/${names['DATABASE'] ?? ''}`;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    return client;
  };
  return {
    folder,
    names: first,
    newNames,
    asSuperuser,
    urlOf: (login, names = first) => {
      const url = new URL(server);
      url.username = names[login] ?? '';
      url.password = names[`${login}_PASSWORD`] ?? '';
      url.pathname = `/${names['DATABASE'] ?? ''}`;
      return url.href;
    },
    type: async (block, names = first) => {
      if (block === undefined) throw new Error('the document does not have that block');
      const finished = await typeBlock(block, { cwd: folder, env: { ...environment, ...names } });
      if (finished.code !== 0)
        throw new Error(`${block}\nended with code ${String(finished.code)}: ${finished.stderr}`);
      return finished;
    },
    leave: async () => {
      const client = await asSuperuser();
      for (const { DATABASE = '', OWNER = '', API = '', ANALYST = '', PROJECT_ANALYST = '' } of made) {
        await client.query(`drop database if exists ${DATABASE} with (force)`);
        for (const role of [OWNER, API, ANALYST, PROJECT_ANALYST]) await client.query(`drop role if exists ${role}`);
      }
      await client.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
