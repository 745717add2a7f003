import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { selectSuggestedRedirects } from '#src/analytics/store/redirects.js';
import { recordEvents } from '#src/events/record-events-job.js';
import { updateProject } from '#src/projects/store/projects.js';
import { changeRules } from '#src/rules/change-rules.js';
import { openRuleMatcher } from '#src/rules/preview/rule-matcher.js';
import type { RuleChange } from '#src/rules/rule.js';
import { jsonInProcess } from '../../support/commands.js';
import { pushPages } from '../../support/learned-redirects.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { until } from '../../support/until.js';
import { storedNotFounds } from '../../support/stored-events.js';

const to = (path: string, more: Partial<RuleChange> = {}): RuleChange => ({
  path,
  action: 'redirect',
  target: '/new/a',
  ...more,
});
const gone = (path: string): RuleChange => ({ path, action: 'gone' });
const ENDED = { valid_until: '2020-01-01' };

const RULES: readonly RuleChange[] = [
  ...['/', '/lone', '/Straße', '/über-uns/a', '/日本語', '/Docs/Exact.html'].map((path) => to(path)),
  ...['/docs/*', '/blog/:number/*', '/Über/*', '/folder/*', '/p-:id.html', '/manual/*.php', '/a/:x/b'].map((path) =>
    to(path),
  ),
  ...['/closed/*', '/closed/7/*', '/c/:name/x_y', '/%E6%97%A5/*', '/d%6Fts.v1/*', '/q/:x?id=1'].map(gone),
  { path: '/docs/quiet/*', action: 'ignore' },
  { path: '/under_:rest', action: 'ignore' },
  to('/query?id=7'),
  to('/hosted', { host: 'old.example' }),
  to('/hosted/*', { host: 'www.old.example' }),
  to('/ended', ENDED),
  to('/ended-*', ENDED),
  to('/ended/:x/y', ENDED),
  to('/later/*', { valid_from: '2999-01-01' }),
  to('/docs/now/*', { valid_from: '2020-01-01', valid_until: '2999-01-01' }),
];

const SEGMENTS = [
  ...[
    'docs',
    'Docs',
    'DOCS',
    'd%6Fcs',
    'do%CC%81cs',
    'dócs',
    'docs.html',
    'docs-2',
    'docs_',
    'now',
    'quiet',
    'exact',
    'EXACT.php',
  ],
  ...[
    'blog',
    '2024',
    '7',
    '0x7',
    '٣',
    'page',
    '1',
    'index.html',
    'x',
    'X',
    'y',
    'x_y',
    'x-y',
    'X.Y',
    'a',
    'b',
    'c',
    'q',
    'lone',
    'Lone.htm',
  ],
  ...[
    'straße',
    'STRASSE',
    'strasse',
    'über',
    'Über',
    '%C3%9Cber',
    'U%CC%88ber',
    'uber',
    'über-uns',
    '%C3%BCber_uns',
    'İ',
    'i̇',
    'K',
  ],
  ...[
    '日本語',
    '%E6%97%A5',
    '%E6%97%A5%E6%9C%AC%E8%AA%9E',
    '日',
    'dots.v1',
    'dots',
    'd%6Fts.v1',
    'folder',
    'Folder',
    'closed',
    'ended',
    'later',
  ],
  ...[
    'p-7.html',
    'P-x_y.HTML',
    'p-.html',
    'p-7.htm',
    'p%2D7.html',
    'p-a%2Fb.html',
    'manual',
    'z.php',
    'z.PHP',
    '.php',
    'under_x',
    'under-x',
  ],
  ...['---', '%21', '.', '..', '', '%', '%ff', '%2F', 'query', 'hosted', 'ended-x', `long-${'l'.repeat(300)}`, '😀'],
];

/** Numbers that are the same in every run. */
function* numbers(): Generator<number, never> {
  for (let state = 20_260_301; ; state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) yield state >>> 8;
}

/** Hostile paths: each segment alone, and some thousands of two to four. */
function hostilePaths(): string[] {
  const random = numbers();
  const pick = (below: number): number => random.next().value % below;
  const paths = new Set(SEGMENTS.flatMap((segment) => [`/${segment}`, `/${segment}/`]));
  while (paths.size < 3_000) {
    const segments = Array.from({ length: 2 + pick(3) }, () => SEGMENTS[pick(SEGMENTS.length)] ?? '');
    paths.add(`/${segments.join(pick(9) === 0 ? '//' : '/')}${pick(4) === 0 ? '/' : ''}`);
  }
  return [...paths];
}

