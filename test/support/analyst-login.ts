import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { jsonInProcess } from './commands.js';
import { mustStaySecret } from './said-aloud.js';
import type { TestService } from './service.js';
import { query } from './sql.js';

/** An analyst of one project, as `analyst create` makes it. */
export interface AnalystLogin {
  name: string;
  /** The connection string that was printed; undefined on the embedded database, which has no logins. */
  url: string | undefined;
  /** In a transaction with the analyst's rights, which is undone unless it `keeps` what it did. */
  ask<T>(work: (client: pg.ClientBase) => Promise<T>, keeps?: 'keeps'): Promise<T>;
  /** Removes it with all that it has. */
  leave(): Promise<void>;
}

export async function createAnalystLogin(test: TestService, projectId: string): Promise<AnalystLogin> {
  const name = `ann_${randomUUID().slice(0, 8)}`;
  let url: string | undefined;
  if (test.database.kind === 'server') {
    const create = ['analyst', 'create', name, '--project', projectId];
    url = ((await jsonInProcess(create, test.database.environment)) as { url: string }).url;
    mustStaySecret(new URL(url).password);
  } else await query(test.service, 'select pathmend.make_analyst($1, $2)', [name, projectId]);
  const login = url === undefined ? undefined : new pg.Client({ connectionString: url });
  await login?.connect();
  return {
    name,
    url,
    ask: async (work, keeps) => {
      const client = login ?? (await test.service.database.connection.pool.connect());
      let end = 'rollback';
      try {
        // The only session of the embedded database becomes the role for this transaction.
        await client.query(`begin; set local role ${name}`);
        const result = await work(client);
        if (keeps) end = 'commit';
        return result;
      } finally {
        await client.query(end);
        if (client !== login) (client as pg.PoolClient).release();
      }
    },
    leave: async () => {
      await login?.end();
      for (const statement of [`drop owned by ${name} cascade`, `drop role ${name}`])
        await query(test.service, statement);
    },
  };
}
