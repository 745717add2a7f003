import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { PROJECT_GONE } from '#src/cli/shared/describe-failure.js';
import { deleteWholeProject } from '#src/operations/delete-project.js';
import { onCommandLine } from '#src/accounts/actor.js';
import { cliJson, runCli, startServer, type Finished } from '../support/processes.js';
import { sharedService } from '../support/shared-service.js';
import { connectTo, query } from '../support/sql.js';
import { until } from '../support/until.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const PAGE_BYTES = 8_192;

/** Exit code 1, and one line besides the progress: no stack. */
function expectOneLine({ code, stderr }: Finished, words: string): void {
  expect(code, stderr).to.equal(1);
  const lines = stderr.split(/[\r\n]+/).filter((line) => line !== '' && !/^\S*\s*Importing/.test(line));
  expect(lines, stderr).to.have.length(1);
  expect(lines[0]).to.contain(words);
}

describe('what an operator cannot know is said in one line', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();

  async function fileOf(name: string, rows: number, line: (i: number) => string): Promise<string> {
    const file = join(folder, name);
    await writeFile(file, Array.from({ length: rows }, (_, i) => `${line(i)}\n`).join(''));
    return file;
  }
  const pageLine = (i: number): string =>
    JSON.stringify({ url: `https://shop.example/page-${i}`, content: `This is page number ${i}.` });

  it('pages import, whose project is deleted meanwhile', async () => {
    const project = await sharedService().newProject();
    const { service, database } = sharedService();
    const file = await fileOf('many.jsonl', 20_000, pageLine);
    const importing = runCli(['pages', 'import', '--project', project.row.name, file], database.environment);
    await until(
      'some pages are there',
      async () =>
        (await query(service, 'select from pathmend.pages where project_id = $1 limit 1', [project.row.project_id]))
          .length > 0,
    );
    await deleteWholeProject(service.db, onCommandLine(), project.row);
    expectOneLine(await importing, PROJECT_GONE);
  });

  it('a file that is compressed', async () => {
    const project = await sharedService().newProject();
    const file = join(folder, 'pages.jsonl.gz');
    await writeFile(file, gzipSync(pageLine(1)));
    for (const command of ['pages', 'redirects']) {
      const finished = await runCli(
        [command, 'import', '--project', project.row.name, file],
        sharedService().database.environment,
      );
      expectOneLine(finished, 'is compressed: unpack it first');
    }
  });

  it('a damaged page of the database', async () => {
    const environment = { DATA_DIR: join(folder, 'data') };
    const server = await startServer(environment);
    await cliJson(['project', 'create', '--name', 'damaged'], environment);
    await cliJson(
      ['pages', 'import', '--project', 'damaged', await fileOf('few.jsonl', 3, pageLine), '--wait'],
      environment,
    );
    const client = await connectTo({ kind: 'embedded', environment, drop: () => Promise.resolve() });
    const { rows } = await client.query<{ path: string }>(`select pg_relation_filepath('pathmend.pages') as path`);
    await client.query('checkpoint');
    await client.end();
    expect(await server.end('SIGTERM')).to.equal(0);
    const file = join(environment.DATA_DIR, 'postgres', rows[0]?.path ?? '');
    const bytes = await readFile(file);
    expect(bytes.length).to.be.at.least(PAGE_BYTES);
    // Its header and all: what a disk returns that lost the page.
    bytes.fill(0xa5, 0, PAGE_BYTES);
    await writeFile(file, bytes);
    const args = ['--project', 'damaged'];
    expectOneLine(
      await runCli(['pages', 'list', ...args], environment),
      'The database is damaged: invalid page in block 0',
    );
    expectOneLine(
      await runCli(['pages', 'import', ...args, join(folder, 'few.jsonl')], environment),
      'The database is damaged: invalid page in block 0',
    );
  });
});
