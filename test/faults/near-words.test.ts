import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { lookUpSpelling } from '#src/pages/store/vocabulary.js';
import { sanitizePath } from '#src/text/paths/sanitize-path.js';
import { correctableWords, readingsToLookUp } from '#src/search/ranking/spelling/word-readings.js';
import { random } from '../../scripts/seeded.js';
import { startTestService, type TestProject, type TestService } from '../support/service.js';

const PAGES = 2;
const WORDS_OF_A_PAGE = 20_000;

const next = random(7);
const letters = (length: number): string =>
  Array.from({ length }, () => String.fromCharCode(97 + Math.floor(next() * 26))).join('');

/** Different words with one beginning and one ending, of the lengths that a slip or two makes of one another. */
function nearWords(count: number): string[] {
  const words = new Set<string>();
  while (words.size < count) words.add(`qu${letters(4 + (words.size % 5))}ing`);
  return [...words];
}

describe('a project full of words that are like one another', function () {
  this.timeout(300_000);
  let test: TestService;
  let attacker: TestProject;
  let other: TestProject;
  const attack = `/${nearWords(48).join('-')}`;

  before(async () => {
    test = await startTestService({ SEARCH_CACHE_ENTRIES: '0' });
    [attacker, other] = await Promise.all([test.newProject(), test.newProject()]);
    await other.upsert({
      url: 'https://tea.example/kettles/steel-kettle',
      content: 'A kettle of steel for strong tea.',
    });
    await other.indexed();
    // The planner knows of no project but this one.
    await sql`analyze pathmend.vocabulary`.execute(test.service.db);
    const words = nearWords(PAGES * WORDS_OF_A_PAGE);
    for (let page = 0; page < PAGES; page++) {
      const content = words.slice(page * WORDS_OF_A_PAGE, (page + 1) * WORDS_OF_A_PAGE).join(' ');
      await attacker.upsert({ url: `https://words.example/${page}`, content });
    }
    await attacker.indexed();
  });

  after(() => test.stop());

  /** Rows of the vocabulary that are read to correct a path. */
  async function rowsRead(path: string): Promise<number> {
    const { words } = sanitizePath(path);
    return test.service.db.transaction().execute(async (trx) => {
      // As the service's sessions are, outside of a transaction.
      await sql`set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off`.execute(trx);
      const read = async (): Promise<number> => {
        const { rows } = await sql<{ read: number }>`
          select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables
           where schemaname = 'pathmend' and relname = 'vocabulary'`.execute(trx);
        return rows[0]?.read ?? NaN;
      };
      const before = await read();
      const { near } = await lookUpSpelling(
        { projectId: attacker.row.project_id, db: trx },
        readingsToLookUp(words),
        correctableWords(words),
      );
      for (const corrections of near.values()) expect(corrections.length).to.be.at.most(50);
      return (await read()) - before;
    });
  }

  it('has a small and constant number of them compared with a path, however many it holds and the path asks about', async () => {
    // 400 probes and eight words with 2,500 others each; 48 words with 40,000 each before that was so.
    expect(await rowsRead(attack))
      .to.be.above(1_000)
      .and.at.most(400 + 8 * 2_500);
    expect(await rowsRead(`/${nearWords(3).at(-1) ?? ''}`)).to.be.at.most(400 + 2_500);
  });

  it('is answered, and so is everybody else meanwhile', async () => {
    let attacking = true;
    const attacks = Array.from({ length: 2 }, async () => {
      const statuses: number[] = [];
      while (attacking)
        statuses.push((await attacker.post('/v1/suggest', { path: attack, options: { searchThreshold: 0 } })).status);
      return statuses;
    });
    for (let i = 0; i < 20; i++) {
      const { status, body } = await other.post('/v1/suggest', { path: `/ketles/steel-kettle-${i}` });
      expect(status).to.equal(200);
      expect((body as { suggestions: { url: string }[] }).suggestions.map(({ url }) => url)).to.deep.equal([
        '/kettles/steel-kettle',
      ]);
    }
    attacking = false;
    const statuses = (await Promise.all(attacks)).flat();
    expect(statuses.length).to.be.above(0);
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
  });
});
