import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { ensureWeeks } from '#src/platform/database/maintenance.js';
import { insertSearches, type SearchRow } from '#src/search/store/searches.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { jsonInProcess } from '../../support/commands.js';
import { onServer } from '../../support/database.js';
import { expectError } from '../../support/expect-error.js';
import { sharedService } from '../../support/shared-service.js';
import { connectTo, query, tablesHolding } from '../../support/sql.js';
import { until } from '../../support/until.js';

describe('a project that is deleted meanwhile (on a server only: the embedded database has one session)', () => {
  before(function () {
    if (!onServer()) this.skip();
  });

  it('an upsert is told so with 401, and not with a 500', async () => {
    const { database } = sharedService();
    const project = await sharedService().newProject();
    const administrator = await connectTo(database);
    try {
      await administrator.query('begin');
      await administrator.query('delete from pathmend.projects where project_id = $1', [project.row.project_id]);
      const answer = project.post('/v1/pages/upsert', { url: 'https://shop.example/a', content: 'A page.' });
      await until('the upsert waits for the deletion', async () => {
        // Inside a transaction the list of sessions is else that of the first look.
        await administrator.query('select pg_stat_clear_snapshot()');
        const { rowCount } = await administrator.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rowCount === 1;
      });
      await administrator.query('commit');
      expectError(await answer, 401);
    } finally {
      await administrator.end();
    }
  });

  it('leaves no search behind that is stored while the project is deleted', async () => {
    const { database, service } = sharedService();
    const project = await sharedService().newProject();
    const { project_id } = project.row;
    await ensureWeeks(service.db, new Date(), new Date());
    const signals = new EventEmitter();
    const stored = once(signals, 'stored');
    const looked = once(signals, 'looked');
    const storing = inTransaction(service.db, async (trx) => {
      await insertSearches(trx, [searchOf(project_id)], 1e9);
      signals.emit('stored');
      await looked;
    });
    await stored;
    const deletion = jsonInProcess(['project', 'delete', '--project', project_id, '--yes'], database.environment);
    try {
      await until('the deletion waits for the search', async () => {
        const text = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        return (await query(service, text)).length === 1;
      });
    } finally {
      signals.emit('looked');
    }
    await Promise.all([storing, deletion]);
    await insertSearches(service.db, [searchOf(project_id)], 1e9);
    // The audit log alone says that there was one.
    expect(await tablesHolding(service, project_id)).to.deep.equal(['pathmend.audit_log']);
  });
});

function searchOf(project_id: string): SearchRow {
  return {
    project_id,
    search_id: randomUUID(),
    searched_at: new Date().toISOString(),
    kind: 'search',
    is_test: false,
    input: 'a',
    understood: 'a',
    filtered: false,
    threshold: 0.5,
    results: [],
    best_score: null,
    cached: false,
    took_ms: 1,
    of_others: false,
    redirected: false,
    would_redirect: false,
  };
}
