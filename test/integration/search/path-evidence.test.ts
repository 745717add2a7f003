import { expect } from 'chai';
import { updateProject } from '#src/projects/store/projects.js';
import { sharedService } from '../../support/shared-service.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';

const CONTENT = 'Return an item within thirty days. Print the label and pack the parcel at our warehouse.';
const options = { searchThreshold: 0 };

interface Suggestion {
  url: string;
  title: string;
  score: number;
}

async function suggest(project: TestProject, path: string): Promise<Suggestion[]> {
  const { status, body } = await project.post('/v1/suggest', { path, limit: 100, options });
  expect(status, path).to.equal(200);
  return body.suggestions as Suggestion[];
}

async function titlesOff({ service }: Pick<TestService, 'service'>, { row }: TestProject): Promise<void> {
  await updateProject(service.db, row.project_id, { title_evidence: false });
}

describe('SUGGEST_PATH_EVIDENCE=off', () => {
  let testService: TestService;
  let project: TestProject;

  before(async function () {
    this.timeout(120_000);
    testService = await startTestService({ SUGGEST_PATH_EVIDENCE: 'off' });
    project = await testService.newProject();
    await titlesOff(testService, project);
    await project.upsert({ url: 'https://shop.example/help/return-an-item', content: CONTENT });
    await project.upsert({ url: 'https://shop.example/x/y?z=1', content: CONTENT, title: 'Other' });
    await project.upsert({
      url: 'https://shop.example/telescope',
      content: 'The shop opens at nine and closes at six.',
    });
    await project.indexed();
  });

  after(() => testService.stop());

  it('pages of the same content score the same, whatever their paths', async () => {
    for (const path of ['/help/return-an-item', '/x/y', '/return-item', '/parcel', '/zebra']) {
      const scores = new Map((await suggest(project, path)).map(({ url, score }) => [url, score]));
      expect(scores.size, path).to.equal(3);
      expect(scores.get('/help/return-an-item'), path).to.equal(scores.get('/x/y?z=1'));
    }
  });
});

describe('what takes part in a score, where titles do not', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
    await titlesOff(sharedService(), project);
  });

  it('of semantic-search and retrieve is content alone: never title, metadata or url', async () => {
    const query = 'telescopes and the moons of Jupiter';
    await project.upsert({ url: 'https://shop.example/a', content: CONTENT });
    await project.upsert({ url: 'https://shop.example/b', content: CONTENT, title: query });
    const metadata = { about: query, tags: query.split(' ') };
    await project.upsert({ url: 'https://shop.example/c', content: CONTENT, metadata });
    const url = 'https://jupiter.example/telescopes/and-the-moons-of-jupiter?q=telescopes';
    await project.upsert({ url, content: CONTENT });
    await project.upsert({ url: 'https://shop.example/d', content: 'A telescope shows the moons of Jupiter.' });
    await project.indexed();
    for (const question of [query, 'return an item', 'zebra']) {
      const semantic = (await project.post('/v1/semantic-search', { query: question, limit: 100, options })).body
        .suggestions as Suggestion[];
      const documents = (await project.post('/v1/retrieve', { query: question, top_k: 100 })).body
        .documents as Suggestion[];
      for (const suggestions of [semantic, documents]) {
        expect(suggestions).to.have.lengthOf(5);
        const same = suggestions.filter((suggestion) => !suggestion.url.endsWith('/d')).map(({ score }) => score);
        expect(new Set(same).size, question).to.equal(1);
        expect(suggestions.find((suggestion) => suggestion.url.endsWith('/d'))?.score).not.to.equal(same[0]);
      }
      if (question === query) expect(semantic[0]?.url).to.equal('/d');
    }
  });

  it('of suggest is content and path: never title or metadata', async () => {
    const other = await sharedService().newProject();
    await titlesOff(sharedService(), other);
    await other.upsert({ url: 'https://a.example/p/q', content: CONTENT });
    await other.upsert({
      url: 'https://b.example/p/q',
      content: CONTENT,
      title: 'Telescopes for the moon',
      metadata: { about: 'telescopes for the moon' },
    });
    await other.indexed();
    for (const path of ['/telescopes-for-the-moon', '/p/q', '/return-an-item', '/telescopes']) {
      const scores = (await suggest(other, path)).map(({ score }) => score);
      expect(scores, path).to.have.lengthOf(2);
      expect(scores[0], path).to.equal(scores[1]);
    }
  });

  it('of suggest is the path, too, by default: of pages with one content that of the mistyped path wins', async () => {
    const other = await sharedService().newProject();
    for (const path of ['/help/return-an-item', '/x/y', '/jobs/warehouse']) {
      await other.upsert({ url: `https://shop.example${path}`, content: CONTENT });
    }
    await other.indexed();
    const mistyped = [
      ['/help/retrun-item', '/help/return-an-item'],
      ['/x/yy', '/x/y'],
      ['/jobs/ware-house', '/jobs/warehouse'],
    ] as const;
    for (const [dead, live] of mistyped) {
      const [first, second] = await suggest(other, dead);
      expect(first?.url, dead).to.equal(live);
      expect(first?.score, dead).to.be.above(second?.score ?? 1);
    }
  });

  it('words of titles correct no spelling: the vocabulary is of content and paths', async () => {
    const other = await sharedService().newProject();
    await titlesOff(sharedService(), other);
    const page = { url: 'https://shop.example/p', content: 'Nothing of the kind.', metadata: { word: 'telescope' } };
    await other.upsert({ ...page, title: 'Telescope' });
    await other.indexed();
    const before = await suggest(other, '/telescpoe');
    await other.upsert({ url: 'https://shop.example/q', content: 'Bread and butter.' });
    await other.upsert({ ...page, title: null, metadata: null });
    await other.call('DELETE', '/v1/pages/delete', { url: 'https://shop.example/q' });
    await other.indexed();
    expect((await suggest(other, '/telescpoe')).map(({ score }) => score)).to.deep.equal(
      before.map(({ score }) => score),
    );
  });
});
