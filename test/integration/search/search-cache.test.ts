import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';

const URL = 'https://shop.example/pens/blue';
const PAGE = { url: URL, content: 'A blue fountain pen with a steel nib.', title: 'Blue pen', metadata: { price: 1 } };
const zero = { searchThreshold: 0 };

interface Found {
  search_id: string;
  suggestions: { url: string; title: string; score: number; metadata?: { price: number } }[];
}

const suggest = async (project: TestProject): Promise<Found> =>
  (await project.post('/v1/suggest', { path: '/fountain-pen', options: zero })).body as Found;

/** Every way to search that may answer from the cache. */
const WAYS: Record<string, (project: TestProject) => Promise<Found>> = {
  'POST /v1/suggest': suggest,
  'POST /v1/semantic-search': async (project) =>
    (await project.post('/v1/semantic-search', { query: PAGE.content, options: zero })).body as Found,
  'GET /v1/search': async (project) =>
    (await project.call('GET', `/v1/search?query=${encodeURIComponent(PAGE.content)}`)).body as Found,
};

describe('the search cache', () => {
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
    await project.upsert(PAGE);
    await project.indexed();
  });

  /** Returns whether the cache answered each of these searches, in their order. */
  async function cached(...answers: { search_id: string }[]): Promise<boolean[]> {
    const { db, deps } = sharedService().service;
    await deps.log.flush();
    const ids = answers.map(({ search_id }) => search_id);
    const { rows } = await sql<{ search_id: string; cached: boolean }>`
      select search_id, cached from pathmend.searches where search_id = any (${ids}::uuid[])`.execute(db);
    expect(rows).to.have.lengthOf(ids.length);
    return ids.map((id) => rows.find((row) => row.search_id === id)?.cached ?? false);
  }

  for (const [way, ask] of Object.entries(WAYS)) {
    describe(`of ${way}`, () => {
      it('answers the second time, the same but for a search_id of its own', async () => {
        const answers = [await ask(project), await ask(project), await ask(project)];
        expect(await cached(...answers)).to.deep.equal([false, true, true]);
        expect(new Set(answers.map(({ search_id }) => search_id)).size).to.equal(3);
        expect(answers[0]?.suggestions).to.have.lengthOf(1);
        for (const { suggestions } of answers) expect(suggestions).to.deep.equal(answers[0]?.suggestions);
      });

      it('is never older than an upsert of title or metadata', async () => {
        await ask(project);
        await project.upsert({ ...PAGE, title: 'Ink pen' });
        expect((await ask(project)).suggestions[0]?.title).to.equal('Ink pen');
        await project.upsert({ ...PAGE, title: 'Ink pen', metadata: { price: 2 } });
        expect((await ask(project)).suggestions[0]?.metadata).to.deep.equal({ price: 2 });
        await project.upsert({ ...PAGE, title: null, metadata: null });
        expect((await ask(project)).suggestions[0])
          .to.include({ title: 'Blue' })
          .and.not.have.property('metadata');
      });

      it('is never older than new content, or a new page', async () => {
        const before = await ask(project);
        await project.upsert({ url: `${URL}/copy`, content: PAGE.content, title: PAGE.title });
        await project.indexed();
        expect((await ask(project)).suggestions.map(({ url }) => url)).to.have.members([
          '/pens/blue',
          '/pens/blue/copy',
        ]);
        await project.upsert({ ...PAGE, content: 'Sow tomatoes in March and water the seedlings every day.' });
        await project.indexed();
        const after = (await ask(project)).suggestions.find(({ url }) => url === '/pens/blue');
        expect(after?.score ?? 0).to.be.below(before.suggestions[0]?.score ?? 0);
      });

      it('is never older than a delete', async () => {
        await ask(project);
        await project.call('DELETE', '/v1/pages/delete', { url: URL });
        expect((await ask(project)).suggestions).to.deep.equal([]);
      });
    });
  }

  it('is never older than a change, whatever searches run beside it', async () => {
    for (let price = 2; price < 6; price++) {
      const running = Array.from({ length: 4 }, () => suggest(project));
      await project.upsert({ ...PAGE, metadata: { price } });
      for (const ask of Object.values(WAYS)) {
        expect((await ask(project)).suggestions[0]?.metadata).to.deep.equal({ price });
      }
      await Promise.all(running);
    }
    for (let round = 0; round < 2; round++) {
      const running = Array.from({ length: 4 }, () => suggest(project));
      await project.call('DELETE', '/v1/pages/delete', { url: URL });
      for (const ask of Object.values(WAYS)) expect((await ask(project)).suggestions).to.deep.equal([]);
      await Promise.all(running);
      await project.upsert(PAGE);
      await project.indexed();
      for (const ask of Object.values(WAYS)) expect((await ask(project)).suggestions).to.have.lengthOf(1);
    }
  });

  it('stays out of a search with filters, the second time too', async () => {
    for (const [route, field] of [
      ['/v1/suggest', 'path'],
      ['/v1/semantic-search', 'query'],
    ] as const) {
      const body = { [field]: '/pens/blue', options: { ...zero, filters: { price: 1 } } };
      const answers = [await project.post(route, body), await project.post(route, body)];
      expect(await cached(...answers.map((answer) => answer.body as Found)), route).to.deep.equal([false, false]);
      const empty = { [field]: '/pens/blue', options: { ...zero, filters: {} } };
      await project.post(route, empty);
      expect(await cached((await project.post(route, empty)).body as Found), 'no filter in filters').to.deep.equal([
        true,
      ]);
    }
  });

  it('tells questions apart by everything that changes their answer', async () => {
    await project.upsert({ url: `${URL}/two`, content: 'A blue pencil.' });
    await project.upsert({ url: `${URL}/three`, content: 'A green pencil.' });
    await project.indexed();
    const ask = async (body: Record<string, unknown>): Promise<string[]> =>
      ((await project.post('/v1/suggest', { path: '/pens/blue', ...body })).body as Found).suggestions.map(
        ({ url }) => url,
      );
    for (let round = 0; round < 2; round++) {
      expect(await ask({ options: zero })).to.have.lengthOf(3);
      expect(await ask({ options: zero, limit: 1 })).to.have.lengthOf(1);
      expect(await ask({ options: { searchThreshold: 1 } })).to.have.lengthOf(0);
      expect(await ask({ options: { ...zero, excludeUrls: ['/pens/blue'] } })).to.have.lengthOf(2);
      expect(await ask({ options: { ...zero, filters: { price: 1 } } })).to.deep.equal(['/pens/blue']);
      expect(await ask({ options: zero, path: '/pens/blue/three' })).to.have.property('0', '/pens/blue/three');
    }
    const asQuery = (await project.post('/v1/semantic-search', { query: '/pens/blue', options: zero })).body as Found;
    expect(await cached(asQuery)).to.deep.equal([false]);
  });

  it('leaves each search its own record, by its kind and by the key that asked', async () => {
    const test = { Authorization: `Bearer ${await project.newKey({ mode: 'test' })}` };
    const body = { path: '/fountain-pen', options: zero };
    const answers: Found[] = [];
    for (const headers of [{}, {}, test, {}, test])
      answers.push((await project.call('POST', '/v1/suggest', body, headers)).body as Found);
    expect(await cached(...answers)).to.deep.equal([false, true, true, true, true]);
    const { rows } = await sql<{ is_test: boolean; kind: string; results: { url: string }[]; input: string }>`
      select is_test, kind, results, input from pathmend.searches
      where project_id = ${project.row.project_id}
      order by array_position(${answers.map(({ search_id }) => search_id)}::uuid[], search_id)`.execute(
      sharedService().service.db,
    );
    expect(rows.map(({ is_test }) => is_test)).to.deep.equal([false, false, true, false, true]);
    for (const { kind, results, input } of rows) {
      expect({ kind, input, urls: results.map(({ url }) => url) }).to.deep.equal({
        kind: 'suggest',
        input: '/fountain-pen',
        urls: ['/pens/blue'],
      });
    }
  });

  it("is the calling project's own", async () => {
    for (const ask of Object.values(WAYS)) {
      await ask(project);
      const other = await sharedService().newProject();
      expect((await ask(other)).suggestions).to.deep.equal([]);
    }
  });
});
