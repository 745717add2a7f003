import type { ClientBase } from 'pg';
import type { Figures } from '../../harness.js';
import { MADE_EMBEDDING, numberPages, PAIRS } from '../scale/grow.js';

/** Tables of made chunks, each of a project and a page. Projects and pages are numbered. */
export interface ChunkTables {
  create(table: string, fill: () => Promise<unknown>): Promise<void>;
  /** Adds so many projects of about so many chunks each, and returns how many chunks. No two pages are the same. */
  addProjects(table: string, first: number, projects: number, chunks: number): Promise<number>;
  /** Builds an index in memory on one core. The figures say how long it took, how large it is, and the memory. */
  buildIndex(name: string, table: string, using: string, chunks: number): Promise<Figures>;
  megabytes(relation: string): Promise<number>;
  /** Adds the chunks of another table. The figures are for each chunk: milliseconds and the write-ahead log. */
  insertCost(table: string, from: string): Promise<Figures>;
}

/** @param base the project whose really embedded pages all others are made of */
export async function openTables(client: ClientBase, base: string, dimensions: number): Promise<ChunkTables> {
  await client.query('create schema bench; set search_path = bench, public, pathmend');
  await numberPages(client, base);
  const pages = await count('base');
  const perPage = (await count(`pathmend.chunks where project_id = '${base}'`)) / pages;
  let madePages = 0;
  return { create, addProjects, buildIndex, megabytes, insertCost };

  async function figure(value: string): Promise<number> {
    return (await client.query<{ figure: number }>(`select (${value})::float8 as figure`)).rows[0]?.figure ?? 0;
  }
  function count(rows: string): Promise<number> {
    return figure(`select count(*) from ${rows}`);
  }
  function megabytes(relation: string): Promise<number> {
    return figure(`pg_table_size('${relation}') / 1e6`);
  }

  async function create(table: string, fill: () => Promise<unknown>): Promise<void> {
    await client.query(
      `create table ${table} (id int generated always as identity, project int, page int,
                              embedding halfvec(${dimensions}) storage plain)`,
    );
    await fill();
    await client.query(`create index on ${table} (project); alter table ${table} add primary key (id)`);
    await client.query(`vacuum analyze ${table}`);
  }

  async function addProjects(table: string, first: number, projects: number, chunks: number): Promise<number> {
    const each = Math.max(1, Math.round(chunks / perPage));
    const { rowCount } = await client.query(
      `insert into ${table} (project, page, embedding)
       select $4::int + (g - $5::int) / $6::int, g, ${MADE_EMBEDDING}
         from (${PAIRS}) as pairs
         join pathmend.chunks v on v.project_id = $7 and v.page_id = a
         join pathmend.chunks w on w.project_id = $7 and w.page_id = b and w.ordinal = 0
        order by g`,
      [madePages, madePages + projects * each - 1, pages, first, madePages, each, base],
    );
    madePages += projects * each;
    return rowCount ?? 0;
  }

  async function buildIndex(name: string, table: string, using: string, chunks: number): Promise<Figures> {
    // As for a segment: a chunk takes 300 bytes and 3 for each dimension.
    const memory = Math.max(64, Math.ceil((chunks * (dimensions * 3 + 300)) / 1e6));
    await client.query(`set maintenance_work_mem = '${memory}MB'`);
    const from = performance.now();
    await client.query(`create index ${name} on ${table} using hnsw (${using})`);
    const seconds = (performance.now() - from) / 1000;
    return { build_s: seconds, build_memory_mb: memory, index_mb: await megabytes(name) };
  }

  async function insertCost(table: string, from: string): Promise<Figures> {
    const written = () => figure(`(pg_current_wal_insert_lsn() - '0/0') / 1e3`);
    const [log, began] = [await written(), performance.now()];
    const { rowCount } = await client.query(
      `insert into ${table} (project, page, embedding) select project, page, embedding from ${from}`,
    );
    const chunks = rowCount ?? 1;
    return { insert_ms: (performance.now() - began) / chunks, insert_log_kb: ((await written()) - log) / chunks };
  }
}
