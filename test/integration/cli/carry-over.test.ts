import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { jsonInProcess, runInProcess } from '../../support/commands.js';
import { shellBlocks } from '../../support/document.js';
import { sharedService } from '../../support/shared-service.js';
import { query } from '../../support/sql.js';
import type { TestProject } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const SITE = 'https://carried.example';
/** These have characters that lines of JSON and shells treat in their own ways. */
const PAGES = [
  {
    url: `${SITE}/tea`,
    title: 'Tea "black" \\ green',
    content: 'Leaves\nof\ttea, ünïcode 茶.',
    metadata: { tags: ['a', 1] },
  },
  { url: `${SITE}/plain`, title: null, content: "Nothing but 'content'.", metadata: null },
];

describe('pages and rules of one database in another', () => {
  const folder = temporaryFolder();
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
    for (const page of PAGES) await project.upsert(page);
  });

  const wholePages = (of: TestProject): Promise<unknown[]> =>
    of.query('select url, title, content, metadata from pathmend.pages where project_id = $1 order by url desc');

  it('come over as docs/operate/upgrade.md describes it for a version before 1.0.0', async () => {
    const blocks = await shellBlocks('docs/operate/upgrade.md', 'From a version before 1.0.0');
    const [rulesOut = '', pagesOut = '', allIn = ''] = blocks;
    const typed = (line: string, name: string): string[] =>
      line
        .replace(/^node dist\/cli.js /, '')
        .split(' ')
        .map((word) => (/\.jsonl?$/.test(word) ? join(folder, word) : word === 'mysite' ? name : word));
    const from = project.row.name;
    await jsonInProcess(['redirects', 'add', '--project', from, '--from', '/old-tea', '--to', '/tea']);
    await jsonInProcess(typed(rulesOut, from));
    const [, statement = ''] = /--command "([^"]*)"$/.exec(pagesOut) ?? [];
    const rows = await query<{ json_build_object: object }>(sharedService().service, statement.replace('mysite', from));
    const lines = rows.map(({ json_build_object: page }) => `${JSON.stringify(page)}\n`).join('');
    await writeFile(join(folder, 'pages.jsonl'), lines);

    const other = await sharedService().newProject();
    const commands = allIn.split('\n');
    expect(commands.map((line) => line.split(' ').slice(2, 4).join(' '))).to.deep.equal([
      'migrate',
      'project create',
      'pages import',
      'redirects import',
    ]);
    for (const line of commands.slice(2)) await jsonInProcess(typed(line, other.row.name));
    expect(await wholePages(other)).to.deep.equal(PAGES);
    const rules = await jsonInProcess(['redirects', 'list', '--project', other.row.name]);
    expect(rules).to.have.length(1);
    expect((rules as object[])[0]).to.include({ path: '/old-tea' });
  });

  it('are written by `pages export`, all of them, and read by `pages import`', async () => {
    const many = Array.from({ length: 45 }, (_, n) => ({ url: `${SITE}/n/${n}`, content: `Number ${n}.` }));
    for (const page of many) await project.upsert(page);
    const [out, name] = [join(folder, 'all.jsonl'), project.row.name];
    expect(await jsonInProcess(['pages', 'export', '--project', name, '--out', out])).to.deep.equal({ pages: 47, out });
    const { code, stdout } = await runInProcess(['pages', 'export', '--project', name]);
    expect([code, stdout]).to.deep.equal([0, await readFile(out, 'utf8')]);
    const other = await sharedService().newProject();
    await jsonInProcess(['pages', 'import', '--project', other.row.name, out]);
    expect(await wholePages(other)).to.deep.equal(await wholePages(project));
  });

  it('are not written where --json has no file, or the file cannot be made', async () => {
    const args = ['pages', 'export', '--project', project.row.name];
    const nowhere = await runInProcess([...args, '--json']);
    expect([nowhere.code, nowhere.stdout]).to.deep.equal([1, '']);
    expect(nowhere.stderr).to.include('--json needs --out FILE');
    const missing = await runInProcess([...args, '--out', join(folder, 'none', 'pages.jsonl')]);
    expect(missing.code).to.equal(1);
    expect(missing.stderr).to.include('cannot be written');
  });
});
