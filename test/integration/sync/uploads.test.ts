import { Readable } from 'node:stream';
import { expect } from 'chai';
import { ApiError } from '#src/base/errors.js';
import { readSource, setSource } from '#src/sync/project-source.js';
import { MAX_UPLOAD_BYTES, storeUpload } from '#src/sync/store-upload.js';
import { startTestService, type TestService } from '../../support/service.js';
import { PERSON, startChangingSite, SyncedProject, type ChangingSite } from '../../support/synced-site.js';
import { until } from '../../support/until.js';
import { rejection } from '../embedding/rejection.js';

const ROW = Buffer.from('{}\n');

describe('an uploaded file', function () {
  this.timeout(180_000);
  let test: TestService;
  let site: ChangingSite;
  let project: SyncedProject;

  before(async () => {
    test = await startTestService();
    site = await startChangingSite();
  });
  after(async () => {
    await site.web.close();
    await test.stop();
  });
  beforeEach(async () => {
    project = new SyncedProject(test, site, await test.newProject());
  });

  const upload = (name: string, bytes: Iterable<Buffer>) =>
    storeUpload(project.deps, project.id, name, Readable.from(bytes));
  const uploads = () =>
    project.rows('select name, bytes from pathmend.uploads where project_id = $1 and bytes is not null');

  function* chunksOf(file: Buffer): Generator<Buffer> {
    for (let at = 0; at < file.length; at += 60_000) yield file.subarray(at, at + 60_000);
  }

  it('is the source of a project, which any worker reads, and goes with it', async () => {
    const rows = Array.from({ length: 120 }, (_, n) => ({
      url: `https://a.example/row-${n}`,
      content: `Row ${n}: ${'many words '.repeat(1_000)}`,
    }));
    const file = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    expect(await upload('pages.jsonl', chunksOf(file))).to.include({ name: 'pages.jsonl', bytes: file.length });
    await project.set({ kind: 'upload' });
    expect(await readSource(project.deps.db, project.id)).to.include({
      kind: 'upload',
      source: 'pages.jsonl',
      next_at: null,
    });
    expect((await project.sync()).report).to.include({ created: 120 });
    await upload('pages.csv', [Buffer.from('url,content\nno url,x\nhttps://a.example/row-1,New.\n')]);
    await project.set({ kind: 'upload' });
    const { refusals, report } = await project.sync();
    expect(refusals[0]).to.include({ where: 'pages.csv:2' });
    expect(report).to.include({ updated_content: 1, gone: 119 });
    await setSource(project.deps, project.id, null, PERSON);
    expect(await project.rows('select from pathmend.upload_chunks where project_id = $1')).to.deep.equal([]);
  });

  it('is refused where it is too large, empty, or of another kind, and the one before is kept', async () => {
    await upload('pages.jsonl', [ROW]);
    const refused = async (name: string, bytes: Iterable<Buffer>): Promise<string> =>
      (await rejection(upload(name, bytes), ApiError)).message;
    function* tooMany(): Generator<Buffer> {
      for (let at = 0; at <= MAX_UPLOAD_BYTES; at += 1 << 20) yield Buffer.alloc(1 << 20);
    }
    expect(await refused('pages.jsonl', tooMany())).to.equal('The file is larger than 64 MB.');
    expect(await refused('pages.jsonl', [])).to.equal('The file is empty.');
    expect(await refused('pages.zip', [ROW])).to.include('ends in .jsonl');
    expect(await uploads()).to.deep.equal([{ name: 'pages.jsonl', bytes: ROW.length }]);
  });

  it('is given up on its way when another one begins', async () => {
    const slow = new Readable({ read: () => undefined });
    const first = rejection(storeUpload(project.deps, project.id, 'first.jsonl', slow), ApiError);
    slow.push(ROW);
    const begun = (): Promise<unknown[]> => project.rows('select from pathmend.uploads where project_id = $1');
    await until('the first has begun', async () => (await begun()).length === 1);
    await upload('second.jsonl', [ROW]);
    slow.push(Buffer.alloc(2 << 20));
    slow.push(null);
    expect((await first).message).to.equal('Another file was uploaded meanwhile.');
    expect(await uploads()).to.deep.equal([{ name: 'second.jsonl', bytes: ROW.length }]);
  });
});
