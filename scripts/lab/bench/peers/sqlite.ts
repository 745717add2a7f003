import { join } from 'node:path';
import { searchText } from '../../../eval/peers/peer.js';
import { plainPath, plainWords } from '../../../eval/path-words.js';
import { ANSWERS, fuseRanks, optionalPackage, pageBatches, readPageVectors, type BuildEngine } from './engine.js';

/** What is used of node:sqlite, which Node 20 does not have. */
interface Statement {
  run(...values: unknown[]): unknown;
  all(...values: unknown[]): { rowid: number }[];
}
interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
}
interface Sqlite {
  DatabaseSync: new (file: string, options: { allowExtension: boolean }) => Database;
}

/** Candidates of each list before they are fused. */
const CANDIDATES = 30;

/**
 * SQLite as its users put it together: FTS5 with stemming over the words of path, title and content (weights as
 * MiniSearch's), FTS5's trigrams of the path for what is mistyped, and sqlite-vec's exact neighbours; fused by
 * reciprocal rank. Its weights are among the best of those tried on the sites.
 */
export const buildSqlite: BuildEngine = async ({ files, dimensions, folder, embed }) => {
  const module = 'node:sqlite';
  const { DatabaseSync } = (await import(module)) as Sqlite;
  const db = new DatabaseSync(join(folder, 'peer.sqlite'), { allowExtension: true });
  (optionalPackage('sqlite-vec') as { load: (database: Database) => void }).load(db);
  db.exec(`
    pragma journal_mode = wal;
    pragma cache_size = -65536;
    create virtual table words using fts5(path, title, content, content='', tokenize='porter unicode61');
    create virtual table paths using fts5(path, content='', tokenize='trigram');
    create virtual table vectors using vec0(embedding float[${dimensions}] distance_metric=cosine);`);
  const insertWords = db.prepare('insert into words (rowid, path, title, content) values (?, ?, ?, ?)');
  const insertPath = db.prepare('insert into paths (rowid, path) values (?, ?)');
  const insertVector = db.prepare('insert into vectors (rowid, embedding) values (?, ?)');
  const all = await readPageVectors(files);
  for await (const { from, pages } of pageBatches(files, 1_000)) {
    db.exec('begin');
    pages.forEach(({ path, title, content }, i) => {
      const id = from + i;
      insertWords.run(id, plainWords(plainPath(path)).join(' '), title, content);
      insertPath.run(id, plainWords(plainPath(path)).join(' '));
      insertVector.run(BigInt(id), Buffer.from(all.slice(id * dimensions, (id + 1) * dimensions).buffer));
    });
    db.exec('commit');
  }
  db.exec("insert into words (words) values ('optimize'); insert into paths (paths) values ('optimize');");
  const byWords = db.prepare(
    `select rowid from words where words match ? order by bm25(words, 8, 4, 1) limit ${CANDIDATES}`,
  );
  const byPath = db.prepare(`select rowid from paths where paths match ? order by bm25(paths) limit ${CANDIDATES}`);
  const byVector = db.prepare(
    `select rowid from vectors where embedding match ? and k = ${CANDIDATES} order by distance`,
  );
  return {
    search: async (input) => {
      const text = searchText(input);
      const words = [...new Set(plainWords(text))];
      if (words.length === 0) return [];
      const vector = await embed(text);
      const lists = [
        { ids: idsOf(byWords.all(anyOf(words))), weight: 1 },
        { ids: idsOf(byVector.all(Buffer.from(vector.slice().buffer))), weight: input.isPath ? 0.2 : 0.3 },
      ];
      const trigrams = input.isPath ? trigramsOf(words.join(' ')) : [];
      if (trigrams.length > 0) lists.push({ ids: idsOf(byPath.all(anyOf(trigrams))), weight: 1 });
      return fuseRanks(lists, ANSWERS);
    },
  };
};

function idsOf(rows: readonly { rowid: number }[]): number[] {
  return rows.map(({ rowid }) => rowid);
}

/** FTS5's syntax for any of these; a quote would end a string of it. */
function anyOf(terms: readonly string[]): string {
  return terms.map((term) => `"${term.replaceAll('"', '')}"`).join(' OR ');
}

function trigramsOf(text: string): string[] {
  return [...new Set(Array.from({ length: Math.max(0, text.length - 2) }, (_, i) => text.slice(i, i + 3)))];
}
