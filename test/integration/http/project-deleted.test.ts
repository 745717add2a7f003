import { onServer } from '../../support/database.js';
import { expectError } from '../../support/expect-error.js';
import { sharedService } from '../../support/shared-service.js';
import { connectTo } from '../../support/sql.js';
import { until } from '../../support/until.js';

describe('an upsert whose project is deleted meanwhile (on a server only: the embedded database has one session)', () => {
  before(function () {
    if (!onServer()) this.skip();
  });

  it('is told so with 401, and not with a 500', async () => {
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
});
