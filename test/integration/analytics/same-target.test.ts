import { expect } from 'chai';
import { redirect } from '../../support/learned-redirects.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { storedNotFounds } from '../../support/stored-events.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** Pages whose paths differ by their case alone: a redirect to one may mean each of them. */
const PAGES = ['https://shop.example/help/a', 'https://shop.example/Help/A', 'https://blog.example/HELP/a'];
const TARGETS = ['/help/a', '/Help/A', '/HELP/a', ...PAGES];
const PATHS = TARGETS.map((_, i) => `/old-${i}`);

describe('a redirect to a path that several pages have', () => {
  let project: TestProject;
  const folder = temporaryFolder();

  before(async () => {
    project = await sharedService().newProject();
    for (const url of PAGES) await project.upsert({ url, content: `All that there is to say about ${url}.` });
    await project.indexed();
    await redirect(sharedService().service, project, folder, ...TARGETS.map((to, i) => `${PATHS[i]} ${to}`));
    const from = { origin: 'https://shop.example', referrer: 'https://shop.example/links' };
    for (const raw_path of PATHS) await project.post('/v1/events', { raw_path, ...from });
    await storedNotFounds(sharedService().service, project.row.project_id, PATHS.length);
  });

  const named = async (view: string, path: string, target: string): Promise<unknown[]> => {
    const rows = await project.query<{ path: string; target: string | null }>(
      `select ${path} as path, ${target} as target from analytics.${view} where project_id = $1`,
    );
    const targetsByPath = new Map(rows.map((row) => [row.path, row.target]));
    return PATHS.map((missingPath) => targetsByPath.get(missingPath));
  };

  it('leads to the same page in the views and in searches: that of the very url or path', async () => {
    const views = [
      await named('redirects_without_hits', 'path', 'target'),
      await named('redirect_effects', 'path', 'target'),
      await named('broken_internal_links', 'link', 'proposed_target'),
    ];
    const searched: string[] = [];
    for (const path of PATHS) {
      const { body } = await project.post('/v1/suggest', { path });
      searched.push(new URL(String(body.suggestions[0].url), 'https://shop.example').pathname);
    }
    expect(searched).to.deep.equal(TARGETS.map((target) => new URL(target, 'https://shop.example').pathname));
    for (const view of views) expect(view).to.deep.equal(searched);
  });
});
