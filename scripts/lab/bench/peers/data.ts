import { existsSync } from 'node:fs';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readLines } from '#src/text/read-lines.js';
import { OnnxEmbedder } from '#src/embedding/onnx-embedder.js';
import { readExampleSite } from '#src/app/demo/example-site.js';
import { packageRoot } from '#src/base/package-root.js';
import { mapConcurrently } from '../../../eval/index-site.js';
import { meanVector } from '../../../eval/peers/vectors.js';
import { CASE_KINDS, readSite, spread, type CaseKind } from '../../../eval/site-data.js';
import { random } from '../../../seeded.js';
import { manyPages } from '../../../service/many-pages.js';
import type { BenchPage, DataFiles } from './engine.js';

export interface BenchCase {
  kind: CaseKind;
  input: string;
  /** Url paths of the right answers. */
  right: string[];
}

export interface BenchData {
  key: string;
  files: DataFiles;
  cases: BenchCase[];
  dimensions: number;
  /** Pages of real sites; the others are made. */
  realPages: number;
  sites: string[];
  /** What the pages' vectors cost: nobody's build time holds it but pathmend's, whose vectors are its own. */
  embeddingSeconds: number;
}

/** Of a page's title and so many characters of its content comes its one vector: the mean of the passages' vectors. */
const EMBEDDED_CHARACTERS = 2_000;
const AT_ONCE = 32;

/**
 * The pages of a size: real sites, the smallest first, while they fit, and made ones. What lies in the folder already
 * is used again.
 */
export async function prepareData(
  siteFolders: readonly string[],
  count: number,
  most: number,
  folder: string,
): Promise<BenchData> {
  const known = join(folder, `data-${count}.json`);
  const key = JSON.stringify([siteFolders, count, most]);
  if (existsSync(known)) {
    const data = JSON.parse(await readFile(known, 'utf8')) as BenchData;
    if (data.key === key) return data;
  }
  const sites = (await Promise.all(siteFolders.map((folder) => readSite(folder)))).sort(
    (a, b) => a.pages.length - b.pages.length,
  );
  const pages: BenchPage[] = [];
  const cases: BenchCase[] = [];
  const taken: string[] = [];
  for (const site of sites) {
    if (pages.length + site.pages.length > count) break;
    taken.push(site.name);
    pages.push(...site.pages);
    for (const kind of CASE_KINDS) {
      // Evenly spread, so the same on every run.
      for (const { input, right } of spread(site[kind], most)) cases.push({ kind, input, right });
    }
  }
  const realPages = pages.length;
  const files = { pages: join(folder, `pages-${count}.jsonl`), vectors: join(folder, `vectors-${count}.f32`) };
  const made = await madePages(count - realPages);
  await writeFile(files.pages, `${[...pages, ...made].map((page) => JSON.stringify(page)).join('\n')}\n`);
  const { dimensions, seconds } = await embedPages(files, folder);
  // A slow contender gets through the first of them only: every site's should be among these.
  const next = random(1);
  const mixed = cases
    .map((one) => ({ one, at: next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
  const data = { key, files, cases: mixed, dimensions, realPages, sites: taken, embeddingSeconds: seconds };
  await writeFile(known, JSON.stringify(data));
  return data;
}

async function madePages(count: number): Promise<BenchPage[]> {
  if (count === 0) return [];
  const shop = await readExampleSite(join(packageRoot(), 'examples', 'shop'));
  const { file } = await manyPages(shop.pages, count, 0);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  await rm(dirname(file), { recursive: true });
  return lines.map((line) => {
    const { url, content } = JSON.parse(line) as { url: string; content: string };
    return { url, path: new URL(url).pathname, title: '', content };
  });
}

async function embedPages(files: DataFiles, folder: string): Promise<{ dimensions: number; seconds: number }> {
  const startedAt = performance.now();
  const embedder = new OnnxEmbedder({ cacheFolder: folder });
  const draft = `${files.vectors}.draft`;
  const out = await open(draft, 'w');
  try {
    const { fingerprint, manifest } = await embedder.load('static');
    const write = async (batch: readonly BenchPage[]): Promise<void> => {
      const vectors = await mapConcurrently(batch, AT_ONCE, async ({ title, content }) => {
        const passages = await embedder.embedContent(
          fingerprint,
          `${title}\n\n${content.slice(0, EMBEDDED_CHARACTERS)}`,
        );
        return meanVector(
          passages.map(({ vector }) => vector),
          manifest.dimensions,
        );
      });
      for (const vector of vectors) await out.write(Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength));
    };
    let batch: BenchPage[] = [];
    for await (const line of readLines(files.pages)) {
      batch.push(JSON.parse(String(line)) as BenchPage);
      if (batch.length < 1_000) continue;
      await write(batch);
      batch = [];
    }
    await write(batch);
    await rename(draft, files.vectors);
    return { dimensions: manifest.dimensions, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    await out.close();
    await embedder.stop();
  }
}
