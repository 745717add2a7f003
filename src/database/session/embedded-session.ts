import type pg from 'pg';
import { Session } from './session.js';
import { becomeTenant } from './session-settings.js';

/**
 * All connections to the embedded database share one session, so the session cannot keep a tenant's settings. Each
 * transaction of a tenant sets them first, and each single statement is such a transaction.
 */
export class EmbeddedSession extends Session {
  override async query<Row extends pg.QueryResultRow>(
    text: string,
    values: unknown[] = [],
  ): Promise<pg.QueryResult<Row>> {
    const { projectId } = this.terms;
    if (projectId === undefined || this.inTransaction) return this.send<Row>({ text, values });
    const begin = `begin; ${becomeTenant(projectId, 'local')}`;
    if (text === 'begin') return this.send<Row>({ text: begin });
    // Sent together. If the first or the second fails, `commit` rolls back.
    const [, result] = await Promise.all([
      this.send({ text: begin }),
      this.send<Row>({ text, values }),
      this.send({ text: 'commit' }),
    ]);
    return result;
  }
}
