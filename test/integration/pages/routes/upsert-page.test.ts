import { expect } from 'chai';
import { sharedService } from '../../../support/shared-service.js';
import type { Answer, TestProject } from '../../../support/service.js';

const PAGE = {
  url: 'https://shop.example/pens/blue',
  content: 'A blue fountain pen with a steel nib.',
  title: 'Blue pen',
  metadata: { category: 'pens', price: 12.5, tags: ['blue', 'steel'], maker: { name: 'Oak', since: null } },
};

describe('POST /v1/pages/upsert', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
  });

  const stored = async (): Promise<Record<string, unknown>> => {
    await project.indexed();
    const { body } = await project.post('/v1/retrieve', { query: 'pen' });
    expect(body.documents).to.have.lengthOf(1);
    const shown = Object.entries(body.documents[0] as Record<string, unknown>);
    return Object.fromEntries(shown.filter(([name]) => name !== 'id' && name !== 'score'));
  };

  function expectAnswer(answer: Answer, action: string, status: string, message: RegExp): void {
    expect(answer.status).to.equal(202);
    expect(answer.body).to.have.all.keys('page_id', 'status', 'action', 'message');
    expect(answer.body).to.include({ action, status });
    expect(answer.body.page_id).to.match(/^[0-9a-f]{24}$/);
    expect(answer.body.message).to.match(message);
  }

  it('creates a page, queued for vectorization, and stores it whole', async () => {
    expectAnswer(await project.upsert(PAGE), 'created', 'PENDING_VECTORIZATION', /created/);
    expect(await stored()).to.deep.equal(PAGE);
  });

  it('takes a page without title and metadata, and names neither in retrieve', async () => {
    const { url, content } = PAGE;
    expectAnswer(await project.upsert({ url, content }), 'created', 'PENDING_VECTORIZATION', /created/);
    expect(await stored()).to.deep.equal({ url, content });
  });

  it('changes nothing when repeated, keeps the status and says so', async () => {
    const first = await project.upsert(PAGE);
    await project.indexed();
    const again = await project.upsert(PAGE);
    expectAnswer(again, 'updated_metadata', 'INDEXED', /nothing changed/i);
    expect(again.body.page_id).to.equal(first.body.page_id);
    const reordered = {
      ...PAGE,
      metadata: { maker: { since: null, name: 'Oak' }, tags: ['blue', 'steel'], price: 12.5, category: 'pens' },
    };
    expectAnswer(await project.upsert(reordered), 'updated_metadata', 'INDEXED', /nothing changed/i);
    expectAnswer(
      await project.upsert({ url: PAGE.url, content: PAGE.content }),
      'updated_metadata',
      'INDEXED',
      /nothing changed/i,
    );
  });

  it('queues changed content again, and keeps the page_id', async () => {
    const first = await project.upsert(PAGE);
    await project.indexed();
    const content = 'A blue fountain pen with a golden nib.';
    const changed = await project.upsert({ ...PAGE, content });
    expectAnswer(changed, 'updated_content', 'PENDING_VECTORIZATION', /content was updated/);
    expect(changed.body.page_id).to.equal(first.body.page_id);
    expect(await stored()).to.deep.equal({ ...PAGE, content });
  });

  it('calls a change of content and metadata at once updated_content, and stores both', async () => {
    await project.upsert(PAGE);
    await project.indexed();
    const next = { ...PAGE, content: 'A red pen.', title: 'Red', metadata: { category: 'red' } };
    expectAnswer(await project.upsert(next), 'updated_content', 'PENDING_VECTORIZATION', /content/);
    expect(await stored()).to.deep.equal(next);
  });

  it('sees every character of content: a blank, a line end, an accent are changes', async () => {
    await project.upsert(PAGE);
    const { content: old } = PAGE;
    for (const content of [`${old} `, `${old}\n`, old.replace('e', 'é'), old.toUpperCase()]) {
      expect((await project.upsert({ ...PAGE, content })).body.action).to.equal('updated_content');
      expect((await stored())['content']).to.equal(content);
    }
  });

  it('replaces metadata as a whole without vectorizing anew', async () => {
    await project.upsert(PAGE);
    await project.indexed();
    const metadata = { category: 'ink' };
    expectAnswer(await project.upsert({ ...PAGE, metadata }), 'updated_metadata', 'INDEXED', /metadata were updated/);
    expect(await stored()).to.deep.equal({ ...PAGE, metadata });
  });

  it('calls a change of the title alone updated_metadata', async () => {
    await project.upsert(PAGE);
    await project.indexed();
    expectAnswer(await project.upsert({ ...PAGE, title: 'Ink pen' }), 'updated_metadata', 'INDEXED', /title/i);
    expect((await stored())['title']).to.equal('Ink pen');
  });

  it('leaves title and metadata that are not given, and clears those that are null', async () => {
    const { url, content } = PAGE;
    await project.upsert(PAGE);
    await project.upsert({ url, content: 'Another pen.' });
    expect(await stored()).to.deep.equal({ ...PAGE, content: 'Another pen.' });
    await project.upsert({ url, content, title: null });
    expect(await stored()).to.deep.equal({ url, content, metadata: PAGE.metadata });
    const cleared = await project.upsert({ url, content, metadata: null });
    expect(cleared.body.action).to.equal('updated_metadata');
    expect(await stored()).to.deep.equal({ url, content });
    expectAnswer(
      await project.upsert({ url, content, title: null, metadata: null }),
      'updated_metadata',
      'INDEXED',
      /nothing changed/i,
    );
  });

  it('keeps a page that waits for its vectors waiting when only its metadata changes', async () => {
    await project.upsert(PAGE);
    const second = await project.upsert({ ...PAGE, metadata: { a: 1 } });
    expect(second.body.action).to.equal('updated_metadata');
    expect(second.body.status).to.be.oneOf(['PENDING_VECTORIZATION', 'PROCESSING', 'INDEXED']);
    expect(await stored()).to.deep.equal({ ...PAGE, metadata: { a: 1 } });
  });

  it('gives every page an identifier of its own, over all projects', async () => {
    const other = await sharedService().newProject();
    const ids = new Set<string>();
    for (const owner of [project, other]) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, at) => owner.upsert({ ...PAGE, url: `https://shop.example/${at}` })),
      );
      for (const { body } of answers) ids.add(body.page_id as string);
    }
    expect(ids.size).to.equal(40);
  });

  it('makes one page of many first upserts at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => project.upsert({ ...PAGE, metadata: { at } })),
    );
    expect(new Set(answers.map(({ body }) => body.page_id as string)).size).to.equal(1);
    expect(answers.filter(({ body }) => body.action === 'created')).to.have.lengthOf(1);
    expect(await stored()).to.include({ url: PAGE.url });
  });

  it('leaves the same url of another project alone', async () => {
    const other = await sharedService().newProject();
    await other.upsert({ ...PAGE, title: 'Theirs' });
    await project.upsert(PAGE);
    expect(await stored()).to.deep.equal(PAGE);
    await other.indexed();
    const { body } = await other.post('/v1/retrieve', { query: 'pen' });
    expect((body.documents as { title: string }[]).map(({ title }) => title)).to.deep.equal(['Theirs']);
  });
});
