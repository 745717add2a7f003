import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import type { Clock } from '#src/base/clock.js';
import { dayOf } from '#src/analytics/range.js';
import { selectRedirectEffects } from '#src/analytics/store/not-founds.js';
import { changeRules } from '#src/rules/change-rules.js';
import { pushPages, redirect } from '../../support/learned-redirects.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { storedNotFounds } from '../../support/stored-events.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const DAY = 86_400_000;
const NOON = Math.floor(Date.now() / DAY) * DAY - DAY / 2;
const ADDED = NOON - 20 * DAY;
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const IMPORTED = ['/old-a /new/a', '/waits /not-yet', '/gone 410', '/docs/* /new/:splat'];

describe('what redirects did', function () {
  this.timeout(60_000);
  let project: TestProject;
  const folder = temporaryFolder();

  before(async () => {
    project = await sharedService().newProject();
    await pushPages(project, '/new/a');
    await importAt(ADDED);
    await changeRules(
      { ...sharedService().service.deps, db: sharedService().service.db, clock: at(ADDED) },
      project.row.project_id,
      [
        { path: '/blog/:number/*', action: 'redirect', target: '/new/*' },
        { path: '/docs/deep/*', action: 'redirect', target: '/new/a' },
        // Searches ask prefixes without numbers first, longer patterns or not.
        { path: '/blog/2022/*', action: 'redirect', target: '/new/a' },
        { path: '/blog/:number/notes/*', action: 'redirect', target: '/new/a' },
      ],
      onCommandLine('Ann'),
    );
    for (const [path, days, agent, outcome] of [
      ['/old-a', -2, BROWSER, 'nothing'],
      ['/old-a', 3, BROWSER, 'redirected'],
      ['/old-a', 4, 'curl/8.5.0', 'redirected'],
      ['/docs/x', -1, BROWSER, 'nothing'],
      ['/Docs/x', 1, BROWSER, 'redirected'],
      ['/docs/y/z?q=1', 2, BROWSER, 'redirected'],
      ['/docs/deep/x', 2, BROWSER, 'redirected'],
      ['/docs', 2, BROWSER, 'nothing'],
      ['/blog/2024/x', -3, BROWSER, 'suggested'],
      ['/blog/2023/y', 5, BROWSER, 'redirected'],
      ['/blog/about/y', 5, BROWSER, 'nothing'],
      ['/blog/2022/notes/z', 6, BROWSER, 'redirected'],
    ] as const) {
      const timestamp = new Date(ADDED + days * DAY).toISOString();
      await project.post('/v1/events', { raw_path: path, user_agent: agent, outcome, timestamp });
    }
    await storedNotFounds(sharedService().service, project.row.project_id, 12);
  });

  const at = (time: number): Clock => ({ now: () => time });

  async function importAt(time: number, lines = IMPORTED): Promise<void> {
    const { service } = sharedService();
    await redirect({ ...service, deps: { ...service.deps, clock: at(time) } }, project, folder, ...lines);
  }

  async function effects(): Promise<string[]> {
    const rows = await project.query<Record<string, unknown>>(
      `select concat_ws(' ', kind, path, floor(extract(epoch from $2::timestamptz - added_at) / 86400), hits_before, recovered_before,
                        hits_after, recovered_after) as said
         from analytics.redirect_effects where project_id = $1 order by path collate "C"`,
      new Date(NOON),
    );
    return rows.map(({ said: summary }) => String(summary));
  }

  const EXPECTED = [
    'prefix /blog/2022/* 20 0 0 1 1',
    'pattern /blog/:number/* 20 1 0 1 1',
    'pattern /blog/:number/notes/* 20 0 0 0 0',
    'prefix /docs/* 20 1 0 3 2',
    'prefix /docs/deep/* 20 0 0 1 1',
    'exact /old-a 20 1 0 1 1',
  ];

  it('is shown of exact redirects, prefixes and patterns, by the 404s of people alone', async () => {
    expect(await effects()).to.deep.equal(EXPECTED);
  });

  it('is the same in the console', async () => {
    const tenant = sharedService().service.deps.tenants.of(project.row.project_id);
    const rows = await selectRedirectEffects(tenant, { from: dayOf(NOON - 29 * DAY), to: dayOf(NOON) }, 100);
    const summaries = rows.map((row) =>
      [row.kind, row.path, 20, row.hits_before, row.recovered_before, row.hits_after, row.recovered_after].join(' '),
    );
    expect(summaries.sort()).to.deep.equal([...EXPECTED].sort());
    expect(new Set(rows.map(({ added_at }) => added_at.getTime()))).to.deep.equal(new Set([ADDED]));
  });

  it('stays when the same redirects are imported again, night by night', async () => {
    await importAt(NOON - DAY);
    await importAt(NOON);
    expect(await effects()).to.deep.equal(EXPECTED);
    const rules = await project.query<{ path: string; added_at: Date }>(
      'select path, added_at from analytics.redirects_without_hits where project_id = $1',
    );
    for (const { path, added_at } of rules) expect(added_at.getTime(), path).to.equal(ADDED);
    expect(rules.map(({ path }) => path)).to.include.members(['/old-a', '/gone', '/docs/*']);
  });

  it('keeps its day while the page is away, and begins anew with another page', async () => {
    await pushPages(project, '/not-yet');
    expect((await effects()).at(-1)).to.equal('exact /waits 20 0 0 0 0');
    await importAt(NOON, ['/waits /new/a']);
    expect((await effects()).at(-1)).to.equal('exact /waits 0 0 0 0 0');
  });
});
