import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readLines } from '#src/text/read-lines.js';
import { packageRoot } from '#src/base/package-root.js';
import type { PeerInput } from '../../../eval/peers/peer.js';

/** The files that every contender is built from, and what is in them. */
export interface DataFiles {
  /** JSON lines, as `pages import` takes them. */
  pages: string;
  /** 32-bit floats, one unit vector per page. */
  vectors: string;
}

/** A page as every contender gets it. */
export interface BenchPage {
  url: string;
  /** Url path with query string. */
  path: string;
  title: string;
  content: string;
}

/** One of the others: it holds the pages and names the best of them by their number in the file. */
export interface Engine {
  search(input: PeerInput): Promise<number[]> | number[];
  /** What a reader should know of it beside the figures. */
  details?: Record<string, string | number>;
}

/** What an engine is built from. */
export interface EngineInput {
  files: DataFiles;
  dimensions: number;
  /** A folder of its own, empty. */
  folder: string;
  /** A database of its own on a server, for those that need one. */
  databaseUrl: string | undefined;
  /** The vector of a question or of a dead path's words, from this project's own model in this process. */
  embed: (text: string) => Promise<Float32Array>;
}

export type BuildEngine = (input: EngineInput) => Promise<Engine>;

/** As many answers as every contender gives. */
export const ANSWERS = 3;

/**
 * The pages in the order of the file, some at a time: a hundred thousand at once would count as the engine's memory.
 */
export async function* pageBatches(
  files: DataFiles,
  size: number,
): AsyncGenerator<{ from: number; pages: BenchPage[] }> {
  let from = 0;
  let pages: BenchPage[] = [];
  for await (const line of readLines(files.pages)) {
    pages.push(JSON.parse(String(line)) as BenchPage);
    if (pages.length < size) continue;
    yield { from, pages };
    from += pages.length;
    pages = [];
  }
  if (pages.length > 0) yield { from, pages };
}

/** The pages' vectors, one after the other. */
export async function readPageVectors(files: DataFiles): Promise<Float32Array> {
  const bytes = await readFile(files.vectors);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / Float32Array.BYTES_PER_ELEMENT);
}

/**
 * A package that only this benchmark needs, which `npm install --no-save --prefix scripts/lab/bench/peers` installs.
 * Its types are not there when the rest is compiled, so the caller says what it uses of it.
 */
export function optionalPackage(name: string): unknown {
  return createRequire(join(packageRoot(), 'scripts', 'lab', 'bench', 'peers', 'package.json'))(name) as unknown;
}

/**
 * Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), k = 60: the best of several lists by 1 / (k + rank),
 * weighted.
 */
export function fuseRanks(lists: readonly { ids: readonly number[]; weight: number }[], most: number): number[] {
  const sums = new Map<number, number>();
  for (const { ids, weight } of lists) ids.forEach((id, i) => sums.set(id, (sums.get(id) ?? 0) + weight / (61 + i)));
  return [...sums]
    .sort((a, b) => b[1] - a[1])
    .slice(0, most)
    .map(([id]) => id);
}
