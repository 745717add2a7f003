import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { ApiError } from '#src/base/errors.js';
import { runMaintenance } from '#src/operations/maintenance-job.js';
import { changeRules, undoChange, type Changed } from '#src/rules/change-rules.js';
import { listChanges, listRules, readChange } from '#src/rules/list-rules.js';
import type { RuleChange } from '#src/rules/rule.js';
import { rejection } from '../embedding/rejection.js';
import { pushPages, redirect } from '../../support/learned-redirects.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const PAGES = ['/new/x', '/new/y', '/new/z'];

describe('changes of rules', function () {
  this.timeout(60_000);
  let project: TestProject;
  const folder = temporaryFolder();

  beforeEach(async () => {
    project = await sharedService().newProject();
    await pushPages(project, ...PAGES);
  });

  const deps = () => ({ ...sharedService().service.deps, db: sharedService().service.db });
  const change = (...changes: RuleChange[]): Promise<Changed> =>
    changeRules(deps(), project.row.project_id, changes, onCommandLine('Ann'));
  const undo = (id: number | null): Promise<Changed> =>
    undoChange(deps(), project.row.project_id, id ?? 0, onCommandLine('Ben'));

  /** All that is kept of the rules. */
  async function state(of = project): Promise<unknown[]> {
    const { rules } = await listRules(deps(), of.row.project_id, { limit: 1_000 });
    return rules.map(({ path, kind, action, target, active, origin, made_by, made_at }) => [
      path,
      kind,
      action,
      target,
      active,
      origin,
      made_by,
      made_at.toISOString(),
    ]);
  }

  async function refused(attempt: Promise<unknown>): Promise<ApiError> {
    return rejection(attempt, ApiError);
  }

  it('say who made each rule, and what: an import, or a person', async () => {
    await redirect(
      sharedService().service,
      project,
      folder,
      '/old/x /new/x',
      '/old/y /waits',
      '/a 410',
      '/b/* /new/:splat',
    );
    await change(
      { path: 'https://shop.example/c', action: 'redirect', target: 'https://shop.example/new/x' },
      { path: '/blog/:number/*', action: 'redirect', target: '/new/*' },
      { path: '/d/*', action: 'gone' },
      { path: '/e', action: 'ignore' },
    );
    const shown = (await state()).map((rule) => (rule as unknown[]).slice(0, 7).join(' '));
    expect(shown).to.deep.equal([
      '/a exact gone  true import ',
      '/b/* prefix redirect /new/:splat true import ',
      '/blog/:number/* pattern redirect /new/:splat true person Ann',
      '/c exact redirect https://shop.example/new/x true person Ann',
      '/d/* prefix gone  true person Ann',
      '/e exact ignore  true person Ann',
      '/old/x exact redirect https://shop.example/new/x true import ',
      '/old/y exact redirect /waits false import ',
    ]);
  });

  it('many at once are one entry of the history, and are undone at once; what an undo undid is in force again', async () => {
    await redirect(sharedService().service, project, folder, '/old/x /new/x', '/old/y /new/y', '/b/* /new/:splat');
    const before = await state();
    const many = await change(
      { path: '/old/x', action: 'gone' },
      { path: '/old/y', action: 'remove' },
      { path: '/old/z', action: 'redirect', target: '/new/z' },
      { path: '/b/*', action: 'redirect', target: '/new/x' },
      { path: '/old/x.html', action: 'redirect', target: '/new/z' },
    );
    expect(many).to.include({ changed: 4, unchanged: 0 });
    const after = await state();
    const undone = await undo(many.change_id);
    expect(await state()).to.deep.equal(before);
    expect((await refused(undo(many.change_id))).message).to.contain('undone by change 2 already');
    await undo(undone.change_id);
    expect(await state()).to.deep.equal(after);
    const { changes } = await listChanges(deps(), project.row.project_id, {});
    expect(changes.map(({ change_id, kind, undoes, undone_by }) => [change_id, kind, undoes, undone_by])).to.deep.equal(
      [
        [3, 'undo', 2, null],
        [2, 'undo', 1, 3],
        [1, 'change', null, null],
      ],
    );
    expect((await readChange(deps(), project.row.project_id, 1)).rules).to.have.deep.members([
      {
        path: '/old/x.html',
        before: { action: 'redirect', target: 'https://shop.example/new/x' },
        after: { action: 'redirect', target: '/new/z' },
      },
      { path: '/old/y', before: { action: 'redirect', target: 'https://shop.example/new/y' }, after: null },
      { path: '/old/z', before: null, after: { action: 'redirect', target: '/new/z' } },
      {
        path: '/b/*',
        before: { action: 'redirect', target: '/new/:splat' },
        after: { action: 'redirect', target: '/new/x' },
      },
    ]);
    await undo(1);
    expect(await state()).to.deep.equal(before);
  });

  it('of random kinds, all undone, leave everything as it was', async () => {
    await redirect(
      sharedService().service,
      project,
      folder,
      '/p/0 /new/x',
      '/p/1 /later',
      '/p/2 410',
      '/p/3?id=1 /new/y',
      '/w/0/* /new/:splat',
      '/w/1/* /new/x',
    );
    const before = await state();
    // A generator with a seed that the failure names.
    const seed = Math.floor(Math.random() * 2 ** 31);
    let value = seed;
    const random = (below: number): number => {
      value = (Math.imul(value, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      return Math.floor((value / 0x8000_0000) * below);
    };
    const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
    const ids: number[] = [];
    for (let round = 0; round < 25; round++) {
      const changes = Array.from({ length: 1 + random(6) }, (): RuleChange => {
        const wild = random(3) === 0;
        const path = wild
          ? pick(['/w/0/*', '/w/1/*', '/w/:number/*'])
          : pick(['/p/0', '/P/0.html', '/p/1', '/p/2', '/p/3?id=1', '/p/4']);
        const action = pick(['redirect', 'redirect', 'gone', 'ignore', 'remove'] as const);
        const target = wild
          ? pick(['/new/:splat', '/new/x', 'https://shop.example/new/:splat'])
          : pick(['/new/x', '/new/y', '/later', 'https://other.example/new/x']);
        return action === 'redirect' ? { path, action, target } : { path, action };
      });
      const { change_id } = await change(...changes);
      if (change_id !== null) ids.push(change_id);
    }
    for (const id of ids.reverse()) await undo(id);
    expect(await state(), `seed ${seed}`).to.deep.equal(before);
  });

  it('an undo keeps a page that moved on: its redirect waits for it, and comes back with it', async () => {
    await redirect(sharedService().service, project, folder, '/old/x /new/x');
    const { change_id } = await change({ path: '/old/x', action: 'gone' });
    await project.call('DELETE', '/v1/pages/delete', { url: 'https://shop.example/new/x' });
    await undo(change_id);
    expect((await state())[0]).to.include.members(['/old/x', 'https://shop.example/new/x', false, 'import']);
    await pushPages(project, '/new/x');
    expect((await state())[0]).to.include.members(['/old/x', 'https://shop.example/new/x', true, 'import']);
  });

  it('an undo of what was changed since is refused with the paths, and undoes nothing', async () => {
    const first = await change({ path: '/a', action: 'gone' }, { path: '/b', action: 'gone' });
    const second = await change({ path: '/a', action: 'redirect', target: '/new/x' });
    const before = await state();
    const error = await refused(undo(first.change_id));
    expect(error.details).to.deep.equal({ conflicts: ['/a'] });
    expect(await state()).to.deep.equal(before);
    await undo(second.change_id);
    await undo(first.change_id);
    expect(await state()).to.deep.equal([]);
  });

  it('at once are made one after the other, and each has its own number', async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        change({ path: '/same', action: 'redirect', target: `/new/${i}` }, { path: `/own/${i}`, action: 'gone' }),
      ),
    );
    expect(made.map(({ change_id }) => change_id).sort()).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await state()).to.have.length(9);
    for (let id = 8; id >= 1; id--) await undo(id);
    expect(await state()).to.deep.equal([]);
  });

  it('are their project’s alone', async () => {
    const mine = project;
    const { change_id } = await change(
      { path: '/a', action: 'gone' },
      { path: '/b/*', action: 'redirect', target: '/new/:splat' },
    );
    project = await sharedService().newProject();
    expect(await state()).to.deep.equal([]);
    expect((await refused(undo(change_id))).code).to.equal('not_found');
    expect((await listChanges(deps(), project.row.project_id, {})).changes).to.deep.equal([]);
    expect(await state(mine)).to.have.length(2);
  });

  it('that cannot be are refused with the field, and none of them is made', async () => {
    for (const [bad, param] of [
      [{ path: 'old', action: 'gone' }, 'changes.1.path'],
      [{ path: '/*', action: 'gone' }, 'changes.1.path'],
      [{ path: '/a/*/b', action: 'gone' }, 'changes.1.path'],
      [{ path: '/:id/:id', action: 'gone' }, 'changes.1.path'],
      [{ path: '/:id', action: 'redirect', target: '/x/:other' }, 'changes.1.target'],
      [{ path: '/old', action: 'gone', code: 301 }, 'changes.1.code'],
      [{ path: '/old', action: 'ignore', code: 410 }, 'changes.1.code'],
      [{ path: '/old', action: 'gone', valid_from: 'soon' }, 'changes.1.valid_from'],
      [{ path: '/old', action: 'gone', valid_from: '2026-02-01', valid_until: '2026-01-01' }, 'changes.1.valid_until'],
      [{ path: '/old', action: 'gone', host: 'a b' }, 'changes.1.host'],
      [{ path: '/old', action: 'gone', pass_query: true }, 'changes.1.pass_query'],
      [{ path: '/:number/2024/*', action: 'gone' }, 'changes.1.path'],
      [{ path: '/a?b=/*', match: 'pattern', action: 'gone' }, 'changes.1.match'],
      [{ path: `/${'é'.repeat(600)}/*`, action: 'gone' }, 'changes.1.path'],
      [{ path: `/${'a'.repeat(2_048)}`, action: 'gone' }, 'changes.1.path'],
      [{ path: '/a\u0000', action: 'gone' }, 'changes.1.path'],
      [{ path: '/a\u001b[2J', action: 'gone' }, 'changes.1.path'],
      [{ path: 'http://user@shop.example/a', action: 'gone' }, 'changes.1.path'],
      [{ path: '/a', action: 'redirect' }, 'changes.1.target'],
      [{ path: '/a', action: 'gone', target: '/b' }, 'changes.1.target'],
      [{ path: '/a', action: 'redirect', target: 'javascript:alert(1)' }, 'changes.1.target'],
      [{ path: '/a', action: 'redirect', target: '/b/:splat' }, 'changes.1.target'],
      [{ path: '/a/*', action: 'redirect', target: '/:splat/:other' }, 'changes.1.target'],
      [{ path: '/a', action: 'forget' }, 'changes.1.action'],
    ] as [RuleChange, string][]) {
      const error = await refused(change({ path: '/good', action: 'gone' }, bad));
      expect(error.param, JSON.stringify(bad)).to.equal(param);
    }
    expect((await refused(change())).param).to.equal('changes');
    expect(
      (await refused(changeRules(deps(), project.row.project_id, [{ path: '/a', action: 'gone' }], onCommandLine(' '))))
        .param,
    ).to.equal('by');
    expect(await state()).to.deep.equal([]);
  });

  it('take a wildcard whose target says more than the rest at its end', async () => {
    const targets = ['/new/:splat/', '/new/:splat.html', '/new/:splat?from=old', '/:splat/new'];
    for (const target of targets) {
      await change({ path: '/a/*', action: 'redirect', target });
      expect((await state())[0]).to.include.members(['/a/*', target]);
    }
    expect(await state()).to.have.length(1);
    await change({ path: '/a/*', action: 'remove' });
    expect(await state()).to.deep.equal([]);
  });

  it('of a thousand wildcards are the max of a project', async () => {
    const wild = (from: number, count: number): RuleChange[] =>
      Array.from({ length: count }, (_, i) => ({ path: `/s${from + i}/*`, action: 'ignore' }));
    await change(...wild(0, 1_000));
    const full = await refused(change(...wild(0, 1), ...wild(1_000, 1)));
    expect([full.param, full.message]).to.deep.equal([
      'changes.1.path',
      'changes.1.path: a project may have 1000 wildcards and patterns.',
    ]);
    expect((await refused(change(...wild(0, 1_001)))).param).to.equal('changes');
  });

  it('are listed page by page, and found by a part of path or target', async () => {
    await change(
      ...Array.from({ length: 7 }, (_, i): RuleChange => ({ path: `/a/${i}`, action: 'redirect', target: '/new/x' })),
    );
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listRules(deps(), project.row.project_id, { limit: 3, cursor });
      seen.push(...page.rules.map(({ path }) => path));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).to.deep.equal(Array.from({ length: 7 }, (_, i) => `/a/${i}`));
    const search = async (text: string): Promise<number> =>
      (await listRules(deps(), project.row.project_id, { search: text })).rules.length;
    expect([await search('A/3'), await search('NEW/x'), await search('%')]).to.deep.equal([1, 7, 0]);
    expect((await refused(listRules(deps(), project.row.project_id, { cursor: 'x' }))).param).to.equal('cursor');
  });

  it('are forgotten when the retention of events is over', async () => {
    const { service } = sharedService();
    const { change_id } = await change({ path: '/a', action: 'gone' });
    await change({ path: '/b', action: 'gone' });
    await query(
      service,
      `update pathmend.rule_changes set changed_at = now() - interval '500 days' where project_id = $1 and change_id = $2`,
      [project.row.project_id, change_id],
    );
    await runMaintenance({ ...deps(), eventRetentionDays: 400, embedded: false });
    const { changes } = await listChanges(deps(), project.row.project_id, {});
    expect(changes.map((ruleChange) => ruleChange.change_id)).to.deep.equal([2]);
    expect(await state()).to.have.length(2);
  });
});
