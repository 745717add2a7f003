import { PassThrough } from 'node:stream';
import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { deleteProjectRow } from '#src/projects/store/projects.js';
import { startTestService, type Answer, type TestProject, type TestService } from '../support/service.js';
import { query } from '../support/sql.js';
import { until } from '../support/until.js';

/** A tenant, and all that names something of it. Its mark stands in everything that it pushed, and nowhere else. */
interface Tenant {
  mark: string;
  project: TestProject;
  pageId: string;
  searchId: string;
}

/** An identifier of a tenant, and one of the same form that is nobody's. */
interface Identifier {
  kind: 'mark' | 'slip' | 'url' | 'pageId' | 'searchId' | 'projectId';
  theirs: string;
  nobodys: string;
}

const MARKS = ['wombatine', 'quokkarel', 'numbatory'];
const NOBODY = 'zyxomatic';
const urlOf = (mark: string): string => `https://${mark}.example/guides/${mark}-manual`;

function identifiersOf({ mark, pageId, searchId, project }: Tenant): Identifier[] {
  return [
    { kind: 'mark', theirs: mark, nobodys: NOBODY },
    // One letter is left out: the other tenant's vocabulary would correct that.
    {
      kind: 'slip',
      theirs: mark.slice(0, 4) + mark.slice(5),
      nobodys: NOBODY.slice(0, 4) + NOBODY.slice(5),
    },
    { kind: 'url', theirs: urlOf(mark), nobodys: urlOf(NOBODY) },
    { kind: 'pageId', theirs: pageId, nobodys: randomBytes(12).toString('hex') },
    { kind: 'searchId', theirs: searchId, nobodys: randomUUID() },
    { kind: 'projectId', theirs: project.row.project_id, nobodys: randomUUID() },
  ];
}

type Call = (by: TestProject, id: string) => Promise<Answer>;

/** Every operation, with an identifier wherever it takes a text. What is searched for means something by itself. */
const CALLS: Record<string, Call> = {
  'suggest of a path': (by, id) =>
    by.post('/v1/suggest', { path: `/guides/${id}-manual`, limit: 10, options: { searchThreshold: 0, explain: true } }),
  'suggest of the whole': (by, id) => by.post('/v1/suggest', { path: id, limit: 10, options: { searchThreshold: 0 } }),
  'suggest with an exclusion': (by, id) =>
    by.post('/v1/suggest', { path: '/guides/manual', options: { searchThreshold: 0, excludeUrls: [id] } }),
  'suggest with a filter': (by, id) =>
    by.post('/v1/suggest', { path: '/guides/manual', options: { searchThreshold: 0, filters: { owner: id } } }),
  'suggest with a filter on the key': (by, id) =>
    by.post('/v1/suggest', { path: '/guides/manual', options: { searchThreshold: 0, filters: { [id]: id } } }),
  'semantic-search': (by, id) =>
    by.post('/v1/semantic-search', {
      query: `the ${id} manual`,
      limit: 10,
      options: { searchThreshold: 0, explain: true },
    }),
  'semantic-search with a filter': (by, id) =>
    by.post('/v1/semantic-search', { query: 'manual', options: { searchThreshold: 0, filters: { owner: id } } }),
  retrieve: (by, id) => by.post('/v1/retrieve', { query: `the ${id} manual`, top_k: 10 }),
  'retrieve with a filter': (by, id) => by.post('/v1/retrieve', { query: 'manual', filters: { owner: id } }),
  search: (by, id) => by.call('GET', `/v1/search?query=${encodeURIComponent(id)}&limit=10`),
  'words that are still typed': (by, id) =>
    by.call('GET', `/v1/search?by=words&query=${encodeURIComponent(id.slice(0, -1))}&limit=10`),
  proxy: (by, id) => by.call('GET', `/v1/proxy?url=${encodeURIComponent(id)}`),
  'delete by url': (by, id) =>
    by.call('DELETE', '/v1/pages/delete', {
      url: id.startsWith('https:') ? id : `https://${id}.example/guides/${id}-manual`,
    }),
  'a batch': (by, id) =>
    by.post('/v1/pages/batch', {
      delete: [id, id.startsWith('https:') ? id : `https://${id}.example/guides/${id}-manual`],
    }),
  'a list of pages': (by, id) => by.call('GET', `/v1/pages?url=${encodeURIComponent(id)}`),
  'a list from a cursor': (by, id) => by.call('GET', `/v1/pages?limit=1&cursor=${encodeURIComponent(id)}`),
  'a page by its id': (by, id) => by.call('GET', `/v1/pages/${encodeURIComponent(id)}?content=true`),
  'a click': (by, id) =>
    by.post('/v1/events', {
      clicked_url: id,
      clicked_rank: 1,
      raw_path: '/guides/gone',
      search_id: /^[0-9a-f-]{36}$/.test(id) ? id : randomUUID(),
    }),
  'a link of the 404 page': (by, id) => by.call('GET', `/v1/click?search_id=${encodeURIComponent(id)}&rank=1`),
  'a 404': (by, id) => by.post('/v1/events', { raw_path: `/${id}` }),
};

/**
 * The calls whose answers may differ between another tenant's identifier and a made-up one: each text has scores of its
 * own with the caller's pages.
 */
const SEARCHED_FOR = new Set([
  'suggest of a path',
  'suggest of the whole',
  'semantic-search',
  'retrieve',
  'search',
  'proxy',
]);

