import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { PAYLOADS } from '../../scripts/faults/injection/payloads.js';
import { standingOf } from '../../scripts/faults/injection/standing.js';
import { runInProcess } from '../support/commands.js';
import { startTestService, type TestProject, type TestService } from '../support/service.js';
import { connectTo } from '../support/sql.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Every argument that is text, but those of `project create` and `update`, which have a test each. */
const ARGUMENTS: ((payload: string, project: string) => string[])[] = [
  (payload) => ['project', 'show', '--project', payload],
  (payload) => ['project', 'delete', '--yes', '--project', payload],
  (payload) => ['key', 'create', '--mode', 'live', '--project', payload],
  (payload, project) => ['key', 'create', '--project', project, '--mode', payload],
  (payload, project) => ['key', 'create', '--project', project, '--mode', 'live', '--scopes', payload],
  (payload, project) => ['key', 'create', '--project', project, '--mode', 'live', '--expires-in', payload],
  (payload) => ['key', 'revoke', '--key', payload],
  (payload, project) => ['pages', 'list', '--project', project, '--status', payload],
  (payload, project) => ['pages', 'list', '--project', project, '--limit', payload],
  (payload) => ['pages', 'reindex', '--project', payload],
  (payload, project) => ['pages', 'import', payload, '--project', project],
  (payload, project) => ['pages', 'sync', payload, '--project', project],
  (payload, project) => ['pages', 'sync', '/dev/null', '--project', project, '--base', payload],
  (payload, project) => ['redirects', 'import', payload, '--project', project],
  (payload, project) => ['events', 'import', payload, '--project', project],
  (payload, project) => ['events', 'import', 'access.log', '--project', project, '--format', payload],
  (payload, project) => ['redirects', 'import', 'none', '--project', project, '--format', payload],
  (payload) => ['redirects', 'export', '--format', 'nginx', '--project', payload],
  (payload, project) => ['redirects', 'export', '--project', project, '--format', payload],
  (payload, project) => ['redirects', 'verify', '--project', project, '--site', payload],
  (payload) => ['redirects', 'check', '--before', payload, '--after', payload],
  (payload, project) => ['redirects', 'list', '--project', project, '--limit', payload],
  (payload, project) => ['redirects', 'sections', '--project', project, '--limit', payload],
  (payload, project) => ['redirects', 'delete', '--project', project, '--path', payload],
  (payload, project) => ['redirects', 'add', '--project', project, '--gone', '--from', payload],
  (payload, project) => ['redirects', 'add', '--project', project, '--from', '/a', '--to', payload],
  (payload, project) => ['redirects', 'try', '--project', project, '--days', payload],
  (payload, project) => ['redirects', 'undo', '--project', project, '--change', payload],
  (payload, project) => ['redirects', 'history', '--project', project, '--change', payload],
  (payload, project) => ['redirects', 'confirm', payload, '--project', project],
  (payload, project) => ['redirects', 'reject', payload, '--project', project],
];

/** Fewer payloads, for tests that run several commands for each. */
const FEW = PAYLOADS.filter((_, i) => i % 5 === 0);

