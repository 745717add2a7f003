import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { ask } from '../ask.js';

const WORDS = ['kettle', 'teapot', 'grinder', 'filter', 'saucer', 'ladle', 'whisk', 'skillet', 'colander', 'thermos'];
const SECTIONS = ['guide', 'shop', 'help'];

/** Pushes a small site and waits until it is indexed; events and clicks too, so that these tables have rows to lose. */
export async function fillSite(url: string, key: string, pool: pg.Pool): Promise<void> {
  const post = async (path: string, body: object): Promise<{ search_id?: string }> => {
    const { status, text } = await ask(url + path, path, 'POST', key, body);
    if (status === undefined || status >= 300) throw new Error(`${path} answered ${status ?? 'nothing'}: ${text}`);
    return text === '' ? {} : (JSON.parse(text) as { search_id?: string });
  };
  for (const section of SECTIONS) {
    for (const word of WORDS) {
      const content = `Everything about the ${word} in the ${section}: how to choose a ${word}, how to use it with care, and how to clean it.`;
      await post('/v1/pages/upsert', {
        url: `https://backup.example/${section}/choose-a-${word}`,
        title: `The ${word}`,
        content,
        metadata: { section },
      });
    }
  }
  await until(
    pool,
    `select count(*) = ${SECTIONS.length * WORDS.length} as done from pathmend.pages where status = 'INDEXED'`,
  );
  for (const word of WORDS) {
    const { search_id } = await post('/v1/suggest', { path: `/old/${word}.html` });
    await post('/v1/events', {
      search_id,
      clicked_url: `/guide/choose-a-${word}`,
      clicked_rank: 1,
      raw_path: `/old/${word}.html`,
    });
    await post('/v1/events', { raw_path: `/nowhere/${word}` });
  }
  await until(
    pool,
    `select (select count(*) from pathmend.clicks) = ${WORDS.length} and (select count(*) from pathmend.not_founds) = ${WORDS.length} as done`,
  );
  await until(
    pool,
    `select not exists (select from pgboss.job where state::text in ('created', 'active', 'retry') and name <> 'maintenance') as done`,
  );
}

/** Returns the service's answers to some questions, each as it stands except for the search's own id. */
export async function answersOf(url: string, key: string): Promise<string[]> {
  const questions = WORDS.flatMap((word): [string, object][] => [
    ['/v1/suggest', { path: `/${word}s-choosing`, options: { explain: true } }],
    ['/v1/suggest', { path: `/old/${word}.html` }],
    ['/v1/semantic-search', { query: `how do I clean a ${word}`, limit: 5, options: { searchThreshold: 0 } }],
    ['/v1/retrieve', { query: `choose a ${word}`, filters: { section: 'shop' } }],
  ]);
  const answers: string[] = [];
  for (const [path, body] of questions) {
    const { status, text } = await ask(url + path, path, 'POST', key, body);
    answers.push(`${path} ${JSON.stringify(body)} ${status ?? ''} ${text.replace(/"search_id":"[^"]*"/, '')}`);
  }
  return answers;
}

export async function until(pool: pg.Pool, question: string): Promise<void> {
  const end = performance.now() + 120_000;
  while (!(await pool.query<{ done: boolean }>(question)).rows[0]?.done) {
    if (performance.now() > end) throw new Error(`waited in vain for: ${question}`);
    await pause(200);
  }
}
