import { expect } from 'chai';
import { expectError } from '../../../support/expect-error.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';

const FIELDS = ['page_id', 'url', 'title', 'status', 'error', 'updated_at', 'indexed_at'];
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

interface Listed {
  page_id: string;
  url: string;
  status: string;
}

describe('GET /v1/pages', () => {
  let project: TestProject;
  const urlOf = (i: number | string): string => `https://shop.example/pens/${i}`;

  before(async () => {
    project = await sharedService().newProject();
    await project.post('/v1/pages/batch', {
      pages: Array.from({ length: 25 }, (_, i) => ({ url: urlOf(i), content: `Pen number ${i}.`, title: `Pen ${i}` })),
    });
    await project.indexed();
    await project.query(
      "update pathmend.pages set status = 'ERROR', error = 'too strange' where project_id = $1 and title in ('Pen 3', 'Pen 7', 'Pen 9')",
    );
  });

  async function list(
    parameters: Record<string, string | number>,
  ): Promise<{ pages: Listed[]; next_cursor: string | null }> {
    const search = new URLSearchParams(
      Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const { status, body, text } = await project.call('GET', `/v1/pages?${search.toString()}`);
    expect(status, text).to.equal(200);
    expect(body).to.have.all.keys('pages', 'next_cursor');
    return body as { pages: Listed[]; next_cursor: string | null };
  }

  async function all(parameters: Record<string, string | number>): Promise<Listed[][]> {
    const answers: Listed[][] = [];
    let cursor: string | null = '';
    do {
      const answer = await list({ ...parameters, ...(cursor === '' ? {} : { cursor }) });
      answers.push(answer.pages);
      cursor = answer.next_cursor;
    } while (cursor !== null);
    return answers;
  }

  it('shows every page once, in one order, so many at a time', async () => {
    const urls = Array.from({ length: 25 }, (_, i) => urlOf(i));
    for (const [limit, sizes] of [
      [10, [10, 10, 5]],
      [5, [5, 5, 5, 5, 5]],
      [100, [25]],
      [undefined, [20, 5]],
    ] as const) {
      const answers = await all(limit === undefined ? {} : { limit });
      expect(answers.map(({ length }) => length)).to.deep.equal(sizes);
      const ids = answers.flat().map(({ page_id }) => page_id);
      expect(ids).to.deep.equal([...ids].sort());
      expect(answers.flat().map(({ url }) => url)).to.have.members(urls);
    }
  });

  it('says what is known of a page, and nothing of its content', async () => {
    const [page] = (await list({ url: urlOf(4) })).pages;
    expect(page)
      .to.have.all.keys(FIELDS)
      .and.include({ url: urlOf(4), title: 'Pen 4', status: 'INDEXED', error: null });
    expect(page).to.have.property('updated_at').that.matches(ISO);
    expect(page).to.have.property('indexed_at').that.matches(ISO);
    const freshProject = await sharedService().newProject();
    await freshProject.query(`insert into pathmend.pages (project_id, page_id, url, url_hash, path_key, content, content_hash)
       values ($1, repeat('a', 24), 'https://x.example/', '\\x01', '\\x01', 'x', '\\x01')`);
    const { body } = await freshProject.call('GET', '/v1/pages');
    expect(body.pages[0]).to.include({ title: null, status: 'PENDING_VECTORIZATION', indexed_at: null });
  });

  it('finds the pages of a status, and the page of a url however it is written', async () => {
    const failed = await all({ status: 'ERROR', limit: 2 });
    expect(failed.map(({ length }) => length)).to.deep.equal([2, 1]);
    expect(failed.flat().map(({ url }) => url)).to.have.members([3, 7, 9].map(urlOf));
    expect(failed.flat()[0]).to.include({ error: 'too strange' });
    expect((await list({ status: 'PROCESSING' })).pages).to.deep.equal([]);
    expect((await list({ url: 'HTTPS://SHOP.example:443/pens/3#part' })).pages.map(({ url }) => url)).to.deep.equal([
      urlOf(3),
    ]);
    expect((await list({ url: urlOf(3), status: 'ERROR' })).pages).to.have.length(1);
    expect((await list({ url: urlOf(3), status: 'INDEXED' })).pages).to.deep.equal([]);
    expect((await list({ url: urlOf('none') })).pages).to.deep.equal([]);
  });

  it('refuses what it does not understand, by name', async () => {
    const cursor = (await list({ limit: 5 })).next_cursor ?? '';
    const noPage = Buffer.from(JSON.stringify('zz')).toString('base64url');
    const changed = cursor.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
    const wrong: Record<string, string[]> = {
      status: ['DONE', 'indexed', '', 'ERROR&status=INDEXED'],
      limit: ['0', '101', '-1', '1.5', 'x', '', '5&limit=6', '9999999999'],
      url: ['', '/pens/3', 'ftp://shop.example/', `https://shop.example/${'x'.repeat(2_048)}`],
      cursor: [
        '',
        'x',
        changed,
        noPage,
        `${cursor}A`,
        cursor.slice(0, -1),
        `${cursor}=`,
        'a'.repeat(24),
        `${cursor}&cursor=x`,
      ],
    };
    for (const [name, values] of Object.entries(wrong))
      for (const value of values) {
        const sent = value.includes('&') ? value : encodeURIComponent(value);
        expectError(await project.call('GET', `/v1/pages?${name}=${sent}`), 400, name, `${name}=${value.slice(0, 60)}`);
      }
    expect((await list({ cursor, limit: '007' })).pages).to.have.length(7);
  });

  it('shows one page by its id, with its content when it is asked for', async () => {
    const [page] = (await list({ url: urlOf(4) })).pages;
    const path = `/v1/pages/${page?.page_id ?? ''}`;
    const plain = await project.call('GET', path);
    expect([plain.status, plain.body]).to.deep.equal([200, page]);
    expect((await project.call('GET', `${path}?content=false`)).body).to.deep.equal(page);
    expect((await project.call('GET', `${path}?content=true`)).body).to.deep.equal({
      ...page,
      content: 'Pen number 4.',
    });
    for (const bad of ['1', 'TRUE', '', 'true&content=true'])
      expectError(await project.call('GET', `${path}?content=${bad}`), 400, 'content');
    const warned = await project.call('GET', `${path}?contents=true`);
    expect(warned.headers.get('x-pathmend-warning')).to.contain('did you mean `content`');
  });

  it("answers 404 for a page that is nobody's, another's, or no id at all", async () => {
    const other = await sharedService().newProject();
    const { body } = await other.upsert({ url: urlOf(1), content: "Another's pen." });
    for (const id of [body.page_id as string, '0'.repeat(24), 'x', '%00', 'A'.repeat(24), `${'a'.repeat(24)}%0a`])
      expectError(await project.call('GET', `/v1/pages/${id}`), 404, 'page_id', id);
    expectError(await project.call('GET', '/v1/pages/a/b'), 404);
    expect((await other.call('GET', '/v1/pages')).body.pages).to.have.length(1);
  });

  it('takes no other method, and a key that may read', async () => {
    const id = 'a'.repeat(24);
    for (const path of ['/v1/pages', `/v1/pages/${id}`]) {
      const answer = await project.call('POST', path, {});
      expectError(answer, 405);
      expect(answer.headers.get('allow')).to.equal('GET, HEAD');
      const writer = { Authorization: `Bearer ${await project.newKey({ scopes: ['write'] })}` };
      expectError(await project.call('GET', path, undefined, writer), 403);
    }
  });
});
