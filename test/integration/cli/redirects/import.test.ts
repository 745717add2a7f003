import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { hashPlainPath } from '#src/text/paths/plain-path.js';
import { pushPages } from '../../../support/learned-redirects.js';
import { jsonInProcess, runInProcess } from '../../../support/commands.js';
import { type Finished } from '../../../support/processes.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

describe('redirects …, beside a running server', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
    await pushPages(project, '/new/x', '/new/y', '/new/z', '/about');
  });

  const run = (command: string, ...args: string[]): Promise<Finished> =>
    runInProcess(['redirects', command, '--project', project.row.name, ...args, '--json']);
  const json = (command: string, ...args: string[]): Promise<unknown> =>
    jsonInProcess(['redirects', command, '--project', project.row.name, ...args]);

  async function importText(text: string, ending = ''): Promise<Finished> {
    const file = join(folder, `${project.row.project_id}${ending}`);
    await writeFile(file, text);
    return run('import', file);
  }

  it('import takes JSON lines and redirect maps, and says what was learned', async () => {
    const { code, stdout, stderr } = await importText(
      [
        '\uFEFF# the move of 2024',
        '{"path": "/old/x", "expected": "https://shop.example/new/x", "kind": "moved"}',
        '/old/y.html /new/y 301',
        '',
        'https://shop.example/who-we-are /about',
        '/old/z /gone',
      ].join('\r\n'),
    );
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({
      created: 3,
      updated: 0,
      unchanged: 0,
      gone: 0,
      review: 0,
      without_page: 1,
      bad: 0,
      overwritten: 0,
      ignored: 0,
      section_redirects: 1,
    });
    expect(stderr)
      .to.match(/Importing 6\/6/)
      .and.to.match(/^line 6: the project has no page \/gone; the redirect waits for it$/m);
    expect(
      ((await json('list')) as { path: string; url: string; active: boolean }[]).map(({ path, url, active }) => [
        path,
        url,
        active,
      ]),
    ).to.deep.equal([
      ['/old/x', 'https://shop.example/new/x', true],
      ['/old/y.html', 'https://shop.example/new/y', true],
      ['/old/z', '/gone', false],
      ['/who-we-are', 'https://shop.example/about', true],
    ]);
    const cut = await run('list', '--limit', '2');
    expect((JSON.parse(cut.stdout) as { path: string }[]).map(({ path }) => path)).to.deep.equal([
      '/old/x',
      '/old/y.html',
    ]);
    expect(cut.stderr).to.contain('more than these 2').and.to.contain('--limit');
    expect((await run('list', '--limit', '4')).stderr).to.equal('');
    expect(await json('sections')).to.deep.equal([
      { old_prefix: '/old', new_prefix: '/new', support: 2, contradictions: 0, confidence: 0.86, source: 'redirect' },
    ]);
  });

  it('import again changes nothing; another target takes the place of the first', async () => {
    await importText('/old/x /new/x\n/who /about\n');
    expect(JSON.parse((await importText('/old/x /new/x\n/who/ /new/y\n')).stdout)).to.include({
      created: 0,
      updated: 1,
      unchanged: 1,
      gone: 0,
    });
  });

  it('import names each bad line by its number, stores the others, and ends with code 1', async () => {
    const { code, stdout, stderr } = await importText(
      '/old/x /new/x\n/old\n{"path": "/old/y"}\n/a /b 404\n/old/:id /new/:other\n/old/y /new/y\n',
    );
    expect(code).to.equal(1);
    expect(JSON.parse(stdout)).to.include({ created: 2, bad: 4 });
    for (const [line, words] of [
      [2, 'neither'],
      [3, 'expected'],
      [4, '404'],
      [5, 'pattern'],
    ] as const) {
      expect(stderr).to.match(new RegExp(`^line ${line}: .*${words}`, 'm'));
    }
    expect(stderr)
      .to.contain('4 of 6 lines were refused')
      .and.to.not.match(/^\s+at /m);
  });

  it('import counts rules where several are on one line', async () => {
    const redirects = [
      { source: '/old/:id(\\d{4})', destination: '/new/x' },
      { source: '/a/:b', destination: '/new/:c' },
      { source: '/c', destination: '/new/z' },
    ];
    const { code, stdout, stderr } = await importText(JSON.stringify({ redirects }), '.vercel.json');
    expect(code, stderr).to.equal(1);
    expect(JSON.parse(stdout)).to.include({ created: 1, bad: 2 });
    expect(stderr).to.include('2 rules on 1 of 1 line were refused.');
  });

  it('import names a row that a later one of the same path, and with another target, overwrites', async () => {
    const { code, stdout, stderr } = await importText(
      [
        '{"path": "/k3/A", "expected": "/new/x"}',
        '{"path": "/k3/a", "expected": "/new/y"}',
        '/k4/a.html https://shop.example/new/x',
        ...Array.from({ length: 600 }, (_, at) => `/far-${at} /about`),
        '/k4/a /new/z',
        '/same.html /about',
        '/Same https://shop.example/about/',
        '/k5 410',
        '/k5/ /about',
        '/w/* /new/:splat',
        '/W/* /about',
      ].join('\n'),
    );
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ overwritten: 4, bad: 0, created: 605 });
    for (const line of [
      /^line 1: \/k3\/A to \/new\/x is overwritten by line 2, \/k3\/a to \/new\/y: /m,
      /^line 3: \/k4\/a\.html to https:\/\/shop\.example\/new\/x is overwritten by line 604, \/k4\/a to \/new\/z: /m,
      /^line 607: \/k5 \(gone\) is overwritten by line 608, \/k5\/ to \/about: /m,
      /^line 609: \/w\/\* to \/new\/:splat is overwritten by line 610, \/W\/\* to \/about: /m,
      /^4 rows are overwritten/m,
    ])
      expect(stderr).to.match(line);
  });

  it('import takes more redirects than fit into one transaction', async () => {
    const { code, stdout, stderr } = await importText(
      Array.from({ length: 1_201 }, (_, i) => `/old/${i} /about`).join('\n'),
    );
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.equal({
      created: 1_201,
      updated: 0,
      unchanged: 0,
      gone: 0,
      review: 0,
      without_page: 0,
      bad: 0,
      overwritten: 0,
      ignored: 0,
      section_redirects: 0,
    });
  });

  it('delete forgets a redirect and its section; one that is not there is named', async () => {
    await importText('/old/x /new/x\n');
    expect(await json('delete', '--path', '/Old/x.html')).to.deep.equal({
      path: '/Old/x.html',
      deleted: true,
      change_id: 1,
      section_redirects: 0,
    });
    expect(await json('list')).to.deep.equal([]);
    expect(await json('sections')).to.deep.equal([]);
    const again = await run('delete', '--path', '/old/x');
    expect(again.code).to.equal(1);
    expect(again.stderr).to.contain('/old/x').and.to.contain('redirects list');
  });

  it('list --learned shows what clicks taught, delete --learned forgets it', async () => {
    const [x, y] = await Promise.all(
      ['/old/x', '/old/y'].map((path) =>
        project.query<{ page_id: string }>(
          `select page_id from pathmend.pages where project_id = $1 and url like $2`,
          `%${path.replace('old', 'new')}`,
        ),
      ),
    );
    for (const [path, page, clicks] of [
      ['/old/x', x, 3],
      ['/old/y', y, 1],
    ] as const) {
      await project.query(
        `insert into pathmend.learned_redirects (project_id, old_path_hash, page_id, old_path, clicks, last_seen_at) values ($1, $2, $3, $4, $5, now())`,
        hashPlainPath(path),
        page?.[0]?.page_id,
        path,
        clicks,
      );
    }
    const learned = async (): Promise<unknown[]> =>
      ((await json('list', '--learned')) as { path: string; url: string; searches: number; confirmed: boolean }[]).map(
        ({ path, url, searches, confirmed }) => [path, url, searches, confirmed],
      );
    expect(await learned()).to.deep.equal([
      ['/old/x', 'https://shop.example/new/x', 3, true],
      ['/old/y', 'https://shop.example/new/y', 1, false],
    ]);
    expect(await json('list'), 'they are no redirects').to.deep.equal([]);
    expect(await json('delete', '--learned', '--path', '/Old/x.html')).to.include({ deleted: true });
    expect(await learned()).to.deep.equal([['/old/y', 'https://shop.example/new/y', 1, false]]);
    expect((await run('delete', '--learned', '--path', '/old/x')).stderr).to.contain('list --learned');
    expect(await json('delete', '--learned', '--all')).to.include({ deleted: true });
    expect(await learned()).to.deep.equal([]);
    for (const args of [['--all'], [], ['--learned']])
      expect((await run('delete', ...args)).stderr).to.contain('--from');
  });

  it('check counts a rule of a web server where that server matches the file, and one of a host for both addresses', async () => {
    const [now, next] = [await mkdtemp(join(folder, 'now-')), await mkdtemp(join(folder, 'next-'))];
    await mkdir(join(now, 'd'));
    for (const file of ['index.html', 'new.html', 'b.html', 'd/x.html', 'd/index.html'])
      await writeFile(join(now, file), file);
    await mkdir(join(next, 'e'));
    for (const file of ['index.html', 'new.html', 'e/x.html', 'e/index.html']) await writeFile(join(next, file), file);
    const check = async (name: string, text: string): Promise<string[]> => {
      const rules = join(next, name);
      await writeFile(rules, text);
      const { stdout } = await runInProcess(
        [
          'redirects',
          'check',
          '--before',
          now,
          '--after',
          next,
          '--json',
          ...(name === 'rules' ? ['--redirects', rules] : []),
        ],
        {},
      );
      await rm(rules);
      return (JSON.parse(stdout) as { lost: { file: string }[] }).lost.map(({ file }) => file);
    };
    const below = 'Redirect 301 /d /e\n';
    expect(await check('.htaccess', below)).to.deep.equal(['b.html']);
    expect(await check('.htaccess', `${below}Redirect 301 /b.html /new.html`)).to.deep.equal([]);
    for (const rule of [
      'Redirect 301 /b /new.html',
      'RewriteRule ^b$ /new.html [R=301,L]',
      'RedirectMatch 301 ^/b/?$ /new.html',
      'Redirect 301 /b.html /new',
    ])
      expect(await check('.htaccess', below + rule), rule).to.deep.equal(['b.html']);
    expect(
      await check('rules', `location ^~ /d/ { return 301 /e/; } location = /b { return 301 /new.html; }`),
    ).to.deep.equal(['b.html']);
    const config =
      '<configuration><rule name="b"><match url="^b$" /><action type="Redirect" url="/new.html" /></rule></configuration>';
    expect(await check('web.config', config)).to.deep.equal(['b.html', 'd/index.html', 'd/x.html']);
    for (const rule of ['/b /new', '/b.html /new.html', '/b/ /new.html'])
      expect(await check('_redirects', `/d/* /e/:splat\n${rule}\n`), rule).to.deep.equal([]);
  });

  it('check maps columns of its file as an import does', async () => {
    const [now, next] = [await mkdtemp(join(folder, 'now-')), await mkdtemp(join(folder, 'next-'))];
    for (const file of ['index.html', 'a.html', 'b.html']) await writeFile(join(now, file), file);
    await writeFile(join(next, 'index.html'), '');
    const rules = join(folder, 'mapped.csv');
    await writeFile(rules, 'from,to,weg\n/a.html,/index.html,0\n/b.html,/index.html,1\n');
    const args = ['redirects', 'check', '--before', now, '--after', next, '--redirects', rules, '--json'];
    expect((await runInProcess(args, {})).stderr).to.include('may change what its redirects do: weg ("0")');
    const { code, stdout, stderr } = await runInProcess([...args, '--columns', 'weg=disabled'], {});
    expect(JSON.parse(stdout), stderr).to.include({ redirects: 1 });
    expect((JSON.parse(stdout) as { lost: { file: string }[] }).lost.map(({ file }) => file)).to.deep.equal(['b.html']);
    expect(code).to.equal(1);
    const wrong = await runInProcess([...args, '--columns', 'weg=fort'], {});
    expect(wrong.stderr).to.include('columns must be pairs such as deleted=disabled');
  });

  it('map tells a url of another domain from a page of the same path', async () => {
    const file = join(folder, 'old-urls.txt');
    const old = [
      'https://elsewhere.example/new/x',
      'http://www.shop.example/new/x',
      'https://elsewhere.example:8443/about',
      '/about',
      'http://elsewhere.example/new/x',
    ];
    await writeFile(file, old.join('\n'));
    const { code, stdout, stderr } = await run('map', file);
    expect(code, stderr).to.equal(0);
    const { rows, ...counts } = JSON.parse(stdout) as { rows: { old: string; new: string }[] };
    expect(counts).to.include({ urls: 2, live: 2, refused: 1 });
    expect(rows.map((row) => `${row.old} ${row.new}`)).to.have.members([
      'https://elsewhere.example/new/x https://shop.example/new/x',
      'https://elsewhere.example:8443/about https://shop.example/about',
    ]);
    expect(stderr).to.include('line 5: http://elsewhere.example/new/x again');
  });
});
