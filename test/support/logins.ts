import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { runStatements } from '#src/platform/database/schema/statements.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { mustStaySecret } from './said-aloud.js';

/** `database`, else one on the test server, with the logins of db/roles.sql, each with a name of its own. */
export interface Logins {
  owner: string;
  api: string;
  /** A connection as the server's superuser, on this database. */
  admin: pg.Client;
  urlOf(login: string): string;
  connect(login: string): Promise<pg.Client>;
  drop(): Promise<void>;
}

export async function createLogins(database?: TestDatabase): Promise<Logins> {
  const suffix = randomUUID().slice(0, 8);
  const password = randomUUID();
  mustStaySecret(password);
  const [owner, api] = [`pathmend_owner_${suffix}`, `pathmend_api_${suffix}`];
  const { environment, ...made } = database ?? (await createTestDatabase());
  // Past a pooler: what a login may do is the server's business.
  const { DATABASE_URL = '', DATABASE_DIRECT_URL: direct = DATABASE_URL } = environment;
  const admin = new pg.Client({ connectionString: direct });
  await admin.connect();
  // With what psql would put in.
  const values: Record<string, string> = { owner, api, owner_password: password, api_password: password };
  // Without what is for psql itself.
  const script = (await readFile(join(sqlFolder(), 'roles.sql'), 'utf8')).replace(/^\\.*\n/gm, '');
  await runStatements(
    admin,
    script.replace(/:(['"])(\w+)\1/g, (_, quote: string, name: string) => `${quote}${values[name] ?? ''}${quote}`),
  );
  const urlOf = (login: string): string => {
    const url = new URL(direct);
    url.username = login;
    url.password = password;
    return url.href;
  };
  return {
    owner,
    api,
    admin,
    urlOf,
    connect: async (login) => {
      const client = new pg.Client({ connectionString: urlOf(login) });
      await client.connect();
      return client;
    },
    drop: async () => {
      await admin.end();
      await made.drop();
      const server = new pg.Client({
        connectionString: Object.assign(new URL(direct), { pathname: '/postgres' }).href,
      });
      await server.connect();
      for (const role of [owner, api]) await server.query(`drop role if exists ${role}`);
      await server.end();
    },
  };
}
