import type { SessionPool } from '#src/platform/database/session/pool.js';
import { plainPath, plainWords } from '../path-words.js';
import type { SitePage } from '../site-data.js';
import { searchText, TOP, type Peer } from './peer.js';

/** A tsvector is 1 MB at most; this much text stays below it. */
const CONTENT_CHARACTERS = 400_000;
const ROWS_AT_ONCE = 100;

/** Any word may match: with AND a path of six words finds nothing. $1: the text. */
export const ASKED = `select replace(plainto_tsquery('english', $1)::text, ' & ', ' | ')::tsquery as query`;
/** Title above content. */
export const TEXT_RANK = `ts_rank('{0.1, 0.2, 0.2, 1}', p.document, a.query, 1)`;
/** The text rank is divided by the case's greatest, so that it and the path's similarity both lie between 0 and 1. */
const SCORE = '2 * path + coalesce(text / nullif(max(text) over (), 0), 0)';
export const BEST_FIRST = `order by ${SCORE} desc, id`;

export async function createPagesTable(pool: Pick<SessionPool, 'query'>, table: string): Promise<void> {
  await pool.query(`
    create extension if not exists pg_trgm;
    create table ${table} (
      id integer primary key,
      path_words text not null,
      title text not null,
      content text not null,
      document tsvector not null generated always as
        (setweight(to_tsvector('english', title), 'A') || setweight(to_tsvector('english', content), 'B')) stored
    );`);
}

/** Inserts pages under the numbers from `from` on. */
export async function insertPages(
  pool: Pick<SessionPool, 'query'>,
  table: string,
  pages: readonly Pick<SitePage, 'path' | 'title' | 'content'>[],
  from: number,
): Promise<void> {
  for (let at = 0; at < pages.length; at += ROWS_AT_ONCE) {
    const rows = pages.slice(at, at + ROWS_AT_ONCE).map(({ path, title, content }, i) => ({
      id: from + at + i,
      path_words: plainWords(plainPath(path)).join(' '),
      title,
      content: content.slice(0, CONTENT_CHARACTERS),
    }));
    await pool.query(
      `insert into ${table} (id, path_words, title, content)
       select * from jsonb_to_recordset($1::jsonb) as row (id integer, path_words text, title text, content text)`,
      [JSON.stringify(rows)],
    );
  }
}

export async function indexPagesTable(pool: Pick<SessionPool, 'query'>, table: string): Promise<void> {
  await pool.query(`create index on ${table} using gin (document)`);
  await pool.query(`create index on ${table} using gin (path_words gin_trgm_ops)`);
  await pool.query(`vacuum analyze ${table}`);
}

/**
 * PostgreSQL alone: full text (title weighs more than content, any word may match) plus pg_trgm's similarity of the
 * paths, in a table of its own. The weights are the best of those tried on the sites. ts_rank with its length
 * normalization, not ts_rank_cd: cover density rewards words that stand close together, which words joined by OR need
 * not, and found 0.42 where this finds 0.62 of the questions first.
 */
export async function postgres(pages: readonly SitePage[], pool: Pick<SessionPool, 'query'>): Promise<Peer> {
  const table = 'eval_peers.pages';
  await pool.query(`create schema if not exists eval_peers; drop table if exists ${table}`);
  await createPagesTable(pool, table);
  await insertPages(pool, table, pages, 0);
  await indexPagesTable(pool, table);
  return {
    name: 'pg_trgm_full_text',
    takesQuestions: true,
    rank: async (input) => {
      const { rows } = await pool.query<{ id: number; score: number }>(
        `with asked as materialized (${ASKED}),
         compared as materialized (
           select p.id, similarity(p.path_words, $1) as path, case when p.document @@ a.query then ${TEXT_RANK} else 0 end as text
             from ${table} p cross join asked a
         )
         select id, ${SCORE} as score from compared where path > 0 or text > 0 ${BEST_FIRST} limit $2`,
        [searchText(input), TOP],
      );
      return rows.map(({ id, score }) => ({ path: pages[id]?.path ?? '', score }));
    },
  };
}
