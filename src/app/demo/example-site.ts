import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { parse } from 'yaml';
import { OperatorError } from '../../base/errors.js';
import type { JsonObject } from '../../base/glossary.js';

export interface ExampleSite {
  name: string;
  baseUrl: string;
  pages: { url: string; title: string; content: string; metadata: JsonObject }[];
}

/**
 * Reads a site of Markdown files: `pages/help/returns.md` is the page /help/returns. The front matter's `title` is its
 * title; the other keys are its metadata, and the site's language, which then need not be detected.
 */
export async function readExampleSite(folder: string): Promise<ExampleSite> {
  const site = JSON.parse(await readFile(join(folder, 'site.json'), 'utf8')) as {
    name: string;
    baseUrl: string;
    lang: string;
  };
  const root = join(folder, 'pages');
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith('.md')).sort();
  const pages = await Promise.all(
    files.map(async (file) => {
      const { frontMatter, body } = splitFrontMatter(await readFile(join(root, file), 'utf8'), file);
      const { title, ...metadata } = frontMatter;
      return {
        url: site.baseUrl + pathOf(file),
        title: typeof title === 'string' ? title : pathOf(file),
        content: body,
        metadata: { lang: site.lang, ...metadata },
      };
    }),
  );
  return { ...site, pages };
}

function pathOf(file: string): string {
  const path = `/${file.split(sep).join('/')}`.replace(/\.md$/, '').replace(/\/index$/, '');
  return path === '' ? '/' : path;
}

function splitFrontMatter(text: string, file: string): { frontMatter: JsonObject; body: string } {
  const [, head, body] = /^---\r?\n([\s\S]*?)\r?\n---\r?\n([\s\S]*)$/.exec(text) ?? [];
  if (head === undefined || body === undefined)
    throw new OperatorError(`${file} has no front matter between two lines of ---.`);
  return { frontMatter: parse(head) as JsonObject, body: body.trim() };
}

/** Holds the vectors of a site's texts under one model, by {@link hashText}. */
export interface SiteVectors {
  fingerprint: string;
  vectors: Map<bigint, Float32Array>;
}

/** The file of vectors begins with a line of JSON. Then each text has its hash, and a byte for each number. */
export const VECTORS_FILE = 'vectors.bin';
export const HASH_BYTES = 8;

/**
 * Reads the vectors that scripts/checks/example-vectors.ts made of the example site. A text that changed since is not
 * among them.
 */
export async function readVectors(folder: string): Promise<SiteVectors> {
  const file = await readFile(join(folder, VECTORS_FILE));
  const end = file.indexOf('\n') + 1;
  const { fingerprint, dimensions } = JSON.parse(file.toString('utf8', 0, end)) as {
    fingerprint: string;
    dimensions: number;
  };
  const vectors = new Map<bigint, Float32Array>();
  for (let at = end; at < file.length; at += HASH_BYTES + dimensions) {
    const numbers = Float32Array.from({ length: dimensions }, (_, i) => file.readInt8(at + HASH_BYTES + i));
    const length = Math.hypot(...numbers);
    vectors.set(
      file.readBigInt64BE(at),
      numbers.map((value) => value / length),
    );
  }
  return { fingerprint, vectors };
}
