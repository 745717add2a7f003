import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type pg from 'pg';
import { messageOf, OperatorError } from '../../../base/errors.js';
import { sqlState } from '../session/database-errors.js';
import { runStatements, type SqlFile } from './statements.js';

/** A view of pathmend, or a view or materialized view that others built on such a view (db/read_views.sql). */
export interface View {
  oid: number;
  name: string;
  kind: string;
  ours: boolean;
  depth: number;
  owner: string;
  /** Whether this role may drop the view, and make it again for its owner. */
  makeable: boolean;
  /** The names of the views in this list that the view reads. */
  uses: string[];
  /** The statements that make the view as it was; for a view of pathmend, those for what others added to it. */
  again: string[];
}

export function viewOf({ name }: SqlFile): string {
  return `analytics.${basename(name, '.sql')}`;
}

/** Sorts the files of views, so that each comes after those that it reads. */
export function sortViews(files: readonly SqlFile[]): SqlFile[] {
  const sorted = new Set<SqlFile>();
  const add = (file: SqlFile): void => {
    const reads = new Set(file.sql.match(/analytics\.\w+/g));
    for (const other of files) if (other !== file && reads.has(viewOf(other)) && !sorted.has(other)) add(other);
    sorted.add(file);
  };
  files.forEach(add);
  return [...sorted];
}

/** Reads the views of the files, and the views that are built on them, as they are now. */
export async function readViews(client: pg.ClientBase, folder: string, files: readonly SqlFile[]): Promise<View[]> {
  const text = await readFile(join(folder, 'read_views.sql'), 'utf8');
  return (await client.query<View>(text, [files.map(viewOf)])).rows;
}

/** The code is invalid_table_definition: a column is renamed, dropped, or gets another type. */
const OTHER_COLUMNS = '42P16';

/**
 * Changes a view in place: what others built and granted on it stays. If its columns forbid that, it is made anew.
 * @returns the views that were dropped for that, including this one
 * @throws OperatorError that names the views that this role cannot make again
 */
export async function replaceView(client: pg.ClientBase, file: SqlFile, views: readonly View[]): Promise<View[]> {
  await client.query('savepoint before_view');
  try {
    await runStatements(client, file.sql.replace(/^create view/m, 'create or replace view'));
    await client.query('release before_view');
    return [];
  } catch (error) {
    if (sqlState(error) !== OTHER_COLUMNS) throw error;
    await client.query('rollback to before_view');
  }
  const dropped = new Set([viewOf(file)]);
  // The views are in the order of their depth: all views that a view reads come before it.
  for (const { name, uses } of views) if (uses.some((used) => dropped.has(used))) dropped.add(name);
  const toDrop = views.filter(({ name }) => dropped.has(name));
  const foreign = toDrop.filter(({ makeable }) => !makeable).map(({ name, owner }) => `${name} (of ${owner})`);
  if (foreign.length > 0)
    throw new OperatorError(
      `${viewOf(file)} gets other columns, and this role cannot make again what uses it: ${foreign.join(', ')}. ` +
        'Nothing was changed. Grant this role membership in their owners, or keep their definitions (`pg_get_viewdef`) ' +
        'and drop them; then run `migrate` again.',
    );
  for (const { kind, name } of toDrop.toReversed()) await runStatements(client, `drop ${kind} ${name}`);
  await runStatements(client, file.sql);
  return toDrop;
}

/** @throws OperatorError when what it reads is no longer there */
export async function makeAgain(client: pg.ClientBase, { name, owner, again }: View): Promise<void> {
  try {
    // db/read_views.sql quotes the owner.
    // eslint-disable-next-line no-restricted-syntax
    await client.query(`set local role ${owner}`);
    for (const statement of again) await client.query(statement);
    await client.query('reset role');
  } catch (error) {
    throw new OperatorError(
      `${name} cannot be made again on the views of this release: ${messageOf(error)}. Nothing was changed. ` +
        'Keep its definition (`pg_get_viewdef`) and drop it, run `migrate` again, then make it for the new columns.',
      { cause: error },
    );
  }
}
