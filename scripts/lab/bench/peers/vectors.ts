import { createReadStream, createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { EmbedderPool } from '#src/embedding/embedder-pool.js';
import type { LoadedModel } from '#src/embedding/embedder.js';
import { parseConfig } from '#src/platform/settings/config.js';
import { parsePageUrl } from '#src/text/page-url.js';
import { mapConcurrently } from '../../../eval/index-site.js';
import { spread } from '../../../eval/site-data.js';
import type { BenchPage } from './data.js';

/** The vectors of all chunks, in a file: the page's number and the vector, over and over. */
export interface VectorsFile {
  file: string;
  dimensions: number;
  count: number;
}

export interface ChunkVector {
  page: number;
  vector: Float32Array;
}

const ROWS_AT_ONCE = 2_000;
/** Pages that are embedded to learn what all take. */
const SAMPLE = 200;

/** A model as the service loads it, with threads of its own. */
export async function openModel(name: string): Promise<{ embedder: EmbedderPool; model: LoadedModel }> {
  const { modelCacheDir, embeddingThreads } = parseConfig(process.env);
  const embedder = new EmbedderPool({ cacheFolder: modelCacheDir, pageThreads: embeddingThreads });
  return { embedder, model: await embedder.load(name) };
}

/** Seconds that embedding all pages takes, from some that are evenly spread. */
export async function measureEmbedding(name: string, pages: readonly BenchPage[]): Promise<number> {
  const { embedder, model } = await openModel(name);
  const some = spread(pages, SAMPLE);
  const startedAt = performance.now();
  await mapConcurrently(some, 8, ({ content }) => embedder.embedContent(model.fingerprint, content));
  const seconds = (performance.now() - startedAt) / 1000;
  await embedder.stop();
  return (seconds * pages.length) / some.length;
}

/** Writes the vectors that pathmend stored for its only project: of chunks, beginnings, titles and slugs. */
export async function writeVectors(
  databaseUrl: string,
  pages: readonly BenchPage[],
  file: string,
): Promise<VectorsFile> {
  const numbers = new Map(pages.map(({ path }, number) => [path, number]));
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const out = createWriteStream(file);
  let [dimensions, count, after] = [0, 0, '-1'];
  for (;;) {
    const { rows } = await pool.query<{ url: string; arrival: string; embedding: string }>(
      `select p.url, c.arrival, c.embedding::text as embedding
         from pathmend.chunks c join pathmend.pages p using (project_id, page_id)
        where c.arrival > $1 order by c.arrival limit ${ROWS_AT_ONCE}`,
      [after],
    );
    if (rows.length === 0) break;
    for (const { url, arrival, embedding } of rows) {
      after = arrival;
      const page = numbers.get(parsePageUrl(url)?.path ?? url);
      const vector = Float32Array.from(JSON.parse(embedding) as number[]);
      // A zero vector has no direction, so it is like nothing.
      if (page === undefined || vector.every((value) => value === 0)) continue;
      dimensions = vector.length;
      count++;
      const head = Buffer.from(Uint32Array.of(page).buffer);
      if (!out.write(Buffer.concat([head, Buffer.from(vector.buffer)]))) await once(out, 'drain');
    }
  }
  await pool.end();
  out.end();
  await finished(out);
  return { file, dimensions, count };
}

/** The vectors in order, some at a time. */
export async function* vectorBatches({ file, dimensions }: VectorsFile, size: number): AsyncGenerator<ChunkVector[]> {
  const bytes = 4 * (1 + dimensions);
  let rest = Buffer.alloc(0);
  for await (const part of createReadStream(file, { highWaterMark: bytes * size }) as AsyncIterable<Buffer>) {
    const all = Buffer.concat([rest, part]);
    const whole = Math.floor(all.length / bytes);
    yield Array.from({ length: whole }, (_, i) => {
      // Copied, as numbers have to begin at a multiple of four.
      const copy = Uint8Array.prototype.slice.call(all, i * bytes, (i + 1) * bytes).buffer;
      return { page: new Uint32Array(copy, 0, 1)[0] ?? 0, vector: new Float32Array(copy, 4) };
    });
    rest = all.subarray(whole * bytes);
  }
}
