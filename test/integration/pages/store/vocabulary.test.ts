import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import type { Db } from '#src/platform/database/db.js';
import { parsePageUrl } from '#src/text/page-url.js';
import { sanitizePath } from '#src/text/paths/sanitize-path.js';
import { readPageWords } from '#src/text/words/terms.js';
import { random } from '../../../../scripts/seeded.js';
import { onServer } from '../../../support/database.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';
import { sharedService } from '../../../support/shared-service.js';

const WORDS =
  'kettle teapot coffee beans grinder scale filter paper water steam milk foam cup saucer spoon sugar'.split(' ');
const PATHS = 'kettles kettles/steel-kettle tea/green tea/care beans beans/dark-roast help help/foam'.split(' ');

describe('the vocabulary', function () {
  this.timeout(120_000);
  let second: TestService | undefined;

  before(async () => {
    // A second worker, where the database takes several.
    if (onServer()) second = await startTestService({}, { database: first().database, role: 'worker' });
  });

  after(() => second?.service.stop());

  const first = sharedService;
  const db = (): Db => first().service.db;

  async function counted(project: TestProject): Promise<Map<string, number>> {
    const { rows } = await sql<{ word: string; pages: number }>`
      select word, pages from pathmend.vocabulary where project_id = ${project.row.project_id}`.execute(db());
    return new Map(rows.map((row) => [row.word, row.pages]));
  }

  /** The number of words that is stored with the version of the index. */
  async function size(project: TestProject): Promise<number> {
    const { rows } = await sql<{ words: number }>`
      select words::int as words from pathmend.index_versions where project_id = ${project.row.project_id}`.execute(
      db(),
    );
    return rows[0]?.words ?? NaN;
  }

  /** Counts the words of the stored pages anew, without anything that indexing keeps. */
  async function recounted(project: TestProject): Promise<Map<string, number>> {
    const { rows } = await sql<{ url: string; content: string }>`
      select url, content from pathmend.pages where project_id = ${project.row.project_id}`.execute(db());
    const counts = new Map<string, number>();
    for (const { url, content } of rows) {
      const words = new Set([...readPageWords(content).words, ...sanitizePath(parsePageUrl(url)?.path ?? '/').words]);
      for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    return counts;
  }

  for (const seed of [1, 2, 3]) {
    it(`equals a recount from scratch after a random series of upserts, changes and deletes (seed ${seed})`, async () => {
      const project = await first().newProject();
      const next = random(seed);
      const below = (most: number): number => Math.floor(next() * most);
      const step = async (): Promise<void> => {
        const url = `https://tea.example/${PATHS[below(PATHS.length)] ?? ''}`;
        if (below(4) === 0) {
          await project.call('DELETE', '/v1/pages/delete', { url });
          return;
        }
        const words = Array.from({ length: 1 + below(12) }, () => WORDS[below(WORDS.length)]);
        await project.upsert({ url, content: words.join(' ') });
      };
      for (let round = 0; round < 25; round++) {
        // Some steps run at once, on the same pages too, and sometimes before the last pages are indexed.
        await Promise.all(Array.from({ length: 1 + below(4) }, step));
        if (below(3) === 0) await project.indexed();
      }
      await project.indexed();
      const recount = await recounted(project);
      expect(recount.size).to.be.above(5);
      expect([...(await counted(project))].sort()).to.deep.equal([...recount].sort());
      expect(await size(project)).to.equal(recount.size);
    });
  }

  const manyWords = (count: number): string => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');

  it('takes the first 20,000 words of a page, and no page of a real site has so many', async () => {
    const project = await first().newProject();
    await project.upsert({ url: 'https://tea.example/tea/green', content: `Kettle ${manyWords(25_000)} teapot` });
    await project.indexed();
    const words = await counted(project);
    expect(words.size).to.equal(20_000 + ['tea', 'green'].length);
    expect([words.get('kettle'), words.get('teapot')]).to.deep.equal([1, undefined]);
    const answer = await project.post('/v1/semantic-search', { query: 'teapot', options: { searchThreshold: 0 } });
    expect((answer.body as { suggestions: unknown[] }).suggestions).to.have.length(1);
    expect(await size(project)).to.equal(words.size);
    await project.call('DELETE', '/v1/pages/delete', { url: 'https://tea.example/tea/green' });
    expect([(await counted(project)).size, await size(project)]).to.deep.equal([0, 0]);
  });

  it('takes no new words of contents where a project has a million, and counts those that it has', async () => {
    const project = await first().newProject();
    await project.upsert({ url: 'https://tea.example/kettles', content: 'Kettle, teapot.' });
    await project.indexed();
    await sql`update pathmend.index_versions set words = 999999 where project_id = ${project.row.project_id}`.execute(
      db(),
    );
    await project.upsert({ url: 'https://tea.example/beans', content: 'Kettle, grinder.' });
    await project.indexed();
    expect([...(await counted(project))].sort()).to.deep.equal([
      ['beans', 1],
      ['kettle', 2],
      ['kettles', 1],
      ['teapot', 1],
    ]);
    await project.call('DELETE', '/v1/pages/delete', { url: 'https://tea.example/beans' });
    await project.call('DELETE', '/v1/pages/delete', { url: 'https://tea.example/kettles' });
    expect((await counted(project)).size).to.equal(0);
  });
});
