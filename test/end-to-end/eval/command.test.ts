import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { OperatorError } from '#src/base/errors.js';
import { packageRoot } from '#src/base/package-root.js';
import { readOptions } from '../../../scripts/eval/options.js';
import type { Finished } from '../../support/processes.js';
import { sharedService } from '../../support/shared-service.js';
import { loggedSearches, storedClicks } from '../../support/stored-events.js';
import { jsonLines, makeTinySite, TINY_PAGES, type TinySite } from './tiny-site.js';

/** `npm run eval -- …` without npm and the build, on an embedded database of its own. */
function runEval(args: readonly string[], environment: Record<string, string> = {}): Promise<Finished> {
  const { PATH = '', HOME = '', TMPDIR = '/tmp' } = process.env;
  const options = { env: { PATH, HOME, TMPDIR, ...environment }, maxBuffer: 64 * 1024 * 1024 };
  return new Promise((resolve) => {
    const main = `${packageRoot()}/.build/scripts/eval/main.js`;
    const child = execFile(process.execPath, [main, ...args], options, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}

const MEASURES = ['n', 'recall1', 'recall3', 'mrr', 'answered', 'precision1'];

const pageNamed = (name: string): string => TINY_PAGES.find(({ url }) => url.includes(name))?.url ?? '';

describe('eval: the command', function () {
  // Each starts a whole service, embedded database and model included.
  this.timeout(300_000);
  let site: TinySite;

  beforeEach(async () => {
    site = await makeTinySite();
  });

  afterEach(() => site.remove());

  it('prints for each site redirects, typos, queries, probes and pages taken off, each with its measures', async () => {
    await site.write(
      'redirects.jsonl',
      jsonLines([
        {
          path: '/repair/flat-tyres.html',
          expected: 'https://bikes.example/repair/flat-tyre/',
          kind: 'moved',
          overlap: 0.5,
        },
        { path: '/everything', expected: 'https://bikes.example/about/', catch_all: true },
      ]),
    );
    await site.write(
      'typos.jsonl',
      jsonLines([{ path: '/tours/lake-lop/', expected: 'https://bikes.example/tours/lake-loop/' }]),
    );
    await site.write(
      'queries.jsonl',
      jsonLines([
        { query: 'how to stop brakes from squeaking', expected: 'https://bikes.example/repair/squeaking-brakes/' },
      ]),
    );
    const { code, stdout, stderr } = await runEval(['--sites', site.folder, '--json']);
    expect(code, stderr).to.equal(0);
    const all = JSON.parse(stdout);
    expect(Object.keys(all)).to.deep.equal([site.folder.split('/').at(-1)]);
    const [measured] = Object.values<any>(all); // eslint-disable-line @typescript-eslint/no-explicit-any
    expect(measured).to.include.keys('redirects', 'typos', 'queries', 'probes', 'reliability', 'mixture');
    for (const kind of ['redirects', 'typos', 'queries', 'probes', 'taken_off', 'deleted'])
      expect(measured[kind], kind)
        .to.include.keys(...MEASURES)
        .and.not.include.keys('peers');
    expect(measured.redirects).to.include({ n: 1, recall1: 1 });
    expect(measured.typos).to.include({ n: 1, recall1: 1 });
    expect(measured.queries).to.include({ n: 1, recall1: 1 });
    expect(measured.redirects.lists.at_list).to.include({ threshold: 0.1, right_shown: 1 });
    expect(measured.probes.n).to.be.above(50);
    for (const kind of ['taken_off', 'deleted'])
      expect(measured[kind].at_redirect, kind).to.include.keys('answered', 'precision1');
    expect(measured.taken_off.n).to.equal(1);
    expect(stderr).to.include('1 left out');
  });

  it('imports every other redirect, and asks for the rest before and after', async () => {
    const moved = ['flat-tyre', 'squeaking-brakes', 'opening-hours', 'rent-a-bike', 'lake-loop', 'about'];
    // Names that say nothing of the page: what a redirect with another ending teaches is all that can be known.
    const names = ['amber', 'birch', 'cedar', 'dune', 'ember', 'fjord'];
    const lines = moved.flatMap((name, at) =>
      ['html', 'php'].map((ending) => ({ path: `/archive/${names[at]}.${ending}`, expected: pageNamed(name) })),
    );
    await site.write('redirects.jsonl', jsonLines(lines));
    const { code, stdout, stderr } = await runEval(['--sites', site.folder, '--json']);
    expect(code, stderr).to.equal(0);
    const [measured] = Object.values<any>(JSON.parse(stdout)); // eslint-disable-line @typescript-eslint/no-explicit-any
    expect(measured.half_known)
      .to.include({ n: 6 })
      .and.include.keys(...MEASURES, 'at_redirect', 'reliability');
    expect(measured.half_known.cold).to.include({ n: 6 }).and.include.keys('recall1', 'recall3', 'mrr');
    expect(measured.half_known.recall1).to.equal(1);
    expect(measured.half_known.cold.recall1).to.be.below(1);
    expect(measured.redirects.by_kind).to.deep.include.keys('renamed');
    const table = await runEval(['--sites', site.folder]);
    expect(table.stdout)
      .to.match(/half of the redirects known/)
      .and.match(/^\S+ +redirects +12 +\d?\.\d\d/m)
      .and.match(/renamed +12 /);
  });

  it("measures a customer's pages and redirect map, with peers and a report", async () => {
    const map = await site.write(
      'moved.conf',
      'rewrite ^/flat-tyres\\.html$ /repair/flat-tyre permanent;\n/hire/* /shop/rent-a-bike\n/opening-times /shop/opening-hours/ 301\n',
    );
    const { code, stdout, stderr } = await runEval([
      '--pages',
      site.file('pages.jsonl'),
      '--redirects',
      map,
      '--json',
      '--peers',
      '--report',
      site.file('report.html'),
    ]);
    expect(code, stderr).to.equal(0);
    const all = JSON.parse(stdout);
    expect(Object.keys(all)).to.deep.equal(['bikes.example', 'macro_average']);
    const { redirects } = all['bikes.example'];
    expect(redirects).to.include({ n: 2, recall1: 1 });
    expect(redirects.peers).to.include.keys(
      'path_overlap',
      'minisearch',
      'orama_hybrid',
      'pg_trgm_full_text',
      'raw_cosine',
    );
    expect(redirects.peers.plain_sum).to.have.all.keys('n', 'recall1', 'recall3', 'mrr');
    expect(redirects.by_overlap['0.2 to 0.5'].peers.plain_sum.n).to.equal(redirects.by_overlap['0.2 to 0.5'].n);
    expect(all.macro_average.redirects).to.include({ n: 2, sites: 1 });
    expect(stderr).to.include('1 left out: a wildcard').and.include('moved.conf:2: /hire/*');
    const report = await readFile(site.file('report.html'), 'utf8');
    expect(report)
      .to.include('<h2>bikes.example</h2>')
      .and.include('Too little data to say')
      .and.include('orama hybrid');
  });

  it('measures clicks beside the running server, whose database it only reads', async () => {
    const shared = sharedService();
    const { service, database } = shared;
    const project = await shared.newProject();
    for (const page of TINY_PAGES) await project.upsert(page);
    await project.indexed();
    const answer = await project.post('/v1/suggest', { path: '/repair/flat-tyres' });
    await project.post('/v1/events', {
      clicked_url: '/repair/flat-tyre/',
      clicked_rank: 1,
      raw_path: '/repair/flat-tyres',
      search_id: answer.body.search_id,
    });
    await loggedSearches(service, project.row.project_id, 1);
    await storedClicks(service, project.row.project_id, 1);
    const { code, stdout, stderr } = await runEval(
      ['--clicks', project.row.name, '--json', '--report', site.file('report.html')],
      database.environment,
    );
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)[project.row.name].redirects).to.include({ n: 1, recall1: 1 });
    expect(await readFile(site.file('report.html'), 'utf8')).to.include('Nobody can click a page that was not shown');
    const { rows } = await service.database.connection.pool.query(
      'select from pathmend.searches where project_id = $1',
      [project.row.project_id],
    );
    expect(rows).to.have.length(1);
  });

  it('says in words what is wrong, without a stack', async () => {
    const bad = await site.write('bad.csv', 'from,to\n/a,/about/\nnonsense,/about/\n');
    const { code, stdout, stderr } = await runEval(['--pages', site.file('pages.jsonl'), '--redirects', bad]);
    expect(stderr).to.include('bad.csv:3: from must be a path').and.not.include('    at ');
    expect(code).to.equal(1);
    expect(stdout).to.equal('');
    const nowhere = await runEval(['--sites', site.folder, '--report', site.file('absent/report.html')]);
    expect(nowhere.stderr).to.include('--report: nothing can be written').and.not.include('    at ');
    expect(nowhere.code).to.equal(1);
  });

  it('refuses options that do not go together, and numbers that cannot be', () => {
    const faults: [string[], string][] = [
      [[], '--sites DIR'],
      [['--sites', 'a', '--clicks', 'x'], 'one of'],
      [['--pages', 'p'], '--pages and --redirects go together'],
      [['--redirects', 'p'], '--pages and --redirects go together'],
      [['--sites', 'a', '--most', '0'], '--most must be'],
      [['--sites', 'a', '--precision', '80'], '--precision must lie between 0 and 1'],
      [['--sites', 'a,b/../a/'], 'two folders called a'],
    ];
    for (const [args, message] of faults)
      expect(() => readOptions(['node', 'eval', ...args]), args.join(' ')).to.throw(OperatorError, message);
  });
});
