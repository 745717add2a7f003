import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { shellBlocks } from '../../../support/document.js';
import { jsonInProcess, runInProcess } from '../../../support/commands.js';
import { pushPages } from '../../../support/learned-redirects.js';
import type { Finished } from '../../../support/processes.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';
import { query } from '../../../support/sql.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const SITE = 'https://shop.example';

describe('redirects list, add, remove, history, undo, try, propose, confirm, reject', function () {
  this.timeout(60_000);
  let project: TestProject;
  const folder = temporaryFolder();

  beforeEach(async () => {
    project = await sharedService().newProject();
    await pushPages(project, '/shop/beans', '/shop/mills', '/help/start', '/help/clean', '/help/mend');
  });

  const environment = (): Record<string, string> => sharedService().database.environment;
  const run = (...args: string[]): Promise<Finished> =>
    runInProcess(['redirects', ...args, '--project', project.row.name], environment());
  const json = (...args: string[]): Promise<unknown> =>
    jsonInProcess(['redirects', ...args, '--project', project.row.name], environment());

  async function met(path: string, times: number): Promise<void> {
    await query(sharedService().service, 'select pathmend.ensure_weeks(now(), now())');
    for (let i = 0; i < times; i++)
      await project.query(
        `insert into pathmend.not_founds (project_id, event_id, received_at, raw_path, is_test)
         values ($1, $2, now(), $3, false)`,
        randomUUID(),
        path,
      );
  }

  it('docs/reference/rules.md, typed: a rule is tried, made, counted and undone', async () => {
    await met('/store/beans', 3);
    const [block = ''] = await shellBlocks('docs/reference/rules.md', 'Add and test rules');
    const outputs: string[] = [];
    for (const line of block.split('\n')) {
      const words = line.replaceAll("'", '').split(/\s+#/)[0]?.trim().split(/\s+/) ?? [];
      expect(words.slice(0, 3)).to.deep.equal(['node', 'dist/cli.js', 'redirects']);
      const args = words.slice(2).map((word) => (word === 'mysite' ? project.row.name : word));
      const { code, stdout, stderr } = await runInProcess(args, environment());
      expect(code, `${line}: ${stderr}`).to.equal(0);
      outputs.push(stdout);
    }
    expect(outputs[0]).to.contain(`/store/beans  ${SITE}/shop/beans  /store/*`).and.contain('3 of 3 404s');
    expect(outputs[1]).to.contain('Change 1 is made');
    expect(outputs.join('\n')).to.contain('/summer-sale').and.contain('gone').and.contain('ignored');
    expect(outputs.at(-1)).to.contain('Change 1 is undone');
    const rules = (await json('list')) as { path: string }[];
    expect(rules.map(({ path }) => path)).to.deep.equal([
      '/news/*',
      '/offer?year=2026',
      '/p-:id.html',
      '/summer-sale',
      '/wp-login.php',
    ]);
  });

  it('docs/reference/rules.md, typed: what was learned is looked at, confirmed and rejected', async () => {
    for (const page of ['start', 'clean']) await run('add', '--from', `/manual/${page}`, '--to', `/help/${page}`);
    for (const page of ['beans', 'mills']) await run('add', '--from', `/store/${page}`, '--to', `/shop/${page}`);
    await met('/manual/mend', 2);
    const [block = ''] = await shellBlocks('docs/reference/rules.md', 'Learned redirects');
    const outputs: string[] = [];
    for (const line of block.split('\n')) {
      const words = line.replaceAll("'", '').trim().split(/\s+/).slice(2);
      const { code, stdout, stderr } = await runInProcess(
        words.map((word) => (word === 'mysite' ? project.row.name : word)),
        environment(),
      );
      expect(code, `${line}: ${stderr}`).to.equal(0);
      outputs.push(stdout);
    }
    expect(outputs[1]).to.match(
      /^2 +\/manual\/\* +https:\/\/shop\.example\/help\/:splat +2 +0 +redirects +\/manual\/mend$/m,
    );
    const rules = (await json('list', '--kind', 'prefix')) as Record<string, unknown>[];
    expect(rules).to.have.length(1);
    expect(rules[0]).to.include({ path: '/manual/*', url: `${SITE}/help/:splat`, origin: 'learned', hits: 0 });
    expect(await json('proposals')).to.deep.equal([]);
    expect(((await json('proposals', '--rejected')) as { path: string }[]).map(({ path }) => path)).to.deep.equal([
      '/store/*',
    ]);
  });

  it('as JSON each is one value, with what a program needs', async () => {
    await met('/a', 2);
    expect(await json('add', '--from', '/a', '--to', '/nowhere', '--by', 'Ann')).to.deep.equal({
      change_id: 1,
      changed: 1,
      unchanged: 0,
      problems: [{ kind: 'target is no page', detail: '/nowhere is no indexed page of the project' }],
    });
    const [rule] = (await json('list')) as Record<string, unknown>[];
    expect(rule).to.have.all.keys(
      'id path host url code pass_query valid_from valid_until imported_at active status kind action origin made_by hits last_hit_at'.split(
        ' ',
      ),
    );
    expect(rule).to.include({ path: '/a', active: false, action: 'redirect', origin: 'person', made_by: 'Ann' });
    expect(await json('add', '--from', '/a', '--gone')).to.include({ change_id: 2 });
    expect(await json('try', '--days', '7')).to.deep.include({
      stored: { days: 7, paths: 1, requests: 2, cut: false },
      rules: [{ path: '/a', action: 'gone', target: null, paths: 1, requests: 2 }],
      problems: [],
    });
    expect(await json('remove', '--path', '/a')).to.include({ path: '/a', deleted: true, change_id: 3 });
    expect(await json('undo', '--change', '3')).to.deep.equal({ change_id: 4, changed: 1, unchanged: 0 });
    const history = (await json('history')) as { change_id: number; undone_by: number | null }[];
    expect(history.map(({ change_id, undone_by }) => [change_id, undone_by])).to.deep.equal([
      [4, null],
      [3, 4],
      [2, null],
      [1, null],
    ]);
    expect(await json('history', '--change', '2')).to.deep.include({
      count: 1,
      rules: [
        { path: '/a', before: { action: 'redirect', target: '/nowhere' }, after: { action: 'gone', target: null } },
      ],
    });
    expect(await json('propose')).to.deep.equal({ proposed: 0 });
  });

  it('say in one line what is wrong with what they are given, and change nothing', async () => {
    for (const [args, words] of [
      [['add', '--from', '/a'], 'one of --to, --gone and --ignore'],
      [['add', '--from', '/a', '--gone', '--ignore'], 'one of --to, --gone and --ignore'],
      [['add', '--from', 'a', '--gone'], 'must be a path that begins with a slash'],
      [['add', '--from', '/*', '--to', '/b'], 'a wildcard for every path'],
      [['add', '--from', '/a', '--to', 'javascript:alert(1)'], 'must be a path'],
      [['add', '--from', '/a', '--gone', '--by', ''], 'by must have'],
      [['remove', '--path', '/none'], 'has no rule for /none'],
      [['undo', '--change', '7'], 'no change 7'],
      [['undo', '--change', 'x'], 'must be the number of a change'],
      [['history', '--change', '1e99'], 'no change'],
      [['try', '--days', '0'], 'days must be'],
      [['confirm', '/none/*'], '/none/* is not proposed'],
      [['confirm', '--all'], 'Nothing is proposed'],
      [['reject'], 'Give paths of proposals, or --all'],
      [['list', '--kind', 'any'], 'Allowed choices'],
      [['list', '--limit', '0'], '--limit must be'],
    ] as const) {
      const { code, stderr } = await run(...args);
      expect(code, args.join(' ')).to.equal(1);
      expect(stderr, args.join(' '))
        .to.contain(words)
        .and.to.not.match(/^\s+at /m);
    }
    expect(await json('list')).to.deep.equal([]);
  });

  it('leave as rules of a server that has expressions; what another lacks is named, with code 3', async () => {
    await run('add', '--from', '/blog/:number/*', '--to', `${SITE}/help/:splat`);
    await run('add', '--from', '/closed/*', '--gone');
    await run('add', '--from', '/old', '--to', '/shop/beans');
    const nginx = await run('export', '--format', 'nginx');
    expect(nginx.code, nginx.stderr).to.equal(0);
    expect(nginx.stdout).to.contain('/old').and.contain('/blog/').and.contain('/closed/').and.contain('410');
    const netlify = await run('export', '--format', 'netlify');
    expect(netlify.code).to.equal(3);
    expect(netlify.stdout).to.contain('/old').and.not.contain('blog').and.not.contain('closed');
    expect(netlify.stderr).to.contain('/blog/:number/*').and.contain('/closed/*');
    const csv = await run('export', '--format', 'csv');
    expect(csv.stdout).to.contain('/blog/:number/*,/help/:splat,301');
    const file = join(folder, 'exported.csv');
    await writeFile(file, csv.stdout);
    expect(await json('import', file), 'imported again').to.include({ created: 0, updated: 0, unchanged: 3, bad: 0 });
  });
});
