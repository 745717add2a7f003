import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { selectSuggestedRedirects } from '#src/analytics/store/redirects.js';
import { changeRules } from '#src/rules/change-rules.js';
import { pushPages } from '../../support/learned-redirects.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { storedNotFounds } from '../../support/stored-events.js';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
/** Each with what is to be said of it: a rule decides about it, or it is worth one. */
const PATHS: Readonly<Record<string, boolean>> = {
  '/lonely': true,
  '/docs': false,
  '/docs-2/x': true,
  '/blog/about/x': true,
  '/blog/2024': false,
  '/docs/x': false,
  '/Docs/Deep/y/z?q=1': false,
  '/blog/2024/x': false,
  '/blog/7/x/y': false,
  '/exact': false,
  '/gone/by': false,
  '/only-here': false,
  '/p-7.html': false,
  '/P-x_y.HTML': false,
  '/p-7.htm': true,
  '/p-7/8.html': true,
  '/manual/a/b.php': false,
  '/manual/a/b.html': true,
  '/under_x': false,
  '/under-x': true,
};

describe('redirects worth adding', function () {
  this.timeout(60_000);
  let project: TestProject;

  before(async () => {
    const { service } = sharedService();
    project = await sharedService().newProject();
    const { project_id } = project.row;
    await pushPages(project, '/new/a');
    await changeRules(
      { ...service.deps, db: service.db },
      project_id,
      [
        { path: '/docs/*', action: 'redirect', target: '/new/*' },
        { path: '/blog/:number/*', action: 'redirect', target: '/new/a' },
        { path: '/gone/*', action: 'gone' },
        { path: '/exact', action: 'redirect', target: '/new/a' },
        { path: '/only-here', host: 'old.example', action: 'redirect', target: '/new/a' },
        { path: '/p-:id.html', action: 'redirect', target: '/new/a' },
        { path: '/manual/*.php', action: 'gone' },
        { path: '/under_:rest', action: 'ignore' },
      ],
      onCommandLine('Ann'),
    );
    for (const path of Object.keys(PATHS))
      await project.post('/v1/events', { raw_path: path, user_agent: BROWSER, outcome: 'suggested' });
    await storedNotFounds(service, project_id, Object.keys(PATHS).length);
    await query(
      service,
      `update pathmend.missing_paths set best_url = '/new/a', best_score = 0.5 where project_id = $1`,
      [project_id],
    );
  });

  it('are of paths that no rule decides about: none of their own, of a prefix, or of a pattern', async () => {
    const rows = await project.query<{ path: string }>(
      'select path from analytics.redirects_worth_adding where project_id = $1',
    );
    const worth = Object.keys(PATHS).filter((path) => PATHS[path]);
    expect(rows.map(({ path }) => path)).to.have.members(worth);
    const tenant = sharedService().service.deps.tenants.of(project.row.project_id);
    const shown = await selectSuggestedRedirects(tenant, { from: '2026-01-01', to: '2026-01-30' }, 100);
    expect(shown.map(({ path }) => path)).to.have.members(worth);
  });
});