describe('payloads of SQL injection on the command line', function () {
  this.timeout(300_000);
  let test: TestService;
  let project: TestProject;
  let beside: pg.Client;
  const folder = temporaryFolder();

  before(async () => {
    test = await startTestService();
    project = await test.newProject();
    await project.upsert({ url: 'https://attack.example/returns', content: 'Returns are taken back.' });
    await project.indexed();
    beside = await connectTo(test.database);
  });

  after(async () => {
    await beside.end();
    await test.stop();
  });

  /** Runs a command; returns the JSON that it printed, or an Error with its message to the operator. */
  async function run(argv: readonly string[]): Promise<unknown> {
    const environment = { LOG_LEVEL: 'error', ...test.database.environment };
    const { code, stdout, stderr } = await runInProcess([...argv, '--json'], environment);
    // An import that refused lines has printed its report, and fails.
    if (code === 0 || stdout !== '') return JSON.parse(stdout);
    // Only a bug prints a stack.
    expect(stderr).to.not.match(/^\s+at /m);
    return new Error(stderr);
  }

  it('as arguments are refused in words, or name nothing, and change nothing', async () => {
    const before = await standingOf(beside, '00000000-0000-0000-0000-000000000000');
    for (const [at, argumentsOf] of ARGUMENTS.entries()) {
      // A command opens the database anew, a fifth of a second: each argument takes five payloads, by turns.
      for (const payload of PAYLOADS.filter((_, i) => (i + at) % 13 === 0)) {
        // Options have an equals sign, so that a payload that begins with a dash is a value all the same.
        const outcome = await run(joined(argumentsOf(payload, project.row.project_id)));
        expect(outcome, argumentsOf(payload, 'p').join(' ')).to.be.instanceOf(Error);
      }
    }
    // A failed sync leaves a row in sync_runs, for the console.
    const after = await standingOf(beside, '00000000-0000-0000-0000-000000000000');
    for (const standing of [before, after]) expect(standing.delete('rows of sync_runs')).to.equal(true);
    expect(Object.fromEntries(after)).to.deep.equal(Object.fromEntries(before));
  });

  it('are names as any other: of projects, made, found and renamed', async () => {
    const name = (payload: string): string => payload.trim();
    for (const [i, payload] of FEW.entries()) {
      const made = (await run(['project', 'create', `--name=${payload}`])) as { id: string; name: string };
      expect(made.name).to.equal(name(payload));
      expect(await run(['project', 'show', `--project=${payload.trim()}`]), payload).to.include({
        id: made.id,
        name: name(payload),
      });
      if (i % 3 === 0)
        expect(await run(['project', 'update', `--project=${made.id}`, `--name=${payload} again`])).to.include({
          name: name(`${payload} again`),
        });
    }
    expect(await run(['project', 'list'])).to.have.length(FEW.length + 1);
  });

  it('in files of pages and redirects are text', async () => {
    const before = await standingOf(beside, project.row.project_id);
    const pages = PAYLOADS.map((payload, i) => ({
      url: `https://attack.example/${i}?${payload}`,
      title: payload,
      content: payload,
      metadata: Object.fromEntries([[payload, payload]]),
    }));
    const redirects = PAYLOADS.map((payload) => ({ path: `/${payload}`, expected: 'https://attack.example/returns' }));
    const lines = PAYLOADS.map((payload) => `/old/${encodeURIComponent(payload)} https://attack.example/returns`);
    await writeFile(join(folder, 'pages'), pages.map((page) => JSON.stringify(page)).join('\n'));
    await writeFile(
      join(folder, 'redirects'),
      [...redirects.map((redirect) => JSON.stringify(redirect)), ...lines].join('\n'),
    );
    expect(await run(['pages', 'import', join(folder, 'pages'), '--project', project.row.project_id])).to.include({
      created: PAYLOADS.length,
      bad: 0,
    });
    expect(await run(['pages', 'sync', join(folder, 'pages'), '--project', project.row.project_id])).to.include({
      unchanged: PAYLOADS.length,
      refused: 0,
    });
    // The import refuses paths that look like a pattern but are not valid as one, and nothing else.
    const patterns = redirects.filter(({ path }) => path.includes('*')).length;
    const report = (await run([
      'redirects',
      'import',
      join(folder, 'redirects'),
      '--project',
      project.row.project_id,
    ])) as Record<string, number>;
    expect(report).to.include({ without_page: 0 });
    expect(report['bad']).to.be.within(1, 2 * patterns);
    const stored = (await run(['redirects', 'list', '--project', project.row.project_id])) as { path: string }[];
    expect(stored)
      .to.have.length(report['created'] ?? 0)
      .above(PAYLOADS.length / 2);
    await project.indexed();
    expect(Object.fromEntries(await standingOf(beside, project.row.project_id))).to.deep.equal(
      Object.fromEntries(before),
    );
  });
});

function joined(argv: readonly string[]): string[] {
  const all: string[] = [];
  for (const argument of argv) {
    if (all.at(-1)?.startsWith('--') === true && all.at(-1) !== '--yes') all.push(`${all.pop() ?? ''}=${argument}`);
    else all.push(argument);
  }
  return all;
}
