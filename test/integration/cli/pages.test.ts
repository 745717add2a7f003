import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { jsonInProcess, runInProcess } from '../../support/commands.js';
import { type Finished } from '../../support/processes.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

interface Report {
  created: number;
  updated_content: number;
  updated_metadata: number;
  unchanged: number;
  bad: number;
  pages: Record<string, number>;
}

describe('pages …, beside a running server', function () {
  this.timeout(180_000);
  const folder = temporaryFolder();
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
  });

  async function importText(text: string, ...args: string[]): Promise<Finished> {
    const file = join(folder, `${project.row.project_id}.jsonl`);
    await writeFile(file, text);
    return runInProcess(['pages', 'import', '--project', project.row.name, file, ...args, '--json']);
  }

  async function importRows(rows: unknown[], ...args: string[]): Promise<Report> {
    const { code, stdout, stderr } = await importText(rows.map((row) => `${JSON.stringify(row)}\n`).join(''), ...args);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout) as Report;
  }

  const list = (...args: string[]): Promise<unknown> =>
    jsonInProcess(['pages', 'list', '--project', project.row.name, ...args]);

  const row = (n: number, more: object = {}) => ({
    url: `https://shop.example/page-${n}`,
    title: `Page ${n}`,
    content: `This is page number ${n}.`,
    ...more,
  });

  it('import --wait upserts every row and returns when the server has indexed them', async () => {
    const rows = Array.from({ length: 120 }, (_, i) => row(i, { metadata: { section: i % 2 === 0 ? 'even' : 'odd' } }));
    const report = await importRows(rows, '--wait');
    expect(report).to.deep.equal({
      created: 120,
      updated_content: 0,
      updated_metadata: 0,
      unchanged: 0,
      overwritten: 0,
      bad: 0,
      pages: { INDEXED: 120, PENDING_VECTORIZATION: 0, PROCESSING: 0, ERROR: 0 },
    });
    const { body } = await project.post('/v1/suggest', { path: '/page-77', options: { filters: { section: 'odd' } } });
    expect(body.suggestions[0]).to.deep.include({ url: '/page-77', title: 'Page 77', metadata: { section: 'odd' } });
  });

  it('list shows each page once, always in the same order; a limit says that there are more', async () => {
    const numbers = Array.from({ length: 1_203 }, (_, i) => i);
    // As if they were indexed, which takes seconds.
    await project.query(
      `insert into pathmend.pages (project_id, page_id, url, url_hash, path_key, content, content_hash, status)
       select $1, substr(md5(u), 1, 24), u, sha256(u::bytea), sha256(u::bytea), 'text', sha256('text'), 'INDEXED'
         from unnest($2::text[]) as u`,
      numbers.map((n) => row(n).url),
    );
    const pages = (await list()) as { page_id: string; url: string }[];
    const urls = pages.map(({ url }) => url);
    expect([...urls].sort()).to.deep.equal(numbers.map((n) => row(n).url).sort());
    const ids = pages.map(({ page_id }) => page_id);
    expect(ids).to.deep.equal([...ids].sort());
    const command = ['pages', 'list', '--project', project.row.name];
    const cut = await runInProcess([...command, '--limit', '2', '--json']);
    expect((JSON.parse(cut.stdout) as { url: string }[]).map(({ url }) => url)).to.deep.equal(urls.slice(0, 2));
    expect(cut.stderr).to.contain('more than these 2').and.to.contain('--limit');
    const { stdout, stderr } = await runInProcess([...command, '--limit', '1203']);
    expect(stdout.trim().split('\n')).to.have.length(1_204);
    expect(stderr).to.equal('');
  });

  it('import tells new, changed and unchanged pages apart; the same file again changes nothing', async () => {
    await importRows([row(1), row(2), row(3)], '--wait');
    expect(await importRows([row(1), row(2), row(3)])).to.include({
      created: 0,
      updated_content: 0,
      updated_metadata: 0,
      unchanged: 3,
    });
    const mixed = [row(1), row(2, { content: 'Other words.' }), row(3, { title: 'Other title' }), row(4)];
    expect(await importRows(mixed)).to.include({ created: 1, updated_content: 1, updated_metadata: 1, unchanged: 1 });
  });

  it('import counts every row: of those that share a url the last is stored, and the others are said', async () => {
    const rows = [row(1), row(1, { title: 'Second' }), row(2), row(1, { title: 'Third' })];
    const { code, stdout, stderr } = await importText(rows.map((entry) => JSON.stringify(entry)).join('\n'));
    expect(code, stderr).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ created: 2, unchanged: 0, overwritten: 2, bad: 0 });
    expect(stderr).to.include('2 rows are not stored: a later row has their url');
  });

  it('import names each bad row by its line, imports the others, and ends with code 1', async () => {
    const text = [
      `\uFEFF${JSON.stringify(row(1))}`,
      '{"url": "https://shop.example/broken',
      '',
      JSON.stringify({ url: 'https://shop.example/no-content' }),
      `${JSON.stringify(row(5))}\r`,
      '["no", "object"]',
      JSON.stringify({ url: 'not a url', content: 'x' }),
      JSON.stringify(row(8, { metadata: [] })),
      JSON.stringify(row(9)),
    ].join('\n');
    const { code, stdout, stderr } = await importText(text);
    expect(code).to.equal(1);
    expect(JSON.parse(stdout)).to.deep.include({ created: 3, bad: 5 });
    for (const [line, words] of [
      [2, 'not valid JSON'],
      [4, 'content'],
      [6, 'not a JSON object'],
      [7, 'url'],
      [8, 'metadata'],
    ] as const) {
      expect(stderr).to.match(new RegExp(`^line ${line}: .*${words}`, 'm'));
    }
    expect(stderr).to.not.match(/^line [1359]: /m);
    expect(stderr)
      .to.contain('5 of 9 rows were refused')
      .and.to.not.match(/^\s+at /m);
    expect(((await list()) as { url: string }[]).map(({ url }) => url)).to.have.members(
      [1, 5, 9].map((n) => row(n).url),
    );
  });

  it('import reports its progress on stderr, so that stdout is the report alone', async () => {
    const { stdout, stderr } = await importText(`${JSON.stringify(row(1))}\n${JSON.stringify(row(2))}\n`, '--wait');
    expect(stderr)
      .to.match(/Importing 2\/2/)
      .and.to.match(/Indexing +2\/2/);
    expect(stdout.trim().split('\n')).to.have.length(1);
  });

  it('import takes an empty file', async () => {
    const { code, stdout } = await importText('');
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ created: 0, bad: 0 });
  });

  it('list prints the pages with their status, those of one status, and at most so many', async () => {
    await importRows([row(1), row(2), row(3)], '--wait');
    await project.query(
      `update pathmend.pages set status = 'ERROR', error = 'the model said no' where project_id = $1 and url = $2`,
      row(2).url,
    );
    expect(await list()).to.have.length(3);
    expect(await list('--limit', '2')).to.have.length(2);
    const failed = (await list('--status', 'ERROR')) as object[];
    expect(failed).to.have.length(1);
    expect(failed[0]).to.include({ url: row(2).url, status: 'ERROR', error: 'the model said no', title: 'Page 2' });
    expect(((await list('--status', 'INDEXED')) as { url: string }[]).map(({ url }) => url)).to.have.members([
      row(1).url,
      row(3).url,
    ]);
    expect(await list('--status', 'PROCESSING')).to.deep.equal([]);
  });

  it('reindex vectorizes every page again, and the pages are found meanwhile', async () => {
    await importRows([row(1), row(2)], '--wait');
    const indexedAt = async (): Promise<number[]> => {
      const rows = await project.query<{ at: Date }>(
        'select indexed_at as at from pathmend.indexed_pages where project_id = $1 order by page_id',
      );
      return rows.map(({ at }) => at.getTime());
    };
    const before = await indexedAt();
    const args = ['pages', 'reindex', '--project', project.row.name];
    expect(await jsonInProcess(args)).to.deep.equal({ queued: 2 });
    const { body } = await project.post('/v1/suggest', { path: '/page-1' });
    expect(body.suggestions[0].url).to.equal('/page-1');
    await project.indexed();
    const after = await indexedAt();
    expect(after.length).to.equal(2);
    for (const [i, at] of after.entries()) expect(at).to.be.above(before[i] ?? Infinity);
  });
});
