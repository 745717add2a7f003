import { expect } from 'chai';
import { ApiError, overloaded } from '#src/base/errors.js';
import { applyBatch, type BatchItem } from '#src/pages/apply-batch.js';
import { parsePageUrl } from '#src/text/page-url.js';
import { expectError } from '../../../support/expect-error.js';
import { sharedService } from '../../../support/shared-service.js';
import type { Answer, TestProject } from '../../../support/service.js';

const urlOf = (name: string | number): string => `https://shop.example/pens/${name}`;
const pageOf = (name: string | number) => ({ url: urlOf(name), content: `A pen that is called ${name}.` });
const many = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

interface Result {
  url: string | null;
  page_id?: string;
  status?: string;
  action?: string;
  error?: { code: string; message: string; param?: string };
}

describe('POST /v1/pages/batch', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
  });

  const batch = (body: unknown): Promise<Answer> => project.post('/v1/pages/batch', body);

  async function results(body: unknown): Promise<Result[]> {
    const answer = await batch(body);
    expect(answer.status, answer.text.slice(0, 300)).to.equal(200);
    expect(answer.body).to.have.all.keys('results');
    return answer.body.results as Result[];
  }

  const storedUrls = async (): Promise<unknown[]> =>
    (await project.query('select url from pathmend.pages where project_id = $1 order by url')).map((row) => row['url']);

  async function count(table: string): Promise<unknown> {
    const [row] = await project.query(`select count(*)::int as n from pathmend.${table} where project_id = $1`);
    return row?.['n'];
  }

  it('upserts and deletes, and answers each in the order given, upserts first', async () => {
    const old = await project.upsert(pageOf('old'));
    const kept = await project.upsert(pageOf('kept'));
    const outcomes = await results({
      delete: [urlOf('old')],
      pages: [pageOf('new'), { ...pageOf('kept'), title: 'Kept' }, { ...pageOf('kept-2'), metadata: { a: 1 } }],
    });
    expect(outcomes.map(({ url }) => url)).to.deep.equal(['new', 'kept', 'kept-2', 'old'].map(urlOf));
    expect(outcomes.map(({ action }) => action)).to.deep.equal(['created', 'updated_metadata', 'created', 'deleted']);
    expect(outcomes.map(({ status }) => status === 'success')).to.deep.equal([false, false, false, true]);
    expect(outcomes[0])
      .to.have.all.keys('url', 'page_id', 'status', 'action')
      .and.include({ status: 'PENDING_VECTORIZATION' });
    expect([outcomes[1]?.page_id, outcomes[3]?.page_id]).to.deep.equal([kept.body.page_id, old.body.page_id]);
    await project.indexed();
    expect(await storedUrls()).to.deep.equal(['kept', 'kept-2', 'new'].map(urlOf));
    const { body } = await project.post('/v1/retrieve', { query: 'pen', top_k: 10 });
    const documents = body.documents as { url: string; title?: string }[];
    expect(documents).to.have.length(3);
    expect(documents.find(({ url }) => url === urlOf('kept'))?.title).to.equal('Kept');
  });

  it('names what is wrong with an item, and does all the others', async () => {
    const wrong: [unknown, string, string][] = [
      [{ content: 'x' }, 'url', 'Missing required parameter: pages.0.url'],
      [{ url: urlOf(1) }, 'content', 'Missing required parameter: pages.1.content'],
      [{ url: '/pens', content: 'x' }, 'url', 'pages.2.url must be an absolute http(s) url'],
      [{ ...pageOf(3), title: 5 }, 'title', 'pages.3.title must be of type string or null'],
      [{ ...pageOf(4), metadata: { a: 'x\u0000' } }, 'metadata.a', 'pages.4.metadata.a must not contain'],
      [{ ...pageOf(5), content: '' }, 'content', 'pages.5.content must be a text of at least 1'],
      [
        { url: `https://shop.example/${'x'.repeat(3_000)}`, content: 'x' },
        'url',
        'pages.6.url must be a text of at most',
      ],
      [null, '', 'pages.7 must be of type object'],
      [[pageOf(8)], '', 'pages.8 must be of type object'],
      ['text', '', 'pages.9 must be of type object'],
    ];
    const gone: [unknown, string][] = [
      [urlOf('nothing'), 'not_found'],
      ['/pens', 'invalid_request'],
      [5, 'invalid_request'],
      [null, 'invalid_request'],
      ['DEEP', 'invalid_request'],
      ['', 'invalid_request'],
      [`https://shop.example/${'x'.repeat(30_000)}`, 'invalid_request'],
    ];
    const body = JSON.stringify({
      pages: [...wrong.map(([item]) => item), pageOf('right')],
      delete: [...gone.map(([item]) => item), urlOf('right')],
    });
    const outcomes = await results(body.replace('"DEEP"', '['.repeat(100_000) + ']'.repeat(100_000)));
    expect(outcomes).to.have.length(wrong.length + gone.length + 2);
    for (const [i, [item, field, message]] of wrong.entries()) {
      const { url, error, ...rest } = outcomes[i] as Result;
      const at = `pages.${i}`;
      expect(error?.code, at).to.equal('invalid_request');
      expect(error?.param, at).to.equal(field === '' ? at : `${at}.${field}`);
      expect(error?.message, at).to.contain(message);
      expect(rest, at).to.deep.equal({});
      const givenUrl = (item as { url?: string } | null)?.url;
      expect(url, at).to.equal(givenUrl === undefined ? null : givenUrl.slice(0, 2_048));
    }
    expect(outcomes[wrong.length]?.action).to.equal('created');
    for (const [i, [, code]] of gone.entries()) {
      const { error } = outcomes[wrong.length + 1 + i] as Result;
      expect([error?.code, error?.param]).to.deep.equal([code, `delete.${i}`]);
    }
    expect(outcomes.at(-1)?.action).to.equal('deleted');
    expect(await storedUrls()).to.deep.equal([]);
  });

  it('applies a url that comes more than once in the order given', async () => {
    const outcomes = await results({
      pages: [
        pageOf('a'),
        pageOf('b'),
        { ...pageOf('a'), content: 'Another pen.' },
        { ...pageOf('a'), url: `${urlOf('a')}#part`, content: 'Another pen.' },
      ],
      delete: [urlOf('a'), urlOf('a'), urlOf('b')],
    });
    expect(outcomes.map(({ action, error }) => action ?? error?.code)).to.deep.equal([
      'created',
      'created',
      'updated_content',
      'updated_metadata',
      'deleted',
      'not_found',
      'deleted',
    ]);
    expect(new Set([0, 2, 3, 4].map((i) => outcomes[i]?.page_id))).to.have.property('size', 1);
    expect(await storedUrls()).to.deep.equal([]);
  });

  it('takes 1,000 items together at most, none at all, and one of the two lists', async () => {
    // Few of them are pages, so that a slow machine has time for all.
    const items = [...many(150).map(pageOf), ...many(800).map(() => null)];
    const thousand = await results({ pages: items, delete: many(50).map(urlOf) });
    expect(thousand.map(({ action }) => action)).to.deep.equal([
      ...many(150).map(() => 'created'),
      ...many(800).map(() => undefined),
      ...many(50).map(() => 'deleted'),
    ]);
    expect(await storedUrls()).to.have.length(100);
    expectError(await batch({ pages: many(1_001).map(pageOf) }), 400, 'pages');
    expectError(await batch({ delete: many(1_001).map(urlOf) }), 400, 'delete');
    expectError(await batch({ pages: many(501).map(pageOf), delete: many(500).map(urlOf) }), 400, 'delete');
    expect(await storedUrls()).to.have.length(100);
    expect(await results({ pages: [] })).to.deep.equal([]);
    expect(await results({ pages: [], delete: [] })).to.deep.equal([]);
    expectError(await batch({}), 400, 'pages');
    for (const bad of [5, 'text', {}, null]) {
      expectError(await batch({ pages: bad }), 400, 'pages');
      expectError(await batch({ delete: bad }), 400, 'delete');
    }
    expectError(await batch(`{"pages": [{"url": "${urlOf(1)}", "content": "${'x'.repeat(2_200_000)}"}]}`), 413);
  });

  it('leaves nothing of deleted pages but what is remembered of them, and ends cached answers', async () => {
    await results({ pages: [...many(45).map(pageOf), { ...pageOf('kept'), content: 'A kept pencil.' }] });
    await project.indexed();
    const search = async (): Promise<number> =>
      (await project.post('/v1/semantic-search', { query: 'a pen', limit: 100, options: { searchThreshold: 0 } })).body
        .suggestions.length as number;
    expect(await search()).to.equal(46);
    expect((await results({ delete: many(45).map(urlOf) })).every(({ action }) => action === 'deleted')).to.equal(true);
    expect(await search()).to.equal(1);
    expect([await count('pages'), await count('indexed_pages'), await count('tombstones')]).to.deep.equal([1, 1, 45]);
    const words = await project.query(
      'select word, pages from pathmend.vocabulary where project_id = $1 order by word',
    );
    expect(words.map((row) => row['word']))
      .to.include.members(['kept', 'pencil'])
      .and.not.include('called');
    expect(words.every((row) => row['pages'] === 1)).to.equal(true);
  });

  it('lets the write of another project go between two of its chunks', async () => {
    const other = await sharedService().newProject();
    const ended: string[] = [];
    // One url again and again: each is a chunk.
    const pages = many(100).map((i) => ({ url: urlOf('same'), content: `Pen ${i}.` }));
    const long = results({ pages }).then(() => ended.push('batch'));
    for (let i = 0; i < 3; i++) await other.upsert(pageOf(i)).then(() => ended.push('upsert'));
    await long;
    expect(ended).to.deep.equal([...many(3).map(() => 'upsert'), 'batch']);
  });

  it('gives the error of a chunk to its items and to those after it; the first chunk alone fails the whole', async () => {
    const { deps } = sharedService().service;
    const tenant = deps.tenants.of(project.row.project_id);
    const items = many(120).map((i): BatchItem => {
      const url = parsePageUrl(urlOf(i));
      if (!url) throw new Error('no url');
      return { at: `pages.${i}`, page: { url, content: `Pen ${i}.` } };
    });
    const failAt = (turn: number) => {
      let turns = 0;
      return <Result>(work: () => Promise<Result>): Promise<Result> =>
        ++turns === turn ? Promise.reject(overloaded()) : work();
    };
    const outcomes = await applyBatch(deps, tenant, items, failAt(2));
    expect(
      outcomes.map((outcome) => ('error' in outcome ? (outcome.error as ApiError).code : outcome.action)),
    ).to.deep.equal([...many(50).map(() => 'created'), ...many(70).map(() => 'overloaded')]);
    expect(await count('pages')).to.equal(50);
    const late = await applyBatch(deps, tenant, items, (work) => work(), 0);
    expect(late.map((outcome) => 'error' in outcome)).to.deep.equal(items.map((_, i) => i >= 50));
    const thrown = await applyBatch(deps, tenant, items, failAt(1)).catch((error: unknown) => error);
    expect(thrown).to.be.instanceOf(ApiError).and.include({ code: 'overloaded' });
  });
});
