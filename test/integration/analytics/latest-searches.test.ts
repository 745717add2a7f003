import { expect } from 'chai';
import { selectPagesShown } from '#src/analytics/store/missing-path.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { query } from '../../support/sql.js';

/** The latest ten of these and the earliest fifty are for the path. */
const SEARCHES = 10_050;

describe('the latest searches of a project', () => {
  let testService: TestService;
  let project: TestProject;

  before(async () => {
    testService = await startTestService({}, { role: 'api' });
    project = await testService.newProject();
    await project.upsert({ url: 'https://tea.example/kettle', content: 'Kettles.' });
    await query(testService.service, `select pathmend.ensure_weeks(now() - interval '1 day', now())`);
    const id = [project.row.project_id];
    await query(
      testService.service,
      `insert into pathmend.searches (project_id, search_id, searched_at, kind, is_test, input, understood, filtered, threshold, results, cached, took_ms)
       select $1, gen_random_uuid(), now() - n * interval '1 ms', 'suggest', false, case when n > 10 and n <= 10000 then '/other' else '/gone' end,
              '/gone', false, 0.5, jsonb_build_array(jsonb_build_object('page_id', p.page_id, 'url', p.url, 'score', case n when 1 then 0.5 else 0.9 end)), false, 1
         from generate_series(1, ${SEARCHES}) as n, pathmend.pages p where p.project_id = $1`,
      id,
    );
    await query(
      testService.service,
      `insert into pathmend.history_days (project_id, day, what, bytes, stored, not_kept)
       select $1, (searched_at at time zone 'UTC')::date, 'searches', 1, count(*), 0 from pathmend.searches where project_id = $1 group by 2`,
      id,
    );
  });

  after(() => testService.stop());

  it('are ten thousand by their time, and a page has its score of the last', async () => {
    const { db } = testService.service.database.connection;
    const [shown, ...more] = await selectPagesShown(db, project.row.project_id, '/gone', 5);
    expect(more).to.deep.equal([]);
    expect(shown).to.include({ url: 'https://tea.example/kettle', shown: 10, place: 1, score: 0.5, clicks: 0 });
  });
});
