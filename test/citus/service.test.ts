import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { sql, type Sql } from '#src/platform/database/sql.js';
import type { Tenant } from '#src/platform/database/session/tenants.js';
import { citusUrl, createDistributedDatabase, nodeOfProject, NEEDS_CITUS } from '../support/citus.js';
import { startTestService, type TestProject, type TestService } from '../support/service.js';
import { query } from '../support/sql.js';
import { until } from '../support/until.js';

const NAMES = ['harbour', 'orchard'] as const;

/** Pages of two customers that say nearly the same. */
function pagesOf(name: string): { url: string; title: string; content: string; metadata: object }[] {
  return ['opening-hours', 'guided-tours', 'boat-and-bicycle-rental'].map((slug) => ({
    url: `https://${name}.example/visit/${slug}`,
    title: `${slug.replaceAll('-', ' ')} of the ${name}`,
    content: `${slug.replaceAll('-', ' ')} of the ${name}\n\nWhat the ${name} offers: ${slug.replaceAll('-', ' ')}, all year.`,
    metadata: { owner: name },
  }));
}

describe(`a service on Citus${citusUrl() === undefined ? ` (${NEEDS_CITUS})` : ''}`, function () {
  this.timeout(120_000);
  let running: TestService;
  const projects = new Map<string, TestProject>();

  before(async function () {
    if (citusUrl() === undefined) this.skip();
    running = await startTestService({}, { database: await createDistributedDatabase() });
    for (const name of NAMES) projects.set(name, await projectOnAnotherNode());
    for (const name of NAMES) for (const page of pagesOf(name)) await projectOf(name).upsert(page);
    for (const name of NAMES) await projectOf(name).indexed();
  });

  after(async () => {
    if (citusUrl() !== undefined) await running.stop();
  });

  function projectOf(name: string): TestProject {
    const project = projects.get(name);
    if (!project) throw new Error(`there is no project ${name}`);
    return project;
  }

  /** One whose rows are on a worker where none of the others' are. */
  async function projectOnAnotherNode(): Promise<TestProject> {
    const taken = await Promise.all([...projects.values()].map((project) => nodeOfProject(running.service, project)));
    for (;;) {
      const project = await running.newProject({ scopes: ['read', 'write', 'rules'] });
      if (!taken.includes(await nodeOfProject(running.service, project))) return project;
    }
  }

  function tenantOf(name: string): Tenant {
    return running.service.deps.tenants.of(projectOf(name).row.project_id);
  }

  async function rows(statement: Sql, name: string): Promise<unknown[]> {
    return (await statement.execute(tenantOf(name).db)).rows;
  }

  for (const name of NAMES) {
    it(`answers suggest from the pages of the ${name} alone`, async () => {
      const { status, body } = await projectOf(name).post('/v1/suggest', { path: '/visiting/guided-tour' });
      expect(status).to.equal(200);
      expect(body.suggestions[0]).to.include({ url: '/visit/guided-tours', title: `guided tours of the ${name}` });
    });

    it(`corrects words by the vocabulary of the ${name}`, async () => {
      const { body } = await projectOf(name).post('/v1/suggest', { path: '/bicyle-rentl' });
      expect(body.suggestions[0]?.url).to.equal('/visit/boat-and-bicycle-rental');
    });

    it(`answers questions and retrieves documents of the ${name}`, async () => {
      const searchRequest = { query: 'can I rent a bicycle?', options: { searchThreshold: 0 } };
      const answer = await projectOf(name).post('/v1/semantic-search', searchRequest);
      expect(answer.body.suggestions[0]?.url).to.equal('/visit/boat-and-bicycle-rental');
      const retrieved = await projectOf(name).post('/v1/retrieve', { query: 'when is it open?', top_k: 3 });
      expect(retrieved.status).to.equal(200);
      for (const { content } of retrieved.body.documents) expect(content).to.contain(name);
    });
  }

  it('filters by metadata, by a function that runs beside the rows', async () => {
    const search = (owner: string) =>
      projectOf('harbour').post('/v1/semantic-search', {
        query: 'tours',
        options: { searchThreshold: 0, filters: { owner } },
      });
    expect((await search('harbour')).body.suggestions).to.have.length.above(0);
    expect((await search('orchard')).body.suggestions).to.deep.equal([]);
  });

  it('shows a new content at once to whoever was told that it is stored', async () => {
    const [page] = pagesOf('orchard');
    const content = 'Cider pressing\n\nBring your own apples; we press them into cider while you wait.';
    const { body } = await projectOf('orchard').upsert({ ...page, url: page?.url ?? '', content });
    expect(body.action).to.equal('updated_content');
    await projectOf('orchard').indexed();
    const answer = await projectOf('orchard').post('/v1/semantic-search', { query: 'press apples into cider' });
    expect(answer.body.suggestions[0]?.url).to.equal('/visit/opening-hours');
  });

  it('stores events, and links a click to its search', async () => {
    const project = projectOf('harbour');
    const { body } = await project.post('/v1/suggest', { path: '/visit/guided-toors' });
    const from = { search_id: body.search_id, raw_path: '/visit/guided-toors' };
    const click = { ...from, clicked_url: '/visit/guided-tours', clicked_rank: 1 };
    for (const event of [click, { raw_path: '/visit/guided-toors' }]) {
      const { status, text } = await project.post('/v1/events', event);
      expect(status, text).to.equal(204);
    }
    await until('the click is linked', async () => {
      const [row] = await query<{ linked: boolean }>(
        running.service,
        'select clicked_rank = 1 as linked from pathmend.searches where search_id = $1',
        [body.search_id],
      );
      return row?.linked === true;
    });
  });

  it('makes rules, obeys, tries, lists and undoes them', async () => {
    const harbour = projectOf('harbour');
    const [page] = pagesOf('harbour');
    const made = await harbour.post('/v1/rules', {
      rules: [
        { path: '/when', target: '/visit/opening-hours', code: 308 },
        { path: '/old/*', target: '/visit/:splat' },
        { path: '/p-:name.html', host: 'harbour.example', target: '/visit/:name#part' },
        { path: '/closed/*', action: 'gone' },
      ],
    });
    expect(made.status, made.text).to.equal(200);
    for (const [path, status, location] of [
      ['/when', 308, page?.url],
      ['/old/guided-tours', 301, 'https://harbour.example/visit/guided-tours'],
      ['https://harbour.example/p-guided-tours.html', 301, 'https://harbour.example/visit/guided-tours#part'],
      ['/closed/x', 410, null],
    ] as const) {
      const answer = await harbour.call('GET', `/v1/proxy?url=${encodeURIComponent(path)}`);
      expect([answer.status, answer.headers.get('location')], path).to.deep.equal([status, location]);
    }
    const tried = await harbour.post('/v1/rules/try', { paths: ['/when', '/old/x'] });
    expect(tried.status, tried.text).to.equal(200);
    expect((await harbour.call('GET', '/v1/rules?status=active')).body.rules).to.have.length(4);
    const undone = await harbour.post('/v1/rules/undo', { change_id: made.body.change_id as number });
    expect(undone.body, undone.text).to.include({ changed: 4 });
    expect((await harbour.call('GET', '/v1/rules/history')).body.changes).to.have.length(2);
  });

  it('lists pages, dead links and llms.txt', async () => {
    for (const path of ['/v1/pages', '/v1/links?broken=true', '/v1/llms.txt']) {
      const answer = await projectOf('harbour').call('GET', path);
      expect(answer.status, answer.text).to.equal(200);
    }
  });

  it('answers the views of analytics but for those that docs/operate/citus.md names', async () => {
    const { service } = running;
    const views = await query<{ name: string }>(
      service,
      `select table_name as name from information_schema.views where table_schema = 'analytics' order by 1`,
    );
    expect(views).to.have.length.above(10);
    const failed: string[] = [];
    for (const { name } of views)
      await query(service, `select * from analytics.${name} limit 1`).catch(() => failed.push(name));
    const documentation = await readFile('docs/operate/citus.md', 'utf8');
    expect(failed).to.deep.equal(views.map(({ name }) => name).filter((name) => documentation.includes(`\`${name}\``)));
  });

  it('deletes a page, and no other project can', async () => {
    const url = 'https://harbour.example/visit/lighthouse';
    const { body } = await projectOf('harbour').upsert({ url, content: 'The lighthouse is closed in winter.' });
    await projectOf('harbour').indexed();
    const remove = (name: string) => projectOf(name).call('DELETE', '/v1/pages/delete', { pageId: body.page_id });
    expect((await remove('orchard')).status).to.equal(403);
    expect((await remove('harbour')).status).to.equal(200);
    const searchRequest = { query: 'lighthouse', options: { searchThreshold: 0 } };
    const answer = await projectOf('harbour').post('/v1/semantic-search', searchRequest);
    expect(answer.text).not.to.contain(url);
  });

  for (const table of ['pages', 'indexed_pages', 'chunks', 'vocabulary', 'index_versions', 'projects']) {
    it(`row level security: a tenant sees no others' rows of ${table}, though it asks for all`, async () => {
      for (const name of NAMES) {
        const projectRows = await rows(sql`select distinct project_id from pathmend.${sql.ref(table)}`, name);
        expect(projectRows).to.deep.equal([{ project_id: projectOf(name).row.project_id }]);
      }
    });
  }

  it('row level security: a tenant writes no row of another', async () => {
    const theirs = projectOf('orchard').row.project_id;
    const planted = sql`insert into pathmend.vocabulary (project_id, word, pages) values (${theirs}, 'planted', 1)`;
    const error: unknown = await rows(planted, 'harbour').catch((reason: unknown) => reason);
    expect(error).to.include({ code: '42501' });
    await rows(sql`delete from pathmend.pages where project_id = ${theirs}`, 'harbour');
    expect(await rows(sql`select page_id from pathmend.pages`, 'orchard')).to.have.length(3);
  });
});
