import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { readPageWords } from '#src/text/words/terms.js';
import { sanitizePath } from '#src/text/paths/sanitize-path.js';
import type { Clients } from './clients.js';

interface Row {
  url: string;
  content: string;
  status: string;
  fresh: boolean;
  vectors: number;
}

const ALL_INDEXED_WITHIN_MS = 300_000;
const UNFINISHED = `select count(*)::int as n from pathmend.pages where status in ('PENDING_VECTORIZATION', 'PROCESSING')
  union all select count(*)::int from pgboss.job where name in ('vectorize-page', 'vectorize-long-page', 'record-event', 'record-events') and state::text in ('created', 'active', 'retry')`;

/** Waits until no page and no job is unfinished, but not for ever: {@link faultsOf} reports what is still left. */
export async function allIndexed(pool: pg.Pool): Promise<void> {
  const end = performance.now() + ALL_INDEXED_WITHIN_MS;
  while (performance.now() < end && (await pool.query<{ n: number }>(UNFINISHED)).rows.some(({ n }) => n > 0))
    await pause(500);
}

/** Compares what is stored in the end with the answers that clients got. Each line is one fault. */
export async function faultsOf(pool: pg.Pool, clients: Clients): Promise<string[]> {
  const faults: string[] = [];
  const { rows } = await pool.query<Row>(`
    select p.url, p.content, p.status, x.content_version is not distinct from p.content_version as fresh,
           (select count(*)::int from pathmend.chunks v where v.project_id = p.project_id and v.page_id = p.page_id) as vectors
      from pathmend.pages p left join pathmend.indexed_pages x using (project_id, page_id)`);
  const there = new Map(rows.map((row) => [row.url, row]));
  for (const url of new Set([...clients.pages.urls(), ...there.keys()])) {
    const page = there.get(url);
    if (!clients.pages.allows(url, page ? { content: page.content } : 'gone'))
      faults.push(`${url} is ${page ? `"${page.content}"` : 'gone'}, which nobody was told`);
    if (page && (page.status !== 'INDEXED' || !page.fresh || page.vectors === 0))
      faults.push(`${url} is ${page.status}, ${page.fresh ? '' : 'with an older index, '}${page.vectors} vectors`);
  }
  await expectNone(
    pool,
    faults,
    'vectors without a page',
    `select page_id from pathmend.chunks v where not exists (select from pathmend.pages p where p.project_id = v.project_id and p.page_id = v.page_id)`,
  );
  await expectNone(
    pool,
    faults,
    'jobs that did not end well',
    `select name, state::text from pgboss.job where name in ('vectorize-page', 'vectorize-long-page', 'record-event', 'record-events') and state::text <> 'completed'`,
  );
  const stored = await pool.query<{ raw_path: string; times: number }>(
    'select raw_path, count(*)::int as times from pathmend.not_founds group by 1',
  );
  const times = new Map(stored.rows.map((row) => [row.raw_path, row.times]));
  for (const path of clients.events.acknowledged) if (!times.has(path)) faults.push(`the event ${path} is lost`);
  for (const [path, n] of times) if (n > 1) faults.push(`the event ${path} is stored ${n} times`);
  faults.push(...(await vocabularyFaults(pool, rows)));
  return faults;
}

async function expectNone(pool: pg.Pool, faults: string[], what: string, query: string): Promise<void> {
  const { rows } = await pool.query<Record<string, unknown>>(query);
  if (rows.length > 0) faults.push(`${rows.length} ${what}: ${JSON.stringify(rows.slice(0, 3))}`);
}

/** Compares the stored counts of words with a recount from the pages themselves. */
async function vocabularyFaults(pool: pg.Pool, pages: readonly Row[]): Promise<string[]> {
  const counts = new Map<string, number>();
  for (const { url, content } of pages) {
    for (const word of new Set([...readPageWords(content).words, ...sanitizePath(new URL(url).pathname).words]))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const { rows } = await pool.query<{ word: string; pages: number }>(
    'select word, pages from pathmend.vocabulary where pages > 0',
  );
  const counted = new Map(rows.map((row) => [row.word, row.pages]));
  return [...new Set([...counts.keys(), ...counted.keys()])]
    .filter((word) => counts.get(word) !== counted.get(word))
    .map((word) => `"${word}" is on ${counts.get(word) ?? 0} pages and counted on ${counted.get(word) ?? 0}`);
}
