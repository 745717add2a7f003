import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type pg from 'pg';

export interface SqlFile {
  name: string;
  sql: string;
}

/**
 * Runs the repeatable files (functions, views, access) whose text changed, or `all` of them. They have no history: the
 * file is the truth.
 */
export async function runRepeatables(client: pg.ClientBase, folder: string, all: boolean): Promise<string[]> {
  const functions = await readSqlFolder(join(folder, 'functions'), 'functions');
  const views = await readSqlFolder(join(folder, 'views'), 'views');
  // Grants depend on the existing roles, and an administrator may have added one since.
  const roles = await listPathmendRoles(client);
  const access = (await readSqlFolder(join(folder, 'access'), 'access')).map((file) => ({
    ...file,
    sql: `${file.sql}-- ${roles}\n`,
  }));
  const { rows } = await client.query<{ name: string; sha256: string }>(
    'select name, sha256 from pathmend.repeatables',
  );
  const before = new Map(rows.map((row) => [row.name, row.sha256]));
  const changed = (file: SqlFile): boolean => all || before.get(file.name) !== sha256(file.sql);

  const run = functions.filter(changed);
  for (const file of run) await runStatements(client, file.sql);
  const viewsWereChanged = async (): Promise<boolean> => before.get(VIEWS) !== (await hashViews(client));
  if (views.some(changed) || access.some(changed) || (await viewsWereChanged())) {
    // Views may use each other, so all are dropped and created together.
    for (const view of views) {
      // The name is that of a file of this package.
      // eslint-disable-next-line no-restricted-syntax
      await client.query(`drop view if exists analytics.${basename(view.name, '.sql')} cascade`);
    }
    for (const file of [...views, ...access]) await runStatements(client, file.sql);
    run.push(...views, ...access);
    await storeHash(client, VIEWS, await hashViews(client));
  }
  for (const file of run) await storeHash(client, file.name, sha256(file.sql));
  return run.map((file) => file.name);
}

async function storeHash(client: pg.ClientBase, name: string, hash: string): Promise<void> {
  await client.query(
    `insert into pathmend.repeatables (name, sha256) values ($1, $2)
     on conflict (name) do update set sha256 = excluded.sha256, run_at = now()`,
    [name, hash],
  );
}

/** Row of the hash of the view definitions, as this version of the server prints them. */
const VIEWS = 'analytics';

async function hashViews(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ text: string | null }>(
    `select string_agg(c.relname || pg_get_viewdef(c.oid), '' order by c.relname) as text
       from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'analytics' and c.relkind = 'v'`,
  );
  return sha256(rows[0]?.text ?? '');
}

async function listPathmendRoles(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ roles: string | null }>(
    `select string_agg(rolname, ' ' order by rolname) as roles from pg_roles where rolname in ('pathmend_analyst', 'pathmend_project_analyst', 'pathmend_service', 'pathmend_tenant')`,
  );
  return rows[0]?.roles ?? 'none';
}

export async function readSqlFolder(folder: string, prefix = ''): Promise<SqlFile[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => ({
      name: prefix ? `${prefix}/${name}` : name,
      sql: await readFile(join(folder, name), 'utf8'),
    })),
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What a semicolon may stand in without ending a statement: comments, texts, quoted names, bodies in dollars. */
const PART = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|[^;'"$/-]+|[^;]/y;

/**
 * Runs a file of `db`, statement by statement. Citus sends a change of a distributed table on to its workers with the
 * text that it came in, and refuses one that holds more ("cannot insert multiple commands into a prepared statement").
 */
export async function runStatements(client: pg.ClientBase, sql: string): Promise<void> {
  for (const statement of splitStatements(sql)) await client.query(statement);
}

/**
 * The statements of a file of `db`, each with the comments before it and without its semicolon. Bodies of functions
 * stand in dollars there, never in `begin atomic`.
 */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let from = 0;
  let saysSomething = false;
  const end = (at: number): void => {
    if (saysSomething) statements.push(sql.slice(from, at).trim());
    from = at + 1;
    saysSomething = false;
  };
  for (let at = 0; at < sql.length;) {
    PART.lastIndex = at;
    const part = PART.exec(sql)?.[0];
    if (part === undefined) end(at);
    else saysSomething ||= !/^(?:--|\/\*|\s+$)/.test(part);
    at += part?.length ?? 1;
  }
  end(sql.length);
  return statements;
}
