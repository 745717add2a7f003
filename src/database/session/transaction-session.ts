import type pg from 'pg';
import { nameOf, plansAreOld } from './kept-plans.js';
import { Session, type QueryOptions } from './session.js';
import { settingsFrom } from './session-settings.js';

/**
 * For connections that keep no session between transactions: all to the embedded database share one session, and a
 * pooler gives each transaction another. Each transaction first sets what it needs until its end, and each single
 * statement of a tenant, or with a deadline, is such a transaction. So nothing is left behind for whoever is next.
 */
export class TransactionSession extends Session {
  protected override async ask<Row extends pg.QueryResultRow>(
    text: string,
    values: unknown[] = [],
    { plan }: QueryOptions = {},
  ): Promise<pg.QueryResult<Row>> {
    const { projectId, withinMs } = this.terms;
    const isBegin = text === 'begin';
    // Statements of pg-boss bring their own transactions, and some, such as `vacuum`, take none.
    const isBare = this.inTransaction || (projectId === undefined && withinMs === undefined && !isBegin);
    if (isBare) return this.send<Row>({ text, values });
    const generic = plan === 'generic' && this.client.keepsPlans;
    const begin = this.begins(generic);
    if (isBegin) return this.send<Row>({ text: begin });
    // Sent together. If the first or the second fails, `commit` rolls back.
    const [, result] = await Promise.all([
      this.send({ text: begin }),
      this.send<Row>(generic ? { name: nameOf(text), text, values } : { text, values }),
      this.send({ text: 'commit' }),
    ]);
    return result;
  }

  private begins(generic: boolean): string {
    const { client, terms } = this;
    const settings = settingsFrom({}, { projectId: terms.projectId, withinMs: terms.withinMs, generic }, 'local');
    return ['begin', ...client.ofTransactions, ...settings, ...(generic ? plansAreOld(client) : [])].join('; ');
  }
}
