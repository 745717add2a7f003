import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { readAnsweringModel } from '#src/projects/project-model.js';
import { listProposals } from '#src/rules/proposals/proposals.js';
import { proposeRules } from '#src/rules/proposals/propose-rules-job.js';
import { rankForPathByContent } from '#src/search/candidates/rank-for-query.js';
import { parseCalibration } from '#src/search/ranking/scores/calibration.js';
import { ALL_PAGES } from '#src/search/store/space.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { eraseLearnedClicks } from '#src/rules/learn-clicks.js';
import { runMaintenance } from '#src/operations/maintenance-job.js';
import { jsonInProcess } from '../../support/commands.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { loggedSearches, storedClicks } from '../../support/stored-events.js';
import { until } from '../../support/until.js';

const SITE = 'https://shop.example';
/** It means the question of {@link NEXT}, in other words. */
const CLICKED = 'How long until I get my money back?';
const NEXT = 'how long until the money is back';

describe('a question that visitors asked and clicked before', () => {
  let project: TestProject;
  let searches = 0;
  let clicks = 0;

  beforeEach(async () => {
    project = await sharedService().newProject();
    searches = 0;
    clicks = 0;
    await project.upsert({ url: `${SITE}/refunds`, content: 'Refunds are paid to your card within ten working days.' });
    await project.upsert({ url: `${SITE}/coins`, content: 'Money through the ages: how long coins are in use.' });
    await project.upsert({ url: `${SITE}/ships`, content: 'Parcels travel by ship and by train.' });
    await project.indexed();
  });

  async function search(question: string): Promise<{ id: string; urls: string[]; clicked: number[] }> {
    const options = { searchThreshold: 0, explain: true };
    const { body } = await project.post('/v1/semantic-search', { query: question, options });
    await loggedSearches(sharedService().service, project.row.project_id, ++searches);
    const suggestions = body.suggestions as { url: string; explanation: { evidence: Record<string, number> } }[];
    return {
      id: body.search_id,
      urls: suggestions.map(({ url }) => url),
      clicked: suggestions.map(({ explanation }) => explanation.evidence['clicked'] ?? 0),
    };
  }

  /** Asks and clicks so many times, and waits until that is learned. */
  async function askAndClick(question: string, url: string, times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      const { id } = await search(question);
      await project.post('/v1/events', { search_id: id, clicked_url: url, clicked_rank: 1, raw_path: question });
      await storedClicks(sharedService().service, project.row.project_id, ++clicks);
    }
    await until('the questions are embedded', async () => {
      const open = await project.query(
        `select from pgboss.job where name = 'embed-questions' and singleton_key = $1::text and state < 'completed'`,
      );
      return open.length === 0;
    });
  }

  const vectors = async (): Promise<number> =>
    (await project.query('select from pathmend.clicked_questions where project_id = $1 and embedding is not null'))
      .length;

  it('moves the page that they chose up for the next question that means the same', async () => {
    expect((await search(NEXT)).urls[0]).to.equal('/coins');
    await askAndClick(CLICKED, '/refunds', 3);
    const { urls, clicked } = await search(NEXT);
    expect(urls[0]).to.equal('/refunds');
    expect(clicked[0]).to.be.above(0);
    expect((await search('how do parcels travel')).urls[0], 'another question').to.equal('/ships');
  });

  it('is no evidence after two searches, however often the visitors of these clicked', async () => {
    const { id } = await search(CLICKED);
    for (let time = 0; time < 5; time++)
      await project.post('/v1/events', { search_id: id, clicked_url: '/refunds', clicked_rank: 1, raw_path: CLICKED });
    clicks = 5;
    await askAndClick(CLICKED, '/refunds', 1);
    expect(await vectors()).to.equal(0);
    expect((await search(NEXT)).urls[0]).to.equal('/coins');
  });

  it('is none while its visitors choose two pages as often', async () => {
    await askAndClick(CLICKED, '/refunds', 3);
    expect(await vectors()).to.equal(1);
    await askAndClick(CLICKED, '/ships', 3);
    expect(await vectors()).to.equal(0);
    expect((await search(NEXT)).clicked).to.deep.equal([0, 0, 0]);
  });

  it('says nothing about dead paths, not where these are read as questions, either', async () => {
    const { service } = sharedService();
    const space = {
      ...service.deps.tenants.of(project.row.project_id),
      ...ALL_PAGES,
      modelId: (await readAnsweringModel(service.db, project.row.project_id)) ?? 0,
      indexVersion: 0,
    };
    const { pathAsText } = parseCalibration((await service.models.find(space.modelId))?.manifest.calibration ?? null);
    const path = readDeadPath('/how-long-until-the-money-is-back');
    const rank = async (): Promise<unknown> =>
      (await rankForPathByContent(service.deps, pathAsText, space, path, 3)).ranked.map(({ page, score }) => [
        page.url,
        score,
      ]);
    const before = await rank();
    await askAndClick(CLICKED, '/refunds', 3);
    expect(await vectors()).to.equal(1);
    expect(await rank()).to.deep.equal(before);
  });

  it('never makes an answer as good as certain', async () => {
    await askAndClick(CLICKED, '/ships', 3);
    const { body } = await project.post('/v1/semantic-search', { query: CLICKED, options: { searchThreshold: 0 } });
    expect(body.suggestions[0].url).to.equal('/ships');
    expect(body.suggestions[0].score).to.be.at.most(0.89);
  });

  it('is none where a robot follows the links of answers', async () => {
    const headers = { 'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' };
    for (let time = 0; time < 3; time++) {
      const options = { searchThreshold: 0 };
      const { body } = await project.call('POST', '/v1/semantic-search', { query: CLICKED, options }, headers);
      await loggedSearches(sharedService().service, project.row.project_id, ++searches);
      const click = { search_id: body.search_id, clicked_url: '/ships', clicked_rank: 1, raw_path: CLICKED };
      await project.post('/v1/events', click);
      await storedClicks(sharedService().service, project.row.project_id, ++clicks);
    }
    expect(await project.query('select from pathmend.clicked_questions where project_id = $1')).to.have.length(0);
  });

  it('is listed by a command, forgotten by another, and never proposed as a rule', async () => {
    const command = (name: string, ...args: string[]): Promise<unknown> =>
      jsonInProcess(['redirects', name, '--project', project.row.name, ...args]);
    const listed = async (): Promise<unknown> =>
      ((await command('list', '--learned')) as { path: string; searches: number; confirmed: boolean }[]).map(
        ({ path, searches, confirmed }) => [path, searches, confirmed],
      );
    await askAndClick(CLICKED, '/refunds', 2);
    expect(await listed()).to.deep.equal([[CLICKED.toLowerCase(), 2, false]]);
    await askAndClick(CLICKED, '/refunds', 1);
    expect(await listed()).to.deep.equal([[CLICKED.toLowerCase(), 3, true]]);
    for (let time = 0; time < 2; time++) {
      const options = { searchThreshold: 0 };
      const { body } = await project.post('/v1/suggest', { path: '/shipping-of-parcels', options });
      await loggedSearches(sharedService().service, project.row.project_id, ++searches);
      const click = { search_id: body.search_id, clicked_url: '/ships', clicked_rank: 1, raw_path: '/whatever' };
      await project.post('/v1/events', click);
      await storedClicks(sharedService().service, project.row.project_id, ++clicks);
    }
    const { deps } = sharedService().service;
    await proposeRules(deps, project.row.project_id);
    const { proposals } = await listProposals(deps, project.row.project_id, {});
    expect(proposals.map(({ path }) => path)).to.deep.equal(['/shipping-of-parcels']);
    expect(await command('remove', '--learned', '--from', CLICKED)).to.include({ deleted: true });
    expect(await listed()).to.deep.equal([['/shipping-of-parcels', 2, true]]);
  });

  it('is forgotten with its page, with all that clicks taught, and when nobody has clicked for long', async () => {
    const { service } = sharedService();
    const left = async (): Promise<number> =>
      (await project.query('select from pathmend.clicked_questions where project_id = $1')).length;
    await askAndClick(CLICKED, '/refunds', 3);
    const [row] = await project.query<{ name: string }>('select name from pathmend.projects where project_id = $1');
    const about = { project_id: project.row.project_id, name: row?.name ?? '' };
    const forget = (what?: string): Promise<boolean> =>
      eraseLearnedClicks(service.db, onCommandLine(undefined), about, what);
    expect(await forget('another question')).to.equal(false);
    expect(await forget(CLICKED.toUpperCase())).to.equal(true);
    expect(await left()).to.equal(0);
    await askAndClick(CLICKED, '/refunds', 3);
    expect(await forget()).to.equal(true);
    expect([await left(), (await search(NEXT)).urls[0]]).to.deep.equal([0, '/coins']);
    await askAndClick(CLICKED, '/refunds', 3);
    await project.call('DELETE', '/v1/pages/delete', { url: `${SITE}/refunds` });
    expect(await left()).to.equal(0);
    await askAndClick(NEXT, '/coins', 3);
    await project.query(
      "update pathmend.clicked_questions set last_clicked_at = now() - interval '401 days' where project_id = $1",
    );
    await runMaintenance({ ...service.deps, db: service.db, eventRetentionDays: 400, embedded: false });
    expect(await left()).to.equal(0);
  });
});
