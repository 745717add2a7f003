/**
 * The process of one contender: builds its engine, answers POST / behind a bare Express with a body like pathmend's,
 * and says on stdout where. Argument: a JSON object, {@link ContenderOptions}. Run with --expose-gc.
 */
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { readLines } from '#src/text/read-lines.js';
import { MiniSearchIndex } from '../../../eval/peers/minisearch.js';
import { searchText, type PeerInput } from '../../../eval/peers/peer.js';
import {
  ASKED,
  BEST_FIRST,
  createPagesTable,
  indexPagesTable,
  insertPages,
  TEXT_RANK,
} from '../../../eval/peers/postgres.js';
import { startBareExpress } from '../../harness.js';
import { ANSWERS, type BenchPage } from './data.js';

export interface ContenderOptions {
  name: keyof typeof ENGINES;
  pagesFile: string;
  /** A database of its own on a server. */
  databaseUrl: string;
}

export interface ContenderReady {
  url: string;
  buildSeconds: number;
}

/** Holds the pages and names the best of them by their number in the file. */
type Search = (input: PeerInput) => Promise<number[]> | number[];

/**
 * PostgreSQL written by hand: the best fifty by ts_rank of full text and the best fifty by pg_trgm's similarity of the
 * path's words, each by its GIN index; then ranked as in the comparison of quality, which ranks every page instead.
 */
const BY_HAND = `
with asked as materialized (${ASKED}),
by_text as (select p.id from pages p, asked a where p.document @@ a.query order by ${TEXT_RANK} desc limit 50),
by_path as (select p.id from pages p where p.path_words % $1 order by similarity(p.path_words, $1) desc limit 50),
compared as (
  select p.id, similarity(p.path_words, $1) as path, ${TEXT_RANK} as text
    from pages p, asked a where p.id in (select id from by_text union select id from by_path)
)
select id from compared ${BEST_FIRST} limit ${ANSWERS}`;

const ENGINES = {
  /** As in the comparison of quality. */
  minisearch: async ({ pagesFile }: ContenderOptions): Promise<Search> => {
    const index = new MiniSearchIndex();
    for await (const { from, pages } of pageBatches(pagesFile, 1_000)) index.add(pages, from);
    return (input) => index.search(input, ANSWERS).map(({ id }) => id);
  },
  postgres_by_hand: async ({ pagesFile, databaseUrl }: ContenderOptions): Promise<Search> => {
    // The pool of a pathmend process.
    const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
    await createPagesTable(pool, 'pages');
    for await (const { from, pages } of pageBatches(pagesFile, 500)) await insertPages(pool, 'pages', pages, from);
    await indexPagesTable(pool, 'pages');
    return async (input) =>
      (await pool.query<{ id: number }>({ name: 'search', text: BY_HAND, values: [searchText(input)] })).rows.map(
        ({ id }) => id,
      );
  },
};

/** The pages in order, some at a time: a hundred thousand at once would count as the engine's memory. */
async function* pageBatches(file: string, size: number): AsyncGenerator<{ from: number; pages: BenchPage[] }> {
  let from = 0;
  let pages: BenchPage[] = [];
  for await (const line of readLines(file)) {
    pages.push(JSON.parse(String(line)) as BenchPage);
    if (pages.length < size) continue;
    yield { from, pages };
    from += pages.length;
    pages = [];
  }
  if (pages.length > 0) yield { from, pages };
}

const options = JSON.parse(process.argv[2] ?? '{}') as ContenderOptions;
const startedAt = performance.now();
const search = await ENGINES[options.name](options);
const buildSeconds = (performance.now() - startedAt) / 1000;

// What an answer carries of a page; the content is the engine's business.
const answers: { url: string; title: string }[] = [];
for await (const { pages } of pageBatches(options.pagesFile, 1_000))
  answers.push(...pages.map(({ path, title }) => ({ url: path, title })));
// What building left behind would count as the engine's memory for as long as V8 likes.
(globalThis as { gc?: () => void }).gc?.();

const { url, server } = await startBareExpress(async (request, response) => {
  const { path, query } = JSON.parse(await text(request)) as { path?: string; query?: string };
  const found = await search({ text: path ?? query ?? '', isPath: path !== undefined });
  response.json({ suggestions: found.map((id) => answers[id]) });
});
// An engine that keeps its process busy for longer than these would find requests closed that waited for it.
Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
process.stdout.write(`${JSON.stringify({ url, buildSeconds } satisfies ContenderReady)}\n`);
