import pg from 'pg';
import {
  ASKED,
  BEST_FIRST,
  createPagesTable,
  indexPagesTable,
  insertPages,
  TEXT_RANK,
} from '../../../eval/peers/postgres.js';
import { searchText } from '../../../eval/peers/peer.js';
import { ANSWERS, pageBatches, type BuildEngine } from './engine.js';

const TABLE = 'pages';

/**
 * PostgreSQL written by hand: the best fifty by ts_rank of full text and the best fifty by pg_trgm's similarity of the
 * path's words, each by its GIN index; then ranked as in the comparison of quality, which ranks every page instead.
 */
const SEARCH = `
with asked as materialized (${ASKED}),
by_text as (select p.id from ${TABLE} p, asked a where p.document @@ a.query order by ${TEXT_RANK} desc limit 50),
by_path as (select p.id from ${TABLE} p where p.path_words % $1 order by similarity(p.path_words, $1) desc limit 50),
compared as (
  select p.id, similarity(p.path_words, $1) as path, ${TEXT_RANK} as text
    from ${TABLE} p, asked a where p.id in (select id from by_text union select id from by_path)
)
select id from compared ${BEST_FIRST} limit ${ANSWERS}`;

export const buildPostgres: BuildEngine = async ({ files, databaseUrl }) => {
  if (databaseUrl === undefined) throw new Error('PostgreSQL by hand needs a server: set DATABASE_URL');
  // The pool of a pathmend process.
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  await createPagesTable(pool, TABLE);
  for await (const { from, pages } of pageBatches(files, 500)) await insertPages(pool, TABLE, pages, from);
  await indexPagesTable(pool, TABLE);
  const { rows } = await pool.query<{ bytes: string }>(`select pg_total_relation_size('${TABLE}') as bytes`);
  return {
    search: async (input) =>
      (await pool.query<{ id: number }>({ name: 'search', text: SEARCH, values: [searchText(input)] })).rows.map(
        ({ id }) => id,
      ),
    details: {
      table_and_index_mb: Math.round(Number(rows[0]?.bytes ?? 0) / 1e6),
      memory: 'of the client only: the server has its own',
    },
  };
};
