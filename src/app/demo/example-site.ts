import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../base/glossary.js';

export interface ExampleSite {
  name: string;
  baseUrl: string;
  pages: { url: string; title: string; content: string; metadata: JsonObject }[];
}

/** Reads a site and its pages, which are lines as `pages import` takes them. */
export async function readExampleSite(folder: string): Promise<ExampleSite> {
  const site = JSON.parse(await readFile(join(folder, 'site.json'), 'utf8')) as Omit<ExampleSite, 'pages'>;
  const lines = (await readFile(join(folder, 'pages.jsonl'), 'utf8')).trimEnd().split('\n');
  return { ...site, pages: lines.map((line) => JSON.parse(line) as ExampleSite['pages'][number]) };
}

/** Holds the vectors of a site's texts under one model, by {@link hashText}. */
export interface SiteVectors {
  fingerprint: string;
  vectors: Map<bigint, Float32Array>;
}

/** The file of vectors begins with a line of JSON. Then each text has its hash, and a byte for each number. */
export const VECTORS_FILE = 'vectors.bin';
export const HASH_BYTES = 8;

/** Reads the vectors that scripts/checks/example-vectors.ts made of the site, without those of texts changed since. */
export async function readVectors(folder: string): Promise<SiteVectors> {
  const file = await readFile(join(folder, VECTORS_FILE));
  const end = file.indexOf('\n') + 1;
  const head = file.toString('utf8', 0, end);
  const { fingerprint, dimensions } = JSON.parse(head) as { fingerprint: string; dimensions: number };
  const vectors = new Map<bigint, Float32Array>();
  for (let at = end; at < file.length; at += HASH_BYTES + dimensions) {
    const numbers = Float32Array.from({ length: dimensions }, (_, i) => file.readInt8(at + HASH_BYTES + i));
    const length = Math.hypot(...numbers);
    const unit = numbers.map((value) => value / length);
    vectors.set(file.readBigInt64BE(at), unit);
  }
  return { fingerprint, vectors };
}