describe('three tenants of one service', function () {
  this.timeout(180_000);
  let test: TestService;
  let tenants: Tenant[] = [];
  let log = '';

  before(async () => {
    const stream = new PassThrough().on('data', (chunk: Buffer) => (log += chunk.toString()));
    test = await startTestService({ LOG_LEVEL: 'debug', SEARCH_CACHE_ENTRIES: '0' }, { log: stream });
    tenants = await Promise.all(
      MARKS.map(async (mark): Promise<Tenant> => {
        const project = await test.newProject();
        const page = { title: `${mark} secrets`, metadata: { owner: mark, [mark]: mark } };
        const { body } = await project.upsert({
          ...page,
          url: urlOf(mark),
          content: `The ${mark} manual tells how ${mark} levers are oiled.`,
        });
        // All of them have this url, each with a content of its own.
        await project.upsert({
          ...page,
          url: 'https://shared.example/guides/manual',
          content: `This manual is about ${mark} alone.`,
        });
        await project.indexed();
        const search = await project.post('/v1/suggest', { path: `/${mark}`, options: { searchThreshold: 0 } });
        expect(search.text).to.contain(mark);
        return { mark, project, pageId: body.page_id as string, searchId: search.body.search_id as string };
      }),
    );
  });

  after(() => test.stop());

  /** Returns the text of an answer without the ids that differ from one answer to the next, and without `id`. */
  function maskIds({ status, text }: Answer, id: string): string {
    const maskedText = text.replaceAll(id, '§').replaceAll(encodeURIComponent(id), '§');
    return `${status} ${maskedText.replace(/"(search_id|request_id)":"[^"]*"/g, '"$1":"…"')}`;
  }

  for (const [name, call] of Object.entries(CALLS)) {
    it(`${name}: nothing of another's is in the answer, which is ${SEARCHED_FOR.has(name) ? 'an answer' : "the same as for what is nobody's"}`, async () => {
      for (const me of tenants) {
        for (const other of tenants.filter((tenant) => tenant !== me)) {
          for (const { kind, theirs, nobodys } of identifiersOf(other)) {
            const answer = await call(me.project, theirs);
            const where = `${me.mark} asks for ${other.mark}'s ${kind}`;
            expect(answer.status, where).to.be.below(500);
            const answerText = `${answer.text.replaceAll(theirs, '')} ${[...answer.headers].join()}`;
            for (const secret of [other.mark, other.pageId, other.searchId, other.project.row.project_id]) {
              if (!theirs.includes(secret)) expect(answerText, where).not.to.contain(secret);
            }
            if (!SEARCHED_FOR.has(name))
              expect(maskIds(answer, theirs), where).to.equal(maskIds(await call(me.project, nobodys), nobodys));
          }
        }
      }
    });
  }

  it('a page of another is 403 by its id, as the interface has it, and nothing else is said of it', async () => {
    for (const me of tenants) {
      for (const other of tenants.filter((tenant) => tenant !== me)) {
        const { status, text } = await me.project.call('DELETE', '/v1/pages/delete', { pageId: other.pageId });
        expect(status).to.equal(403);
        expect(text).not.to.contain(other.mark);
        const mine = await other.project.post('/v1/suggest', {
          path: `/${other.mark}`,
          options: { searchThreshold: 0 },
        });
        expect(mine.text).to.contain(other.mark);
      }
    }
  });

  it("clicks on another's search stay with the one who sent them, linked to nothing and teaching nothing", async () => {
    const [me, other] = tenants;
    if (!me || !other) throw new Error('there are three');
    await me.project.post('/v1/events', {
      clicked_url: urlOf(other.mark),
      clicked_rank: 1,
      raw_path: `/${other.mark}`,
      search_id: other.searchId,
    });
    const clicks = `select project_id from pathmend.clicks where search_id = '${other.searchId}'`;
    await until('the click is stored', async () => (await query(test.service, clicks)).length > 0);
    for (const row of await query(test.service, clicks))
      expect(row['project_id']).not.to.equal(other.project.row.project_id);
    expect(await query(test.service, 'select 1 from pathmend.learned_redirects')).to.be.empty;
  });

  it("metrics and logs name no tenant's text", async () => {
    const metrics = await (await fetch(`${test.service.url}/metrics`)).text();
    for (const { mark, pageId, project, searchId } of tenants) {
      for (const secret of [mark, pageId, project.row.project_id, project.key, searchId])
        expect(metrics).not.to.contain(secret);
      for (const secret of [mark, project.key]) expect(log).not.to.contain(secret);
    }
    expect(log).to.contain('"route":"/v1/suggest"');
  });

  it('no answer changes when the others are gone with all that they had', async () => {
    const [me, ...otherTenants] = tenants;
    if (!me) throw new Error('there are three');
    const identifiers = otherTenants.flatMap((other) => identifiersOf(other).map(({ theirs }) => theirs));
    const answers = async (): Promise<string[]> => {
      const all: string[] = [];
      for (const call of Object.values(CALLS))
        for (const id of identifiers) all.push(maskIds(await call(me.project, id), id));
      return all;
    };
    const before = await answers();
    for (const { project } of otherTenants)
      await inTransaction(test.service.db, (trx) => deleteProjectRow(trx, project.row.project_id));
    expect(await query(test.service, 'select project_id from pathmend.pages group by 1')).to.have.length(1);
    expect(await answers()).to.deep.equal(before);
  });
});
