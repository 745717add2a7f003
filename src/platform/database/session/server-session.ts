import type pg from 'pg';
import { nameOf, plansAreOld } from './kept-plans.js';
import { Session, type QueryOptions } from './session.js';
import { settingsFrom } from './session-settings.js';

/**
 * A connection with a session of its own. Its settings are sent together with the first statement that needs them, and
 * stay when it is given back: the next checkout often needs the same.
 */
export class ServerSession extends Session {
  protected override async ask<Row extends pg.QueryResultRow>(
    text: string,
    values: unknown[] = [],
    { plan }: QueryOptions = {},
  ): Promise<pg.QueryResult<Row>> {
    const generic = plan === 'generic';
    // Inside a transaction they are as they were when it began: a rollback would undo a change.
    const settings = this.inTransaction ? [] : this.settingsFor(generic || this.terms.plan === 'generic');
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
    return generic ? [...settings, ...plansAreOld(client)] : settings;
  }
}
