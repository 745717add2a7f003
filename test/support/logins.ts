import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { sqlFolder } from '#src/database/open-database.js';
import { createTestDatabase } from './database.js';
import { mustStaySecret } from './said-aloud.js';

/** A database on the test server with the logins of db/roles.sql, each with a name of its own. */
export interface Logins {
  owner: string;
  api: string;
  /** A connection as the server's superuser, on this database. */
  admin: pg.Client;
  urlOf(login: string): string;
  connect(login: string): Promise<pg.Client>;
  drop(): Promise<void>;
}

export async function createLogins(): Promise<Logins> {
  const suffix = randomUUID().slice(0, 8);
  const password = randomUUID();
  mustStaySecret(password);
  const [owner, api] = [`pathmend_owner_${suffix}`, `pathmend_api_${suffix}`];
  const database = await createTestDatabase();
  // Past a pooler: what a login may do is the server's business.
  const { DATABASE_URL = '', DATABASE_DIRECT_URL: direct = DATABASE_URL } = database.environment;
  const admin = new pg.Client({ connectionString: direct });
  await admin.connect();
  // With what psql would put in.
  const values: Record<string, string> = { owner, api, owner_password: password, api_password: password };
  const script = await readFile(join(sqlFolder(), 'roles.sql'), 'utf8');
  await admin.query(
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
      await database.drop();
      const server = new pg.Client({ connectionString: process.env['TEST_DATABASE_URL'] });
      await server.connect();
      await server.query(`drop role if exists ${owner}; drop role if exists ${api}`);
      await server.end();
    },
  };
}
