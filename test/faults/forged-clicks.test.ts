import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { pushPages } from '../support/learned-redirects.js';
import { sharedService } from '../support/shared-service.js';
import type { TestProject } from '../support/service.js';
import { loggedSearches, storedClicks } from '../support/stored-events.js';
import { until } from '../support/until.js';

const NAMES = Array.from({ length: 30 }, (_, i) => `note-${String.fromCharCode(97 + (i % 26))}${i}`);

describe('clicks that somebody makes on purpose', function () {
  this.timeout(300_000);
  let project: TestProject;
  let searches = 0;
  let clicks = 0;

  beforeEach(async () => {
    project = await sharedService().newProject();
    searches = 0;
    clicks = 0;
    await pushPages(project, ...NAMES.flatMap((name) => [`/guide/${name}`, `/archive/${name}`]));
  });

  async function search(path: string): Promise<string> {
    const { body } = await project.post('/v1/suggest', { path, limit: 10, options: { searchThreshold: 0 } });
    searches++;
    return String(body.search_id);
  }

  const click = async (searchId: string, url: string): Promise<void> => {
    await project.post('/v1/events', { search_id: searchId, clicked_url: url, clicked_rank: 1, raw_path: '/whatever' });
    clicks++;
  };

  const searchesLogged = (): Promise<void> => loggedSearches(sharedService().service, project.row.project_id, searches);

  /** Resolves when every click is stored and nothing of this project waits to be learned. */
  async function learned(): Promise<void> {
    await storedClicks(sharedService().service, project.row.project_id, clicks);
    await until('learning is done', async () => {
      const open = await project.query(
        `select from pgboss.job where state < 'completed' and name in ('learn-redirects', 'record-event', 'record-events') and (singleton_key = $1 or data::text like '%' || $1 || '%')`,
      );
      return open.length === 0;
    });
  }

  /** Returns the paths to which the proxy sends each path of the section; null where it answers 404. */
  async function sentTo(): Promise<(string | null)[]> {
    const places: (string | null)[] = [];
    for (const name of NAMES) {
      const answer = await project.call('GET', `/v1/proxy?url=/latest/${name}`);
      searches++;
      places.push(answer.status === 302 ? new URL(answer.headers.get('location') ?? '').pathname : null);
    }
    return places;
  }

  const sections = (): Promise<object[]> =>
    project.query('select old_prefix, new_prefix from pathmend.section_redirects where project_id = $1');

  for (const [name, paths, each] of [
    ['one visitor who searches for one path again and again', 1, 50],
    ['one visitor who searches for many paths, twice each', 20, 2],
  ] as const) {
    it(`${name} and clicks a wrong page sends nobody there by the proxy`, async () => {
      const before = await sentTo();
      const ids: [string, string][] = [];
      for (const pageName of NAMES.slice(0, paths))
        for (let i = 0; i < each; i++) ids.push([await search(`/latest/${pageName}`), `/archive/${pageName}`]);
      await searchesLogged();
      for (const [id, url] of ids) await click(id, url);
      await learned();
      expect(await sentTo()).to.deep.equal(before);
      for (const pageName of NAMES) {
        const { body } = await project.post('/v1/suggest', {
          path: `/latest/${pageName}`,
          limit: 1,
          options: { searchThreshold: 0 },
        });
        expect(body.suggestions[0].score, pageName).to.be.below(0.9);
      }
    });
  }

  it("a stream of forged clicks through the site's server, with searches that are made up or used again, teaches nothing", async () => {
    const before = await sentTo();
    const ids: [string, string][] = [];
    for (const pageName of NAMES) ids.push([await search(`/latest/${pageName}`), `/archive/${pageName}`]);
    await searchesLogged();
    // Each search is clicked once by a visitor who came to its path; all else repeats it or is made up.
    for (const [id, url] of ids.slice(0, 1))
      for (let i = 0; i < 300; i++) await click(i % 3 === 0 ? id : randomUUID(), url);
    await learned();
    expect(await sections()).to.deep.equal([]);
    const rows = await project.query<{ clicks: string }>(
      'select clicks from pathmend.learned_redirects where project_id = $1',
    );
    expect(rows).to.deep.equal([{ clicks: '1' }]);
    expect(await sentTo()).to.deep.equal(before);
  });
});
