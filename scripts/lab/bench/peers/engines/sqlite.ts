import { join } from 'node:path';
import { plainWords } from '../../../../eval/path-words.js';
import { pageBatches } from '../data.js';
import { CANDIDATES, CHUNKS, type Listed } from '../fusion.js';
import { vectorBatches } from '../vectors.js';
import { importPeer, pathWords, type Engine, type EngineInput } from './engine.js';

interface Statement {
  run(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
}
/** The part of better-sqlite3 that is used here. */
interface Sqlite {
  exec(statements: string): void;
  pragma(statement: string): void;
  prepare(statement: string): Statement;
  transaction(work: () => void): () => void;
}

/** More chunks than these are found by their bits, and the nearest of them compared in full. */
const MAX_SCANNED = 20_000;
const NEAREST_BY_BITS = 300;
/** FTS5 leaves none out, and a question's commonest words would read most of the index. */
const STOP_WORDS = new Set(
  `a about an and any are as at be been but by can could did do does for from get had has have how i if in into is it
  its me my no not of on or our should so some than that the their them then there these they this to up was we were
  what when where which who why will with would you your`.split(/\s+/),
);

/**
 * FTS5 with porter's stems over path, title and content, FTS5's trigrams over the words of the path, and sqlite-vec, in
 * one file.
 */
export async function sqlite({ pagesFile, vectors, folder, packages }: EngineInput): Promise<Engine> {
  const Database = importPeer(packages, 'better-sqlite3') as new (file: string) => Sqlite;
  const database = new Database(join(folder, 'pages.db'));
  (importPeer(packages, 'sqlite-vec') as { load: (into: Sqlite) => void }).load(database);
  const { dimensions, count } = vectors;
  const byBits = count > MAX_SCANNED;
  const whole = `embedding float[${dimensions}] distance_metric=cosine, +page integer`;
  for (const setting of ['journal_mode = wal', 'synchronous = normal', 'cache_size = -262144'])
    database.pragma(setting);
  database.exec(`
    create virtual table texts using fts5 (path, title, content, content = '', tokenize = 'porter unicode61');
    insert into texts (texts, rank) values ('rank', 'bm25(4.0, 4.0, 1.0)');
    create virtual table paths using fts5 (words, content = '', tokenize = 'trigram');
    create virtual table chunks using vec0 (${byBits ? `bits bit[${dimensions}]` : whole});
    create table embeddings (id integer primary key, page integer not null, embedding blob not null);`);
  const addText = database.prepare('insert into texts (rowid, path, title, content) values (?, ?, ?, ?)');
  const addPath = database.prepare('insert into paths (rowid, words) values (?, ?)');
  for await (const { from, pages } of pageBatches(pagesFile, 1_000))
    database.transaction(() => {
      for (const [i, page] of pages.entries()) {
        addText.run(from + i, pathWords(page), page.title, page.content);
        addPath.run(from + i, pathWords(page));
      }
    })();
  const addChunk = database.prepare(
    `insert into ${byBits ? 'embeddings' : 'chunks'} (embedding, page) values (@vector, @page)`,
  );
  for await (const batch of vectorBatches(vectors, 1_000))
    database.transaction(() => {
      for (const { page, vector } of batch) addChunk.run({ vector, page: BigInt(page) });
    })();
  if (byBits)
    database.exec('insert into chunks (rowid, bits) select id, vec_quantize_binary(embedding) from embeddings');
  database.exec("insert into texts (texts) values ('optimize'); insert into paths (paths) values ('optimize');");

  const best = (table: string): Statement =>
    database.prepare(
      `select rowid as id, -rank as value from ${table} where ${table} match @wanted order by rank limit ${CANDIDATES}`,
    );
  const [byText, byPath] = [best('texts'), best('paths')];
  const byVector = database.prepare(
    byBits
      ? `with near as materialized (
           select rowid from chunks where bits match vec_quantize_binary(@wanted) and k = ${NEAREST_BY_BITS}
         )
         select page as id, 1 - vec_distance_cosine(embedding, @wanted) as value
           from near join embeddings on id = near.rowid order by 2 desc limit ${CHUNKS}`
      : `select page as id, 1 - distance as value from chunks where embedding match @wanted and k = ${CHUNKS}`,
  );
  const listed = (statement: Statement, wanted: unknown): Listed[] => statement.all({ wanted }) as Listed[];
  return ({ words, isPath, vector }) => {
    const [text, trigrams] = [anyWord(words), anyTrigram(words)];
    return Promise.resolve({
      text: text === '' ? [] : listed(byText, text),
      path: isPath && trigrams !== '' ? listed(byPath, trigrams) : [],
      chunks: vector ? listed(byVector, vector) : [],
    });
  };
}

const anyOf = (terms: readonly string[]): string => [...new Set(terms)].map((term) => `"${term}"`).join(' OR ');

/** Writes a query of FTS5 for pages with any of the words. */
export function anyWord(text: string): string {
  const words = plainWords(text);
  const rare = words.filter((word) => !STOP_WORDS.has(word));
  return anyOf(rare.length > 0 ? rare : words);
}

/** Writes a query of FTS5 for paths with any three neighbouring characters of the text. */
export function anyTrigram(text: string): string {
  const plain = [...plainWords(text).join(' ')];
  return anyOf(plain.slice(2).map((_, i) => plain.slice(i, i + 3).join('')));
}
