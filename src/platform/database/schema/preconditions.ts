import type pg from 'pg';
import { OperatorError } from '../../../base/errors.js';

const MIN_SERVER_VERSION = 150_000;
const MIN_PGVECTOR = '0.8.0';
const MIN_SAFE_PGVECTOR = '0.8.6';
export const EXTENSIONS = ['vector', 'fuzzystrmatch', 'btree_gin'];

/** Compares dotted versions; negative when `a` is older. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let i = 0; i < 3; i++) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** A warning about a pgvector that works but has known bugs; undefined when it has none. */
export function pgvectorWarning(version: string): string | undefined {
  if (compareVersions(version, MIN_SAFE_PGVECTOR) >= 0) return undefined;
  return (
    `pgvector ${version} has known holes that ${MIN_SAFE_PGVECTOR} closes: CVE-2026-3172 (buffer overflow in parallel ` +
    'HNSW builds) and index repairs that vacuum can lose. Please update it.'
  );
}

/** Checks that pathmend can run on a database. Returns warnings. @throws OperatorError when it cannot */
export async function checkPreconditions(client: pg.ClientBase): Promise<string[]> {
  const { rows: servers } = await client.query<{ number: string; version: string }>(
    `select current_setting('server_version_num') as number, current_setting('server_version') as version`,
  );
  const server = servers[0];
  if (!server || Number(server.number) < MIN_SERVER_VERSION)
    throw new OperatorError(`PostgreSQL ${server?.version ?? ''} is too old: pathmend needs PostgreSQL 15 or later.`);
  const { rows: extensions } = await client.query<{ name: string; version: string }>(
    `select name, coalesce(installed_version, default_version) as version from pg_available_extensions
      where name = any ($1::text[])`,
    [EXTENSIONS],
  );
  const versions = new Map(extensions.map((extension) => [extension.name, extension.version]));
  const missing = EXTENSIONS.filter((name) => !versions.has(name));
  if (missing.length > 0)
    throw new OperatorError(
      `The PostgreSQL server lacks the extension${missing.length > 1 ? 's' : ''} ${missing.join(', ')}. ` +
        'Install pgvector and the contrib package on it (the image pgvector/pgvector has all of them).',
    );
  const pgvector = versions.get('vector') ?? '0';
  if (compareVersions(pgvector, MIN_PGVECTOR) < 0)
    throw new OperatorError(
      `pgvector ${pgvector} is too old: pathmend needs ${MIN_PGVECTOR} or later. ` +
        'If a newer one is installed on the server, run `alter extension vector update`.',
    );
  const warning = pgvectorWarning(pgvector);
  return warning === undefined ? [] : [warning];
}

/** Creates missing extensions. */
export async function createExtensions(client: pg.ClientBase): Promise<void> {
  try {
    await client.query(EXTENSIONS.map((name) => `create extension if not exists ${name}`).join('; '));
  } catch (error) {
    throw new OperatorError(
      'The extensions vector, fuzzystrmatch and btree_gin could not be created with this database role: ' +
        'ask an administrator to run `create extension` for them once, or give the role `create` on the database.',
      { cause: error },
    );
  }
}

/**
 * Sets the search path of this transaction, and by `set search_path from current` that of every security definer
 * function: the schemas of the extensions, then pg_temp. Unnamed, pg_temp comes first, where anybody can create
 * objects.
 */
export async function setSearchPath(client: pg.ClientBase): Promise<void> {
  await client.query(
    `select set_config('search_path', string_agg(distinct quote_ident(n.nspname), ', ') || ', pg_temp', true)
       from pg_extension e join pg_namespace n on n.oid = e.extnamespace
      where e.extname = any ($1::text[])`,
    [EXTENSIONS],
  );
}
