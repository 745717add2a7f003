import { expect } from 'chai';
import { commandIndexChanges } from '#src/projects/index-changes.js';
import { judgeGuess } from '#src/search/judge-guess.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { loggedSearches, storedNotFounds } from '../../support/stored-events.js';
import { until } from '../../support/until.js';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const SHOP = 'https://shop.example';
const [RIGHT, WRONG, UNJUDGED] = ['/help/retruns', '/help/delivrey', '/coffee/grindres'] as const;

describe('recovery, split by what people judged', function () {
  this.timeout(60_000);
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
    for (const path of ['/help/returns', '/help/delivery', '/coffee/grinders'])
      await project.upsert({ url: SHOP + path, content: `About ${path.split('/').at(-1) ?? ''}.` });
    await project.indexed();
    for (const path of [RIGHT, RIGHT, RIGHT, WRONG, WRONG, UNJUDGED, `${UNJUDGED}?id=7`]) await visit(SHOP + path);
    await counted(7);
    await judge(RIGHT, true);
    await judge(WRONG, false);
    // Which page the path without its query string means is another question.
    await judge(`${UNJUDGED}?id=7`, true);
  });

  const visit = async (url: string): Promise<void> => {
    const headers = { 'User-Agent': BROWSER };
    const { status } = await project.call('GET', `/v1/proxy?url=${encodeURIComponent(url)}`, undefined, headers);
    expect(status, url).to.equal(302);
  };
  const counted = async (times: number, all = times): Promise<void> => {
    const { service } = sharedService();
    await loggedSearches(service, project.row.project_id, all);
    await storedNotFounds(service, project.row.project_id, all);
    await until('the 404s are counted', async () => Number((await sums('recovery_daily'))['redirected']) === times);
  };
  const judge = async (path: string, isRight: boolean): Promise<void> => {
    const { project_id: id } = project.row;
    const [search] = await project.query<{ search_id: string }>(
      'select search_id from pathmend.searches where project_id = $1 and input = $2',
      path,
    );
    const deps = { db: sharedService().service.db, indexChanges: commandIndexChanges };
    const judged = await judgeGuess(deps, id, { searchId: search?.search_id ?? '', isRight, by: 'ann@example.com' });
    expect(judged).to.equal(path);
  };
  const columns = `sum(hits)::int as hits, sum(redirected)::int as redirected, sum(confirmed)::int as confirmed,
    sum(contradicted)::int as contradicted`;
  async function sums(view: string, path?: string): Promise<Record<string, unknown>> {
    const [row = {}] = await query(
      sharedService().service,
      `select ${columns} from analytics.${view} where project_id = $1 ${path === undefined ? '' : 'and path = $2'}`,
      [project.row.project_id, ...(path === undefined ? [] : [path])],
    );
    return row;
  }

  for (const view of ['recovery_by_path', 'recovery_by_path_all'])
    it(`is in ${view}`, async () => {
      expect(await sums(view, RIGHT)).to.deep.equal({ hits: 3, redirected: 3, confirmed: 3, contradicted: 0 });
      expect(await sums(view, WRONG)).to.deep.equal({ hits: 2, redirected: 2, confirmed: 0, contradicted: 2 });
      expect(await sums(view, UNJUDGED)).to.deep.equal({ hits: 2, redirected: 2, confirmed: 0, contradicted: 0 });
    });

  it('is in recovery_daily, where the origin is known', async () => {
    for (const view of ['recovery_daily', 'recovery_daily_all'])
      expect(await sums(view), view).to.deep.equal({ hits: 7, redirected: 7, confirmed: 3, contradicted: 2 });
    // An origin that redirected nobody leaves no doubt.
    const nowhere = encodeURIComponent('https://other.example/zzyzx-qwfp');
    await project.call('GET', `/v1/proxy?url=${nowhere}`, undefined, { 'User-Agent': BROWSER });
    await until('the 404 is counted', async () => Number((await sums('recovery_daily'))['hits']) === 8);
    for (const view of ['recovery_daily', 'recovery_daily_all'])
      expect(await sums(view), view).to.deep.equal({ hits: 8, redirected: 7, confirmed: 3, contradicted: 2 });
    await visit(`https://other.example${UNJUDGED}`);
    await counted(8, 9);
    for (const view of ['recovery_daily', 'recovery_daily_all'])
      expect(await sums(view), view).to.deep.equal({ hits: 9, redirected: 8, confirmed: null, contradicted: null });
  });

  it('does not count as contradicted what came after the day of the judgement', async () => {
    await project.query(
      "update pathmend.judgements set judged_at = judged_at - interval '1 day' where project_id = $1",
    );
    expect(await sums('recovery_by_path', WRONG)).to.include({ redirected: 2, contradicted: 0 });
    expect(await sums('recovery_by_path', RIGHT)).to.include({ redirected: 3, confirmed: 3 });
  });
});
