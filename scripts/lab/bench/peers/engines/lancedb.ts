import { join } from 'node:path';
import { pageBatches } from '../data.js';
import { CANDIDATES, CHUNKS, type Listed } from '../fusion.js';
import { vectorBatches } from '../vectors.js';
import { importPeer, pathWords, type Engine, type EngineInput } from './engine.js';

interface Query {
  fullTextSearch(query: unknown): Query;
  nearestTo(vector: Float32Array): Query;
  distanceType(type: string): Query;
  nprobes(count: number): Query;
  select(columns: string[]): Query;
  limit(count: number): Query;
  toArray(): Promise<Record<string, number>[]>;
}
interface Table {
  add(rows: object[]): Promise<unknown>;
  createIndex(column: string, options: { config: unknown }): Promise<void>;
  optimize(): Promise<unknown>;
  query(): Query;
}
/** The part of LanceDB's package that is used here. */
interface LanceDb {
  connect(folder: string): Promise<{ createTable(name: string, rows: object[]): Promise<Table> }>;
  Index: Record<'fts' | 'ivfFlat', (options: object) => unknown>;
  MatchQuery: new (query: string, column: string) => unknown;
  MultiMatchQuery: new (query: string, columns: string[], options: { boosts: number[] }) => unknown;
}

/** Up to about this many vectors, LanceDB scans all of them; more get an index. */
const MAX_SCANNED = 50_000;
/** A query reads this many partitions of the index. */
const PROBES = 30;
const TEXT = { stem: true, removeStopWords: true, asciiFolding: true, withPosition: false };
const TRIGRAMS = {
  ...{ baseTokenizer: 'ngram', ngramMinLength: 3, ngramMaxLength: 3 },
  ...{ stem: false, removeStopWords: false, withPosition: false },
};

/** Full-text indexes of path, title and content, an index of the path's trigrams, and vectors, in a folder. */
export async function lancedb({ pagesFile, vectors, folder, packages }: EngineInput): Promise<Engine> {
  const lance = importPeer(packages, '@lancedb/lancedb') as LanceDb;
  const { Index, MatchQuery, MultiMatchQuery } = lance;
  const database = await lance.connect(join(folder, 'lance'));
  let pages: Table | undefined;
  for await (const batch of pageBatches(pagesFile, 5_000)) {
    const rows = batch.pages.map((page, i) => ({
      id: batch.from + i,
      path: pathWords(page),
      path_words: pathWords(page),
      title: page.title,
      content: page.content,
    }));
    if (pages) await pages.add(rows);
    else pages = await database.createTable('pages', rows);
  }
  let chunks: Table | undefined;
  for await (const batch of vectorBatches(vectors, 10_000)) {
    const rows = batch.map(({ page, vector }) => ({ page, vector: [...vector] }));
    if (chunks) await chunks.add(rows);
    else chunks = await database.createTable('chunks', rows);
  }
  if (!pages || !chunks) throw new Error('LanceDB got no pages or no vectors.');
  for (const column of ['path_words', 'title', 'content']) await pages.createIndex(column, { config: Index.fts(TEXT) });
  await pages.createIndex('path', { config: Index.fts(TRIGRAMS) });
  if (vectors.count > MAX_SCANNED)
    await chunks.createIndex('vector', { config: Index.ivfFlat({ distanceType: 'cosine' }) });
  await pages.optimize();
  await chunks.optimize();

  const [pageTable, chunkTable] = [pages, chunks];
  const byText = async (query: unknown): Promise<Listed[]> => {
    const search = pageTable.query().fullTextSearch(query).select(['id', '_score']).limit(CANDIDATES);
    return (await search.toArray()).map((row) => ({ id: Number(row['id']), value: Number(row['_score']) }));
  };
  const byVector = async (vector: Float32Array): Promise<Listed[]> => {
    const search = chunkTable.query().nearestTo(vector).distanceType('cosine').nprobes(PROBES);
    const rows = await search.select(['page', '_distance']).limit(CHUNKS).toArray();
    return rows.map((row) => ({ id: Number(row['page']), value: 1 - Number(row['_distance']) }));
  };
  return async ({ words, isPath, vector }) => {
    const wanted = words.trim() !== '';
    const columns = ['path_words', 'title', 'content'];
    const [text, path, near] = await Promise.all([
      wanted ? byText(new MultiMatchQuery(words, columns, { boosts: [4, 4, 1] })) : [],
      wanted && isPath ? byText(new MatchQuery(words, 'path')) : [],
      vector ? byVector(vector) : [],
    ]);
    return { text, path, chunks: near };
  };
}
