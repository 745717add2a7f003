import type pg from 'pg';
import { Session } from './session.js';
import { becomeTenant } from './settings.js';

/**
 * All connections to the embedded database share one session, which cannot be set for one of them: every transaction of
 * a tenant becomes the tenant first, and every other statement is such a transaction.
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
    // In one flight. What fails makes a roll-back of the commit, and of what comes before that fail as well.
    const [, result] = await Promise.all([
      this.send({ text: begin }),
      this.send<Row>({ text, values }),
      this.send({ text: 'commit' }),
    ]);
    return result;
  }
}
