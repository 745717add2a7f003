import type pg from 'pg';
import { OperatorError } from '../../../base/errors.js';
import type { SqlFile } from './repeatables.js';
import { runStatements } from './run-statements.js';

/** Applies missing migrations and returns their names. */
export async function applyMigrations(client: pg.ClientBase, known: SqlFile[]): Promise<string[]> {
  const { rows } = await client.query<{ number: number; name: string }>(
    'select number, name from pathmend.migrations order by number',
  );
  if (rows.length > known.length) {
    throw new OperatorError(
      `The database has schema version ${rows.length} (${rows.at(-1)?.name ?? ''}), newer than this release knows ` +
        `(${known.length}). Run the release that wrote it, or a later one.`,
    );
  }
  const applied: string[] = [];
  for (const [index, file] of known.entries()) {
    const done = rows[index];
    if (done && done.name !== file.name) {
      throw new OperatorError(
        `Migration ${index + 1} is ${done.name} in the database but ${file.name} in this release.`,
      );
    }
    if (done) continue;
    // The row first: a conflict with another migrator shows before any work is done.
    await client.query('insert into pathmend.migrations (number, name) values ($1, $2)', [index + 1, file.name]);
    await runStatements(client, file.sql);
    applied.push(file.name);
  }
  return applied;
}

/** The number of the newest applied migration. */
export async function newestMigration(client: pg.ClientBase): Promise<number | null> {
  const { rows } = await client.query<{ newest: number | null }>(
    'select max(number) as newest from pathmend.migrations',
  );
  return rows[0]?.newest ?? null;
}
