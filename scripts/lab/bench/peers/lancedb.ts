import { join } from 'node:path';
import { searchText } from '../../../eval/peers/peer.js';
import { plainPath, plainWords } from '../../../eval/path-words.js';
import { ANSWERS, fuseRanks, optionalPackage, pageBatches, readPageVectors, type BuildEngine } from './engine.js';

/** What is used of @lancedb/lancedb. */
interface Query {
  distanceType(type: 'cosine'): Query;
  fullTextSearch(query: object): Query;
  nearestTo(vector: Float32Array): Query;
  select(columns: string[]): Query;
  limit(count: number): Query;
  toArray(): Promise<{ id: number }[]>;
}
interface Table {
  add(rows: object[]): Promise<unknown>;
  createIndex(column: string, options: { config: object }): Promise<void>;
  optimize(): Promise<unknown>;
  query(): Query;
}
interface LanceDb {
  connect: (folder: string) => Promise<{ createTable(name: string, rows: object[]): Promise<Table> }>;
  Index: { fts(options: object): object; ivfFlat(options: object): object };
  MatchQuery: new (text: string, column: string, options: { boost: number }) => object;
  BooleanQuery: new (queries: ['SHOULD', object][]) => object;
}

/** Below so many rows it compares all vectors, which is exact; a choice of ours, not tuned. */
const VECTOR_INDEX_FROM = 50_000;
/** Candidates of each list before they are fused. */
const CANDIDATES = 30;

/** Boosts of full text; the best of those tried on the sites. */
const PATH_BOOSTS = { grams: 2, path: 1, title: 2, content: 1 };
const QUESTION_BOOSTS = { path: 4, title: 4, content: 1 };
const WORDS = { language: 'English', stem: true, lowercase: true, removeStopWords: false, asciiFolding: true };

/**
 * LanceDB: full text with stemming over the words of path, title and content, trigrams of the path for what is
 * mistyped, and vectors. Fused by weighted reciprocal ranks here: its own RRFReranker gives both lists the same weight,
 * which found 0.61 of the typos with the same trigrams where this finds 0.90.
 */
export const buildLanceDb: BuildEngine = async ({ files, dimensions, folder, embed }) => {
  const { connect, Index, MatchQuery, BooleanQuery } = optionalPackage('@lancedb/lancedb') as LanceDb;
  const connection = await connect(join(folder, 'lancedb'));
  const vectors = await readPageVectors(files);
  let table: Table | undefined;
  let count = 0;
  for await (const { from, pages } of pageBatches(files, 5_000)) {
    const rows = pages.map(({ path, title, content }, i) => ({
      id: from + i,
      path: plainWords(plainPath(path)).join(' '),
      grams: plainWords(plainPath(path)).join(' '),
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
  for (const column of ['path', 'title', 'content']) await pages.createIndex(column, { config: Index.fts(WORDS) });
  await pages.createIndex('grams', {
    config: Index.fts({
      baseTokenizer: 'ngram',
      ngramMinLength: 3,
      ngramMaxLength: 3,
      stem: false,
      removeStopWords: false,
    }),
  });
  if (count >= VECTOR_INDEX_FROM)
    await pages.createIndex('vector', { config: Index.ivfFlat({ distanceType: 'cosine' }) });
  await pages.optimize();
  const idsOf = async (query: Query): Promise<number[]> =>
    (await query.select(['id']).limit(CANDIDATES).toArray()).map(({ id }) => id);
  return {
    search: async (input) => {
      const text = searchText(input);
      if (text === '') return [];
      const boosts = Object.entries(input.isPath ? PATH_BOOSTS : QUESTION_BOOSTS);
      const words = new BooleanQuery(
        boosts.map(([column, boost]) => ['SHOULD', new MatchQuery(text, column, { boost })]),
      );
      const [byText, byVector] = await Promise.all([
        idsOf(pages.query().fullTextSearch(words)),
        embed(text).then((vector) => idsOf(pages.query().nearestTo(vector).distanceType('cosine'))),
      ]);
      return fuseRanks(
        [
          { ids: byText, weight: 1 },
          { ids: byVector, weight: input.isPath ? 0.1 : 0.3 },
        ],
        ANSWERS,
      );
    },
  };
};
