import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';

const CONTENTS: Record<string, string> = {
  '/a/returns': 'Send an item back within thirty days. Print the return label, pack the item and hand the parcel in.',
  '/b/hours': 'The shop opens at nine and closes at six, on Saturdays at four.',
  '/c/pens': 'Fountain pens with steel and golden nibs, in blue and black.',
  '/d/gardening': 'Sow tomatoes in March and water the seedlings every day.',
  '/e/astronomy': 'A telescope shows the rings of Saturn and the moons of Jupiter.',
};
const zero = { searchThreshold: 0 };

interface Suggestion {
  url: string;
  title: string;
  score: number;
}

describe('POST /v1/semantic-search', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
    for (const [path, content] of Object.entries(CONTENTS)) {
      const extra = path === '/b/hours' ? { title: 'Opening hours', metadata: { a: [1] } } : {};
      await project.upsert({ url: `https://shop.example${path}`, content, ...extra });
    }
    await project.indexed();
  });

  async function ask(query: string, rest: Record<string, unknown> = {}): Promise<Suggestion[]> {
    const { status, body } = await project.post('/v1/semantic-search', { query, options: zero, ...rest });
    expect(status, query).to.equal(200);
    expect(body).to.have.all.keys('suggestions', 'search_id');
    return body.suggestions as Suggestion[];
  }

  it('puts the page that answers a question first', async () => {
    for (const [query, url] of [
      ['How do I send a parcel back?', '/a/returns'],
      ['when does the shop open on saturdays', '/b/hours'],
      ['blue fountain pen', '/c/pens'],
      ['watering tomatoes', '/d/gardening'],
      ['telescope for saturn', '/e/astronomy'],
    ] as const) {
      expect((await ask(query))[0]?.url, query).to.equal(url);
    }
  });

  it('finds a page by its own words above every other, in suggestions of the same form as suggest', async () => {
    const hours = (await ask(CONTENTS['/b/hours'] ?? ''))[0];
    expect(hours).to.deep.include({ url: '/b/hours', title: 'Opening hours', metadata: { a: [1] } });
    const pens = (await ask(CONTENTS['/c/pens'] ?? ''))[0];
    expect(pens).to.have.all.keys('url', 'title', 'score');
    expect(pens).to.include({ url: '/c/pens', title: 'Pens' });
  });

  it('puts a page with a section of that name before one that only says it', async () => {
    const other = await sharedService().newProject();
    const before = 'Espresso machines\n\nOurs are made of steel and last for years.';
    const after = 'Every three months, with citric acid.';
    const page = (path: string, middle: string): Promise<unknown> =>
      other.upsert({ url: `https://shop.example${path}`, content: `${before}${middle}${after}` });
    await page('/said', ' Descaling the boiler is due. ');
    await page('/section', '\n\nDescaling the boiler\n\n');
    await page('/said-too', ' Descaling the boiler is due! ');
    await other.indexed();
    const options = { searchThreshold: 0, explain: true };
    const { body } = await other.post('/v1/semantic-search', { query: 'descale the boiler', options });
    const [first] = body.suggestions as { url: string; explanation: { evidence: Record<string, number> } }[];
    expect(first?.url).to.equal('/section');
    expect(first?.explanation.evidence).to.have.property('bestHeading').above(0.05);
  });

  it('lists the best first, 3 by default and `limit` at most', async () => {
    expect(await ask('shop')).to.have.lengthOf(3);
    for (const limit of [1, 4, 100]) {
      const suggestions = await ask('shop', { limit });
      expect(suggestions).to.have.lengthOf(Math.min(limit, 5));
      expect(suggestions.map(({ score }) => score)).to.deep.equal(
        suggestions.map(({ score }) => score).sort((a, b) => b - a),
      );
      for (const { score } of suggestions) expect(score).to.be.within(0, 1);
    }
  });

  it('leaves out what is below searchThreshold, which is 0.7 by default', async () => {
    const scored = async (query: string, options?: object): Promise<Suggestion[]> =>
      (await project.post('/v1/semantic-search', { query, limit: 100, options })).body.suggestions as Suggestion[];
    for (const query of Object.values(CONTENTS)) {
      const all = await scored(query, zero);
      for (const searchThreshold of [0.2, 0.5, 0.7, 0.8, 1]) {
        expect(await scored(query, { searchThreshold })).to.deep.equal(
          all.filter(({ score }) => score >= searchThreshold),
        );
      }
      // A score is shown with four decimals: what is shown reaches the threshold.
      for (const { score } of all.slice(0, 5)) {
        expect((await scored(query, { searchThreshold: score })).at(-1)?.score).to.equal(score);
        for (const between of await scored(query, { searchThreshold: Math.min(1, score + 0.00005) }))
          expect(between.score).to.be.above(score);
      }
      const good = all.filter(({ score }) => score >= 0.7);
      expect(good, 'a page is good for its own words').not.to.be.empty;
      expect(await scored(query)).to.deep.equal(good);
      expect(await scored(query, {})).to.deep.equal(good);
    }
  });

  it('takes the query as it is: no sanitizing, no spelling', async () => {
    const { db, deps } = sharedService().service;
    const queries = ['/help/retruns.html?x=1#top', 'HOW do I', '  fuontain pen  '];
    for (const query of queries) await ask(query);
    await deps.log.flush();
    const { rows } = await sql<{ input: string; understood: string }>`
      select input, understood from pathmend.searches
       where project_id = ${project.row.project_id} and input = any (${queries}::text[])`.execute(db);
    expect(rows).to.have.deep.members(queries.map((query) => ({ input: query, understood: query })));
  });

  it('searches the calling project only', async () => {
    const other = await sharedService().newProject();
    const { body } = await other.post('/v1/semantic-search', { query: CONTENTS['/c/pens'], options: zero });
    expect(body.suggestions).to.deep.equal([]);
  });
});