describe('views and lists say of a missing path what the rules do', function () {
  this.timeout(180_000);
  let project: TestProject;
  const all = hostilePaths();
  /** Without those that only scanners ask for. */
  let paths: string[];

  const change = async (...rules: RuleChange[]): Promise<void> => {
    const { service } = sharedService();
    await changeRules({ ...service.deps, db: service.db }, project.row.project_id, rules, onCommandLine('Ann'));
  };

  const miss = async (some: readonly string[]): Promise<void> => {
    const { service } = sharedService();
    const from = { origin: null, referrer: null, userAgent: null, visitorIp: null };
    const events = some.map((rawPath) => ({
      eventId: randomUUID(),
      projectId: project.row.project_id,
      isTest: false,
      receivedAt: new Date().toISOString(),
      event: { type: 'not-found' as const, rawPath, outcome: 'suggested' as const, ...from },
    }));
    for (let at = 0; at < events.length; at += 500)
      await service.queue.enqueueNow(recordEvents, [{ events: events.slice(at, at + 500) }]);
  };

  before(async () => {
    const { service } = sharedService();
    project = await sharedService().newProject();
    await pushPages(project, '/new/a', '/folder');
    // Half of the paths are there before the rules, half come later.
    await miss(all.filter((_, at) => at % 2 === 0));
    await storedNotFounds(service, project.row.project_id, Math.ceil(all.length / 2));
    await change(...RULES);
    await miss(all.filter((_, at) => at % 2 === 1));
    await storedNotFounds(service, project.row.project_id, all.length);
    await query(
      service,
      `update pathmend.missing_paths set best_url = '/new/a', best_score = 0.5 where project_id = $1`,
      [project.row.project_id],
    );
    const missed = await query<{ path: string }>(
      service,
      'select path from pathmend.missing_paths where project_id = $1 and people + unknown > 0',
      [project.row.project_id],
    );
    paths = missed.map(({ path }) => path);
    expect(paths).to.have.length.above(2_000);
  });

  const shown = async (): Promise<string[]> => {
    const rows = await project.query<{ path: string }>(
      'select path from analytics.redirects_worth_adding where project_id = $1',
    );
    return rows.map(({ path }) => path).sort();
  };

  const expectEqual = async (): Promise<string[]> => {
    const tenant = sharedService().service.deps.tenants.of(project.row.project_id);
    const rules = await (await openRuleMatcher(tenant)).findAll(paths);
    const free = paths.filter((_, at) => rules[at] === undefined).sort();
    const views = await shown();
    const differs = paths.filter((path) => free.includes(path) !== views.includes(path));
    expect(differs, 'of these the view says something else').to.deep.equal([]);
    const listed = await selectSuggestedRedirects(tenant, { from: '2026-01-01', to: '2026-01-30' }, 5_000);
    expect(listed.map(({ path }) => path).sort()).to.deep.equal(free);
    return free;
  };

  it('of three thousand hostile paths, whether they came before the rules or after', async () => {
    const free = await expectEqual();
    expect(free.length).to.be.within(1_000, 2_900);
    expect(free).to.include.members(['/---', '/ended', '/folder', '/Folder/', '/later/', '/p-.html', '/query']);
    expect(free).to.not.include.members(['/hosted']);
  });

  it('at once when wildcards and patterns are added, removed and restored', async () => {
    expect(await shown()).to.include('/blog');
    await change(to('/blog/*'), gone('/:x/folder'));
    expect(await expectEqual()).to.not.include('/blog');
    await change(
      { path: '/blog/*', action: 'remove' },
      { path: '/docs/now/*', action: 'remove' },
      to('/docs/*', ENDED),
    );
    expect(await expectEqual()).to.include.members(['/blog', '/docs']);
    await change(to('/docs/*'));
    expect(await expectEqual()).to.not.include('/docs');
  });

  it('when a page comes to the folder of a wildcard', async () => {
    expect(await shown()).to.not.include('/closed');
    await pushPages(project, '/closed');
    expect(await expectEqual()).to.include('/closed');
  });

  it('where case and a slash at the end matter', async () => {
    const { db } = sharedService().service;
    await jsonInProcess([
      ...['project', 'update', '--project', project.row.project_id, '--case', 'matters', '--slash', 'matters'],
    ]);
    expect(await expectEqual()).to.include.members(['/Lone.htm', '/exact', '/DOCS']);
    await change(to('/LONE'), { path: '/Docs/Exact.html', action: 'remove' });
    await updateProject(db, project.row.project_id, { path_case: 'matters', path_slash: null });
    await change(to('/lone', { code: 308 }));
    await expectEqual();
    await updateProject(db, project.row.project_id, { path_case: null });
    // Nothing but the next 404 shows that the settings are others.
    await miss(['/one-more']);
    await until('all paths are compared again', async () => !(await shown()).includes('/Lone.htm'));
    await until('a job has compared those of wildcards, too', async () => !(await shown()).includes('/DOCS'));
  });
});
