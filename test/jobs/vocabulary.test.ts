import { expect } from 'chai';
import { sql } from 'kysely';
import type { Db } from '#src/database/db.js';
import { parsePageUrl } from '#src/pages/page-url.js';
import { sanitizePath } from '#src/search/paths/sanitize-path.js';
import { contentVocabulary } from '#src/search/words/content-words.js';
import { random } from '../../scripts/seeded.js';
import { onServer } from '../support/database.js';
import { startTestService, type TestProject, type TestService } from '../support/service.js';

const WORDS = 'kettle teapot coffee beans grinder scale filter paper water steam milk foam cup saucer spoon sugar'.split(' ');
const PATHS = ['kettles', 'kettles/steel-kettle', 'tea/green', 'tea/care', 'beans', 'beans/dark-roast', 'help', 'help/foam'];

describe('the vocabulary', function () {
  this.timeout(120_000);
  const services: TestService[] = [];

  before(async () => {
    services.push(await startTestService());
    // A second worker, where the database takes several.
    if (onServer()) services.push(await startTestService({}, { database: first().database, role: 'worker' }));
  });

  after(async () => {
    await services[1]?.service.stop();
    await services[0]?.stop();
  });

  function first(): TestService {
    if (!services[0]) throw new Error('the service runs inside tests only');
    return services[0];
  }

  const db = (): Db => first().service.db;

  async function counted(project: TestProject): Promise<Map<string, number>> {
    const { rows } = await sql<{ word: string; pages: number }>`
      select word, pages from pathmend.vocabulary where project_id = ${project.row.project_id}`.execute(db());
    return new Map(rows.map((row) => [row.word, row.pages]));
  }

  /** From the stored pages, past everything that indexing keeps. */
  async function recounted(project: TestProject): Promise<Map<string, number>> {
    const { rows } = await sql<{ url: string; content: string }>`
      select url, content from pathmend.pages where project_id = ${project.row.project_id}`.execute(db());
    const counts = new Map<string, number>();
    for (const { url, content } of rows) {
      const words = new Set([...contentVocabulary(content), ...sanitizePath(parsePageUrl(url)?.path ?? '/').words]);
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
        // Some at once, on the same pages too, and sometimes before the last ones are indexed.
        await Promise.all(Array.from({ length: 1 + below(4) }, step));
        if (below(3) === 0) await project.indexed();
      }
      await project.indexed();
      const recount = await recounted(project);
      expect(recount.size).to.be.above(5);
      expect([...(await counted(project))].sort()).to.deep.equal([...recount].sort());
    });
  }
});
