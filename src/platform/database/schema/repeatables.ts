import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type pg from 'pg';
import { readSqlFolder, runStatements, type SqlFile } from './statements.js';
import { makeAgain, readViews, replaceView, sortViews, viewOf, type View } from './views.js';

/**
 * Runs the repeatable files (functions, views, access) whose text changed, or `all` of them. They have no history: the
 * file is the truth. What others made on these views stays. `before` has the views before any migration.
 * @returns the names of the files, and of the views of others that had to be made again.
 */
export async function runRepeatables(client: pg.ClientBase, folder: string, all: boolean, before: readonly View[]) {
  const functions = await readSqlFolder(join(folder, 'functions'), 'functions');
  const views = sortViews(await readSqlFolder(join(folder, 'views'), 'views'));
  // Grants depend on the existing roles, and an administrator may have added one since.
  const roles = await listPathmendRoles(client);
  const access = (await readSqlFolder(join(folder, 'access'), 'access')).map((file) => ({
    ...file,
    sql: `${file.sql}-- ${roles}\n`,
  }));
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from pathmend.repeatables',
  );
  const stored = new Map(rows.map((row) => [row.name, row.sha256]));
  const changed = ({ name, sql }: SqlFile): boolean => all || stored.get(name) !== sha256(sql);
  const ran: string[] = [];
  const run = async (file: SqlFile, how: () => Promise<unknown> = () => runStatements(client, file.sql)) => {
    await how();
    await storeHash(client, file.name, sha256(file.sql));
    ran.push(file.name);
  };

  for (const file of functions.filter(changed)) await run(file);
  const wereChanged = stored.get(VIEWS) !== (await hashViews(client, views));
  const dropped: View[] = [];
  for (const file of views)
    if (changed(file) || wereChanged || dropped.some(({ name }) => name === viewOf(file)))
      await run(file, async () => dropped.push(...(await replaceView(client, file, before))));
  const viewsRan = ran.some((name) => name.startsWith('views/'));
  // A view that was made anew has no grants.
  for (const file of access) if (changed(file) || (viewsRan && file.name === 'access/analyst.sql')) await run(file);
  if (!viewsRan) return ran;
  await storeHash(client, VIEWS, await hashViews(client, views));
  const now = new Set((await readViews(client, folder, views)).map(({ oid }) => oid));
  const lost = before.filter(({ oid, ours }) => ours && !now.has(oid));
  const built = dropped.filter(({ ours }) => !ours);
  // The owner of a materialized view needs rights on our views to read them, so our views are made first.
  for (const view of [...lost, ...built]) await makeAgain(client, view);
  return [...ran, ...built.map(({ kind, name }) => `${kind} ${name}`)];
}

async function storeHash(client: pg.ClientBase, name: string, hash: string): Promise<void> {
  await client.query(
    `insert into pathmend.repeatables (name, sha256) values ($1, $2)
     on conflict (name) do update set sha256 = excluded.sha256, run_at = now()`,
    [name, hash],
  );
}

/** The row with the hash of the view definitions, as this version of the server prints them. */
const VIEWS = 'analytics';

async function hashViews(client: pg.ClientBase, views: readonly SqlFile[]): Promise<string> {
  const { rows } = await client.query<{ text: string | null }>(
    `select string_agg(c.relname || pg_get_viewdef(c.oid), '' order by c.relname) as text
       from unnest($1::text[]) as name join pg_class c on c.oid = to_regclass(name) and c.relkind = 'v'`,
    [views.map(viewOf)],
  );
  return sha256(rows[0]?.text ?? '');
}

async function listPathmendRoles(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ roles: string | null }>(
    `select string_agg(rolname, ' ' order by rolname) as roles from pg_roles where rolname in ('pathmend_analyst', 'pathmend_project_analyst', 'pathmend_service', 'pathmend_tenant')`,
  );
  return rows[0]?.roles ?? 'none';
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
