import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type pg from 'pg';

export interface SqlFile {
  name: string;
  sql: string;
}

/** Functions and views have no history: their files are the truth, and run again when their text changes. */
export async function repeat(client: pg.ClientBase, folder: string): Promise<string[]> {
  const functions = await readSqlFolder(join(folder, 'functions'), 'functions');
  const views = await readSqlFolder(join(folder, 'views'), 'views');
  // What they grant depends on the roles that are there, which an administrator may have made since.
  const roles = await pathmendRoles(client);
  const access = (await readSqlFolder(join(folder, 'access'), 'access')).map((file) => ({ ...file, sql: `${file.sql}-- ${roles}\n` }));
  const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from pathmend.repeatables');
  const before = new Map(rows.map((row) => [row.name, row.sha256]));
  const changed = (file: SqlFile): boolean => before.get(file.name) !== sha256(file.sql);

  const run = functions.filter(changed);
  for (const file of run) await client.query(file.sql);
  if (views.some(changed) || access.some(changed) || (await accessIsMissing(client))) {
    // Views may build on each other, so they are dropped and made anew together.
    // Their names are those of files of this package.
    // eslint-disable-next-line no-restricted-syntax
    for (const view of views) await client.query(`drop view if exists analytics.${basename(view.name, '.sql')} cascade`);
    for (const file of [...views, ...access]) await client.query(file.sql);
    run.push(...views, ...access);
  }
  for (const file of run) {
    await client.query(
      `insert into pathmend.repeatables (name, sha256) values ($1, $2)
       on conflict (name) do update set sha256 = excluded.sha256, run_at = now()`,
      [file.name, sha256(file.sql)],
    );
  }
  return run.map((file) => file.name);
}

/** A backup was restored where the roles were not there yet: what it says was granted could not be. */
async function accessIsMissing(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ missing: boolean }>(
    `select coalesce(bool_or(not has_schema_privilege(to_regrole(a.role)::oid, a.schema, 'usage')), false) as missing
       from (values ('pathmend_analyst', 'analytics'), ('pathmend_service', 'pathmend'), ('pathmend_tenant', 'pathmend')) as a (role, schema)
      where to_regrole(a.role) is not null`,
  );
  return rows[0]?.missing ?? false;
}

async function pathmendRoles(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ roles: string | null }>(
    `select string_agg(rolname, ' ' order by rolname) as roles from pg_roles where rolname in ('pathmend_analyst', 'pathmend_service', 'pathmend_tenant')`,
  );
  return rows[0]?.roles ?? 'none';
}

export async function readSqlFolder(folder: string, prefix = ''): Promise<SqlFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => ({ name: prefix ? `${prefix}/${name}` : name, sql: await readFile(join(folder, name), 'utf8') })),
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
