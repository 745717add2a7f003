import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { messageOf, OperatorError } from '../../../base/errors.js';
import { sqlState } from '../session/database-errors.js';

export interface SqlFile {
  name: string;
  sql: string;
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

/** A semicolon may stand in these without ending a statement: comments, texts, quoted names, bodies in dollars. */
const PART = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|[^;'"$/-]+|[^;]/y;

/**
 * Runs a file of `db`, statement by statement. Citus sends a change of a distributed table on to its workers with the
 * text that it came in, and refuses one that holds more ("cannot insert multiple commands into a prepared statement").
 */
export async function runStatements(client: pg.ClientBase, sql: string): Promise<void> {
  try {
    for (const statement of splitStatements(sql)) await client.query(statement);
  } catch (error) {
    throw explainDependents(error) ?? error;
  }
}

/** Codes: dependent_objects_still_exist, and feature_not_supported where a view reads a column whose type changes. */
const IS_USED = new Set(['2BP01', '0A000']);

/** Objects of others may stand in the way. They are named, and never dropped. */
function explainDependents(error: unknown): OperatorError | undefined {
  const detail = error instanceof Error && 'detail' in error && typeof error.detail === 'string' ? error.detail : '';
  if (!IS_USED.has(sqlState(error) ?? '') || !detail.includes(' depends on ')) return undefined;
  return new OperatorError(
    `The schema cannot be changed, since what others built uses it (${messageOf(error)}):\n  ${detail.replaceAll('\n', '\n  ')}\n` +
      'Nothing was changed. Keep the definitions of these (`pg_get_viewdef`, `pg_get_functiondef`) and drop them, ' +
      'run `migrate` again, then make them again.',
    { cause: error },
  );
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
