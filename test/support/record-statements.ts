import { appendFileSync } from 'node:fs';
import type pg from 'pg';
import { Session } from '#src/platform/database/session/session.js';

/** PostgreSQL's description of the columns of an answer. */
export interface RecordedStatement {
  text: string;
  columns: { name: string; type: number }[];
}

/**
 * Adds a line of JSON to a file for each text of a statement that this process runs and that answers with columns. For
 * scripts/lab/statements.ts.
 */
export function recordStatements(file: string): void {
  const known = new Set<string>();
  // Called with the session below.
  // eslint-disable-next-line @typescript-eslint/unbound-method
  const { query } = Session.prototype;
  Session.prototype.query = async function record<Row extends pg.QueryResultRow>(
    this: Session,
    ...args: Parameters<typeof query>
  ) {
    const answer = await query.call<Session, Parameters<typeof query>, Promise<pg.QueryResult<Row>>>(this, ...args);
    const [text] = args;
    // Several statements in one text have several answers.
    if (!known.has(text) && !Array.isArray(answer)) {
      known.add(text);
      const columns = answer.fields.map(({ name, dataTypeID: type }) => ({ name, type }));
      appendFileSync(file, `${JSON.stringify({ text, columns } satisfies RecordedStatement)}\n`);
    }
    return answer;
  };
}
