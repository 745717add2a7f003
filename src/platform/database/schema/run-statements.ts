import type pg from 'pg';

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
