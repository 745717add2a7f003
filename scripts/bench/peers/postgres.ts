import pg from 'pg';
import { searchText } from '../../eval/peers/peer.js';
import { plainPath, plainWords } from '../../eval/path-words.js';
import { ANSWERS, pageBatches, type BuildEngine } from './engine.js';

/** A tsvector is 1 MB at most; this much text stays below it. */
const CONTENT_CHARACTERS = 400_000;

/**
 * PostgreSQL written by hand: the best fifty by ts_rank of full text (any word; title above content) and the best fifty
 * by pg_trgm's similarity of the path's words, each by its GIN index; then the weighted sum of the comparison of quality
 * (scripts/eval/peers/postgres.ts, which ranks every page instead).
 */
const SEARCH = `
with asked as materialized (
  select replace(plainto_tsquery('english', $1)::text, ' & ', ' | ')::tsquery as query
),
by_text as (
  select p.id from pages p, asked a where p.document @@ a.query
   order by ts_rank('{0.1, 0.2, 0.2, 1}', p.document, a.query, 1) desc limit 50
),
by_path as (
  select p.id from pages p where p.path_words % $1 order by similarity(p.path_words, $1) desc limit 50
),
compared as (
  select p.id, similarity(p.path_words, $1) as path, ts_rank('{0.1, 0.2, 0.2, 1}', p.document, a.query, 1) as text
    from pages p, asked a where p.id in (select id from by_text union select id from by_path)
)
select id from compared
 order by 2 * path + coalesce(text / nullif(max(text) over (), 0), 0) desc, id
 limit ${ANSWERS}`;

export const buildPostgres: BuildEngine = async ({ files, databaseUrl }) => {
  if (databaseUrl === undefined) throw new Error('PostgreSQL by hand needs a server: set DATABASE_URL');
  // The pool of a pathmend process.
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  await pool.query(`
    create extension pg_trgm;
    create table pages (
      id integer primary key,
      path_words text not null,
      title text not null,
      content text not null,
      document tsvector not null generated always as
        (setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', content), 'B')) stored
    );`);
  for await (const { from, pages } of pageBatches(files, 500)) {
    const rows = pages.map(({ path, title, content }, i) => ({
      id: from + i,
      path_words: plainWords(plainPath(path)).join(' '),
      title,
      content: content.slice(0, CONTENT_CHARACTERS),
    }));
    await pool.query(
      `insert into pages (id, path_words, title, content)
       select * from jsonb_to_recordset($1::jsonb) as row (id integer, path_words text, title text, content text)`,
      [JSON.stringify(rows)],
    );
  }
  await pool.query('create index on pages using gin (document)');
  await pool.query('create index on pages using gin (path_words gin_trgm_ops)');
  await pool.query('vacuum analyze pages');
  const { rows } = await pool.query<{ bytes: string }>(`select pg_total_relation_size('pages') as bytes`);
  return {
    search: async (input) => (await pool.query<{ id: number }>({ name: 'search', text: SEARCH, values: [searchText(input)] })).rows.map(({ id }) => id),
    details: { table_and_index_mb: Math.round(Number(rows[0]?.bytes ?? 0) / 1e6), memory: 'of the client only: the server has its own' },
  };
};
