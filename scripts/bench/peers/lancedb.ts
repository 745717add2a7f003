import { join } from 'node:path';
import { searchText } from '../../eval/peers/peer.js';
import { plainPath, plainWords } from '../../eval/path-words.js';
import { ANSWERS, optionalPackage, pageBatches, readPageVectors, type BuildEngine } from './engine.js';

/** What is used of @lancedb/lancedb. */
interface Query {
  distanceType(type: 'cosine'): Query;
  fullTextSearch(query: object): Query;
  rerank(reranker: object): Query;
  select(columns: string[]): Query;
  limit(count: number): Query;
  toArray(): Promise<{ id: number }[]>;
}
interface Table {
  add(rows: object[]): Promise<unknown>;
  createIndex(column: string, options: { config: object }): Promise<void>;
  optimize(): Promise<unknown>;
  query(): { nearestTo(vector: Float32Array): Query };
}
interface LanceDb {
  connect: (folder: string) => Promise<{ createTable(name: string, rows: object[]): Promise<Table> }>;
  Index: { fts(options: object): object; ivfFlat(options: object): object };
  MultiMatchQuery: new (text: string, columns: string[], options: { boosts: number[] }) => object;
  rerankers: { RRFReranker: { create(): Promise<object> } };
}

/** Its own advice is to do without an index of vectors below so many rows: it compares all of them. */
const VECTOR_INDEX_FROM = 50_000;
/** Candidates of each list before they are fused. */
const CANDIDATES = 30;

/** LanceDB's hybrid search: full text with stemming (boosts as MiniSearch's) and vectors, fused by its own reciprocal ranks. */
export const buildLanceDb: BuildEngine = async ({ files, dimensions, folder, embed }) => {
  const { connect, Index, MultiMatchQuery, rerankers } = optionalPackage('@lancedb/lancedb') as LanceDb;
  const connection = await connect(join(folder, 'lancedb'));
  const vectors = await readPageVectors(files);
  let table: Table | undefined;
  let count = 0;
  for await (const { from, pages } of pageBatches(files, 5_000)) {
    const rows = pages.map(({ path, title, content }, i) => ({
      id: from + i,
      path: plainWords(plainPath(path)).join(' '),
      title,
      content,
      vector: [...vectors.subarray((from + i) * dimensions, (from + i + 1) * dimensions)],
    }));
    if (table) await table.add(rows);
    else table = await connection.createTable('pages', rows);
    count += rows.length;
  }
  if (!table) throw new Error('no pages');
  const pages = table;
  for (const column of ['path', 'title', 'content']) {
    await pages.createIndex(column, { config: Index.fts({ language: 'English', stem: true, lowercase: true, removeStopWords: false, asciiFolding: true, maxTokenLength: 40 }) });
  }
  if (count >= VECTOR_INDEX_FROM) await pages.createIndex('vector', { config: Index.ivfFlat({ distanceType: 'cosine' }) });
  await pages.optimize();
  const reranker = await rerankers.RRFReranker.create();
  return {
    search: async (input) => {
      const text = searchText(input);
      if (text === '') return [];
      const rows = await pages
        .query()
        .nearestTo(await embed(text))
        .distanceType('cosine')
        .fullTextSearch(new MultiMatchQuery(text, ['path', 'title', 'content'], { boosts: [8, 4, 1] }))
        .rerank(reranker)
        .select(['id'])
        .limit(CANDIDATES)
        .toArray();
      return rows.slice(0, ANSWERS).map(({ id }) => id);
    },
  };
};
