import { createHash } from 'node:crypto';
import type pg from 'pg';
import { Session, type QueryOptions } from './session.js';
import { settingsFrom } from './settings.js';

/** Generic plans are thrown away after this: the tables that they were made for may have grown since, from nothing. */
const PLANS_FRESH_MS = 10_000;
/** So much of a hash tells a prepared statement from others. */
const NAME_LENGTH = 16;

/**
 * On a server each connection has a session of its own. It is set for whoever it is lent to, in one flight with the
 * statement that needs it, and stays so when it is given back: the next one is often for the same.
 */
export class ServerSession extends Session {
  override async query<Row extends pg.QueryResultRow>(
    text: string,
    values: unknown[] = [],
    { plan }: QueryOptions = {},
  ): Promise<pg.QueryResult<Row>> {
    const generic = plan === 'generic' && !this.inTransaction;
    const settings = this.settingsFor(generic);
    const set = settings.length === 0 ? undefined : this.send({ text: settings.join('; ') });
    const asked = this.send<Row>(generic ? { name: nameOf(text), text, values } : { text, values });
    if (!set) return asked;
    set.catch(() => {
      this.isBroken = true;
    });
    // Where setting it failed, a session that was not set has answered: what it found is thrown away.
    return (await Promise.all([set, asked]))[1];
  }

  private settingsFor(generic: boolean): string[] {
    const { client, terms } = this;
    const wanted = { projectId: terms.projectId, withinMs: terms.withinMs, generic };
    const settings = settingsFrom(client.settings, wanted);
    client.settings = wanted;
    if (generic && performance.now() - client.plansFrom > PLANS_FRESH_MS) {
      client.plansFrom = performance.now();
      settings.push('discard plans');
    }
    return settings;
  }
}

function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, NAME_LENGTH);
}
