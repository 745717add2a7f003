import type pg from 'pg';
import { nameOf, plansAreOld } from './kept-plans.js';
import { Session, type QueryOptions } from './session.js';
import { settingsFrom } from './session-settings.js';

/**
 * For connections that keep no session between transactions: all to the embedded database share one session, a pooler
 * gives each transaction another, and Citus hands a transaction's settings to its nodes, not a session's. Each
 * transaction first sets what it needs until its end. Each single statement of a tenant, or with a deadline, is such a
 * transaction. So nothing is left behind for whoever is next.
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
    const generic = (isBegin ? this.terms.plan : plan) === 'generic' && this.client.keepsPlans;
    const query = generic && !isBegin ? { name: nameOf(text), text, values } : { text, values };
    if (isBare) return this.send<Row>(this.inTransaction ? query : { text, values });
    const begun = this.sendBegin(generic);
    if (isBegin) return (await begun).at(-1) as pg.QueryResult<Row>;
    // Sent together. If the first or the second fails, `commit` rolls back.
    const rest = Promise.all([this.send<Row>(query), this.send({ text: 'commit' })]);
    rest.catch(() => undefined);
    // Awaited first: where this fails, what follows can only tell that the transaction is aborted.
    await begun;
    return (await rest)[0];
  }

  /** Begins a transaction and sets what it needs. */
  private sendBegin(generic: boolean): Promise<pg.QueryResult[]> {
    const { client, terms } = this;
    const settings = settingsFrom({}, { projectId: terms.projectId, withinMs: terms.withinMs, generic }, 'local');
    const texts = client.isDistributed
      ? inOrderOfCitus(settings, client.ofTransactions)
      : [['begin', ...client.ofTransactions, ...settings, ...(generic ? plansAreOld(client) : [])].join('; ')];
    return Promise.all(texts.map((text) => this.send({ text })));
  }
}

/**
 * Statements of their own: Citus hands on the whole text in which it meets a setting. The role before it is told to
 * hand settings on: it goes to a node as this role anyway, and what runs with its owner's rights must go as the owner.
 */
function inOrderOfCitus(settings: readonly string[], ofTransactions: readonly string[]): string[] {
  const each = settings.flatMap((text) => text.split('; '));
  const isRole = (text: string): boolean => /^set local role /.test(text);
  return ['begin', ...each.filter(isRole), ...ofTransactions, ...each.filter((text) => !isRole(text))];
}
