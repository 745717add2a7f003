import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseConfig } from '#src/platform/settings/config.js';
import { OperatorError } from '#src/base/errors.js';
import { readClickedSite, toClickCases } from '../../../scripts/eval/own/click-cases.js';
import { sharedService } from '../../support/shared-service.js';
import { loggedSearches, storedClicks } from '../../support/stored-events.js';
import type { TestProject } from '../../support/service.js';
import { TINY_PAGES } from './tiny-site.js';

describe('eval: clicks as cases', () => {
  let project: TestProject;
  let searches = 0;
  let clicks = 0;

  before(async () => {
    project = await sharedService().newProject();
    for (const page of TINY_PAGES) await project.upsert(page);
    await project.indexed();
  });

  /** A search as a visitor's, and clicks on these urls. */
  async function search(
    body: { path: string } | { query: string },
    clicked: string[],
    options: { key?: string; filters?: object } = {},
  ): Promise<void> {
    const headers: Record<string, string> = options.key === undefined ? {} : { Authorization: `Bearer ${options.key}` };
    const endpoint = 'path' in body ? 'suggest' : 'semantic-search';
    const answer = await project.call(
      'POST',
      `/v1/${endpoint}`,
      { ...body, options: { searchThreshold: 0, ...(options.filters ? { filters: options.filters } : {}) } },
      headers,
    );
    expect(answer.status).to.equal(200);
    searches++;
    for (const url of clicked) {
      const event = {
        clicked_url: url,
        clicked_rank: 1,
        raw_path: 'path' in body ? body.path : body.query,
        search_id: answer.body.search_id as string,
      };
      expect((await project.call('POST', '/v1/events', event, headers)).status).to.equal(204);
      clicks++;
    }
  }

  async function cases(): Promise<ReturnType<typeof toClickCases>> {
    const { service, database } = sharedService();
    await loggedSearches(service, project.row.project_id, searches);
    await storedClicks(service, project.row.project_id, clicks);
    return toClickCases(await readClickedSite(parseConfig(database.environment), project.row.name));
  }

  it('are what visitors of live keys clicked, paths and questions apart', async () => {
    const testKey = await project.newKey({ mode: 'test' });
    await search({ path: '/repair/flat-tire' }, ['/repair/flat-tyre/']);
    await search({ query: 'when are you open' }, ['https://bikes.example/shop/opening-hours/']);
    await search({ path: '/nobody-clicked' }, []);
    await search({ path: '/tested' }, ['/about/'], { key: testKey });
    await search({ path: '/filtered' }, ['/about/'], { filters: { a: 1 } });
    await search({ path: '/gone' }, ['/deleted-since']);

    const { redirects, queries, leftOut } = await cases();
    expect(redirects.map(({ input, right }) => [input, right])).to.deep.equal([
      ['/repair/flat-tire', ['/repair/flat-tyre/']],
    ]);
    expect(redirects[0]?.overlap).to.equal(0.5);
    expect(queries.map(({ input, right }) => [input, right])).to.deep.equal([
      ['when are you open', ['/shop/opening-hours/']],
    ]);
    expect(leftOut).to.deep.equal([
      { reason: 'the clicked page is not there any more', count: 1, examples: ['/deleted-since'] },
    ]);
  });

  it('take the page that most visitors clicked, and any that at least half as many did', async () => {
    for (const page of '/about/ /about/ /about/ /shop/rent-a-bike/ /shop/rent-a-bike/ /tours/lake-loop/'.split(' '))
      await search({ path: '/many' }, [page]);
    const { redirects } = await cases();
    expect(redirects.find(({ input }) => input === '/many')?.right).to.deep.equal(['/about/', '/shop/rent-a-bike/']);
  });

  it("come with the pages as they were pushed, by the project's identifier, too", async () => {
    const { projectName, pages } = await readClickedSite(
      parseConfig(sharedService().database.environment),
      project.row.project_id,
    );
    expect(projectName).to.equal(project.row.name);
    expect(pages).to.have.deep.members(TINY_PAGES);
  });

  it('are refused for a project that is not there, and where there is no installation', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pathmend-eval-test-'));
    const failure = async (environment: Record<string, string>): Promise<unknown> =>
      readClickedSite(parseConfig(environment), 'no such project').catch((error: unknown) => error);
    const unknown = await failure(sharedService().database.environment);
    expect(unknown)
      .to.be.instanceOf(OperatorError)
      .with.property('message')
      .that.includes('There is no project "no such project"');
    const nowhere = await failure({ DATA_DIR: join(folder, 'data') });
    expect(nowhere).to.be.instanceOf(OperatorError).with.property('message').that.includes('There is no installation');
    await rm(folder, { recursive: true });
  });
});
