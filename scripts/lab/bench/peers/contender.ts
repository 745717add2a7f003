/**
 * The process of one contender: builds its engine, answers POST / behind the bare Express of harness.ts with a body
 * like pathmend's, and says on stdout where. Argument: a JSON object, {@link ContenderOptions}. Run with --expose-gc.
 */
import type { Request } from 'express';
import { OnnxEmbedder } from '#src/embedding/onnx-embedder.js';
import { parseConfig } from '#src/platform/settings/config.js';
import { startBareExpress } from '../harness.js';
import { type DataFiles, pageBatches, type BuildEngine } from './engine.js';
import { buildLanceDb } from './lancedb.js';
import { buildMiniSearch } from './minisearch.js';
import { buildOramaFullText, buildOramaHybrid } from './orama.js';
import { buildPostgres } from './postgres.js';
import { buildSqlite } from './sqlite.js';

export interface ContenderOptions {
  name: string;
  files: DataFiles;
  dimensions: number;
  folder: string;
  databaseUrl: string | undefined;
}

export interface ContenderReady {
  url: string;
  buildSeconds: number;
  details: Record<string, string | number>;
}

const ENGINES: Record<string, { build: BuildEngine; embeds: boolean }> = {
  minisearch: { build: buildMiniSearch, embeds: false },
  orama_full_text: { build: buildOramaFullText, embeds: false },
  orama_hybrid: { build: buildOramaHybrid, embeds: true },
  lancedb_hybrid: { build: buildLanceDb, embeds: true },
  sqlite_hybrid: { build: buildSqlite, embeds: true },
  postgres_by_hand: { build: buildPostgres, embeds: false },
};

const { name, ...input } = JSON.parse(process.argv[2] ?? '{}') as ContenderOptions;
const chosen = ENGINES[name];
if (!chosen) throw new Error(`no contender is called ${name}`);

async function createEmbed(): Promise<(text: string) => Promise<Float32Array>> {
  const embedder = new OnnxEmbedder({
    cacheFolder: input.folder,
    intraOpThreads: parseConfig(process.env).embeddingThreads,
  });
  const { fingerprint } = await embedder.load('static');
  return (text) => embedder.embedQuery(fingerprint, text);
}

const embed = chosen.embeds ? await createEmbed() : () => Promise.reject(new Error(`${name} has no vectors`));
const startedAt = performance.now();
const engine = await chosen.build({ ...input, embed });
const buildSeconds = (performance.now() - startedAt) / 1000;

// What an answer carries of a page; the content is the engine's business.
const answers: { url: string; title: string }[] = [];
for await (const { pages } of pageBatches(input.files, 1_000))
  answers.push(...pages.map(({ path, title }) => ({ url: path, title })));
// What building left behind would count as the engine's memory for as long as V8 likes.
(globalThis as { gc?: () => void }).gc?.();

async function readBody(request: Request): Promise<{ path?: string; query?: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as { path?: string; query?: string };
}

const { url, server } = await startBareExpress(async (request, response) => {
  const { path, query } = await readBody(request);
  const found = await engine.search({ text: path ?? query ?? '', isPath: path !== undefined });
  response.json({ suggestions: found.map((id) => answers[id]) });
});
// An engine that keeps its process busy for longer than these would find requests closed that waited for it.
Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 });
process.stdout.write(
  `${JSON.stringify({ url, buildSeconds, details: engine.details ?? {} } satisfies ContenderReady)}\n`,
);
