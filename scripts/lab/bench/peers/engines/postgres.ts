import pg from 'pg';
import { ASKED, createPagesTable, indexPagesTable, insertPages, TEXT_RANK } from '../../../../eval/peers/postgres.js';
import { pageBatches } from '../data.js';
import { CANDIDATES, CHUNKS, type Lists } from '../fusion.js';
import { vectorBatches } from '../vectors.js';
import type { Engine, EngineInput } from './engine.js';

/** The best by ts_rank of full text, by pg_trgm's similarity of the path's words, and by pgvector: one statement. */
const LISTS = `
with asked as materialized (${ASKED}),
by_text as (
  select p.id, ${TEXT_RANK} as value from pages p, asked a where p.document @@ a.query order by 2 desc limit ${CANDIDATES}
),
by_path as (
  select p.id, similarity(p.path_words, $1) as value
    from pages p where $2::boolean and p.path_words % $1 order by 2 desc limit ${CANDIDATES}
),
by_vector as (
  select c.page as id, 1 - (c.embedding <=> $3::halfvec) as value
    from chunks c where $3::halfvec is not null order by c.embedding <=> $3::halfvec limit ${CHUNKS}
)
select 'text' as list, id, value from by_text
union all select 'path', id, value from by_path
union all select 'chunks', id, value from by_vector`;

/** PostgreSQL written by hand: full text and trigrams by GIN indexes, vectors by HNSW. */
export async function postgresByHand({ pagesFile, vectors, databaseUrl }: EngineInput): Promise<Engine> {
  // The pool of a pathmend process.
  const options = `-c hnsw.ef_search=${CHUNKS} -c maintenance_work_mem=512MB`;
  await withVectors(databaseUrl);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10, options });
  await createPagesTable(pool, 'pages');
  for await (const { from, pages } of pageBatches(pagesFile, 500)) await insertPages(pool, 'pages', pages, from);
  await indexPagesTable(pool, 'pages');
  await pool.query(`create table chunks (page integer not null, embedding halfvec(${vectors.dimensions}) not null)`);
  for await (const batch of vectorBatches(vectors, 1_000))
    await pool.query('insert into chunks select * from unnest($1::integer[], $2::halfvec[])', [
      batch.map(({ page }) => page),
      batch.map(({ vector }) => asText(vector)),
    ]);
  await pool.query('create index on chunks using hnsw (embedding halfvec_cosine_ops)');
  await pool.query('vacuum analyze chunks');
  return async ({ words, isPath, vector }) => {
    const { rows } = await pool.query<{ list: keyof Lists; id: number; value: number }>({
      name: 'lists',
      text: LISTS,
      values: [words, isPath, vector ? asText(vector) : null],
    });
    const of = (list: keyof Lists): Lists['text'] => rows.filter((row) => row.list === list);
    return { text: of('text'), path: of('path'), chunks: of('chunks') };
  };
}

/** A connection may set what belongs to pgvector once it is there. */
async function withVectors(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('create extension vector').finally(() => client.end());
}

const asText = (vector: Float32Array): string => `[${vector.join(',')}]`;
