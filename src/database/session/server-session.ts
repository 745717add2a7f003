import { createHash } from 'node:crypto';
import type pg from 'pg';
import { Session, type QueryOptions } from './session.js';
import { settingsFrom } from './session-settings.js';

/** Generic plans are discarded at this age: their tables may have grown from nothing since. */
const MAX_PLAN_AGE_MS = 10_000;
/** Hexadecimal digits of a statement's hash. */
const NAME_LENGTH = 16;

/**
 * On a server each connection has its own session. Its settings are sent together with the first statement that needs
 * them, and stay when it is given back: the next checkout often needs the same.
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
    // If the settings failed, the statement ran without them: its result is discarded.
    return (await Promise.all([set, asked]))[1];
  }

  private settingsFor(generic: boolean): string[] {
    const { client, terms } = this;
    const wanted = { projectId: terms.projectId, withinMs: terms.withinMs, generic };
    const settings = settingsFrom(client.settings, wanted);
    client.settings = wanted;
    if (generic && performance.now() - client.plansFrom > MAX_PLAN_AGE_MS) {
      client.plansFrom = performance.now();
      settings.push('discard plans');
    }
    return settings;
  }
}

function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, NAME_LENGTH);
}
