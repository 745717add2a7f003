import { createRequire } from 'node:module';
import { join } from 'node:path';
import { plainPath, plainWords } from '../../../../eval/path-words.js';
import type { BenchPage } from '../data.js';
import type { Lists } from '../fusion.js';
import type { VectorsFile } from '../vectors.js';

/** An engine is built of this. */
export interface EngineInput {
  pagesFile: string;
  vectors: VectorsFile;
  /** A database of its own on a server. */
  databaseUrl: string;
  /** An empty folder. */
  folder: string;
  /** The folder that fetch.sh installed packages in. */
  packages: string;
}

/** Searches the words of a path, or a question. There is no vector if the model knows none of the words. */
export type Engine = (input: { words: string; isPath: boolean; vector: Float32Array | undefined }) => Promise<Lists>;

/** A package that is installed outside of the repository. */
export function importPeer(packages: string, name: string): unknown {
  return createRequire(join(packages, 'package.json'))(name);
}

export function pathWords({ path }: Pick<BenchPage, 'path'>): string {
  return plainWords(plainPath(path)).join(' ');
}
