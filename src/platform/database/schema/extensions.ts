import type pg from 'pg';
import { OperatorError } from '../../../base/errors.js';
import { EXTENSIONS } from './preconditions.js';

/** Creates missing extensions. */
export async function createExtensions(client: pg.ClientBase): Promise<void> {
  try {
    await client.query(
      `create extension if not exists vector;
       create extension if not exists fuzzystrmatch;
       create extension if not exists btree_gin`,
    );
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
 * function: the schemas of the extensions, then pg_temp. When pg_temp is not named, it comes first, and anybody can
 * create objects in it.
 */
export async function setSearchPath(client: pg.ClientBase): Promise<void> {
  await client.query(
    `select set_config('search_path', string_agg(distinct quote_ident(n.nspname), ', ') || ', pg_temp', true)
       from pg_extension e join pg_namespace n on n.oid = e.extnamespace
      where e.extname = any ($1::text[])`,
    [EXTENSIONS],
  );
}
