import pg from 'pg';
import { hashKey, mintKey } from '#src/projects/api-key.js';

/** What a project has rows in. */
const TABLES = ['pages', 'indexed_pages', 'passages', 'page_terms', 'vocabulary', 'rules', 'index_versions'];
const STEP = 2_000;

/**
 * Projects with the rows of one that was really indexed, and a key each; returns the keys. Foreign keys are not looked
 * up meanwhile: that would take longer than all else.
 */
export async function makeProjects(url: string, template: string, from: number, count: number): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set session_replication_role = replica');
  const columns = new Map<string, string>();
  for (const table of TABLES) columns.set(table, await columnsOf(client, table));
  const keys: string[] = [];
  for (let made = 0; made < count; made += STEP) {
    const { rows } = await client.query<{ project_id: string }>(
      `insert into pathmend.projects (name, model_id, plan, read_rate, read_burst, write_rate, write_burst)
       select 'site ' || lpad(n::text, 6, '0'), model_id, 'enterprise', 1e6, 1e6, 1e6, 1e6
         from pathmend.projects, generate_series($2::int, $3::int) as n where project_id = $1
       returning project_id`,
      [template, from + made, from + Math.min(count, made + STEP) - 1],
    );
    const ids = rows.map((row) => row.project_id);
    for (const [table, list] of columns)
      await client.query(
        `insert into pathmend.${table} (project_id, ${list})
         select i.id, ${list} from unnest($2::uuid[]) as i (id), pathmend.${table} t where t.project_id = $1
          order by i.id`,
        [template, ids],
      );
    const minted = ids.map(() => mintKey('live'));
    await client.query(
      `insert into pathmend.api_keys (project_id, key_hash, ending, mode, scopes)
       select id, hash, ending, 'live', '{read,write}' from unnest($1::uuid[], $2::bytea[], $3::text[]) as k (id, hash, ending)`,
      [ids, minted.map(hashKey), minted.map((key) => key.slice(-4))],
    );
    keys.push(...minted);
  }
  await client.end();
  return keys;
}

/** As they stand in a list: all but the project, the order of arrival, and what is made of others. */
async function columnsOf(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname not in ('project_id', 'arrival')
        and attgenerated = '' and attidentity = ''`,
    [`pathmend.${table}`],
  );
  return rows.map(({ name }) => `"${name}"`).join(', ');
}
