/**
 * Passages per second of CPU through our embedder beside onnxruntime called directly on tokens that are already made,
 * and beside the same with the tokenizer before it. `node .build/scripts/lab/bench/embedding.js [--model FOLDER]
 * [--pages-file FILE.jsonl] [--passages 2000] [--rounds 5] [--batch 8] [--threads 1] [--name embedding]`; the pages are
 * the example shop's, several to a text, unless a file of {content} is given. The three take turns.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { readExampleSite } from '#src/app/demo/example-site.js';
import { OnnxEmbedder } from '#src/embedding/onnx-embedder.js';
import { packageRoot } from '#src/base/package-root.js';
import { openDirectly } from './direct-inference.js';
import { keepResults, rounded, takeTurns, type Figures } from './harness.js';

const options = new Command('embedding')
  .option('--model <folder>', 'another model than the default one')
  .option('--pages-file <file>', 'JSON lines of {content}')
  .option('--passages <n>', 'passages a round', '2000')
  .option('--rounds <n>', 'rounds of each', '5')
  .option('--batch <n>', 'passages per inference of the floors', '8')
  .option('--threads <n>', 'threads of one inference', '1')
  .option('--name <name>', 'of the results', 'embedding')
  .parse()
  .opts<{
    model?: string;
    pagesFile?: string;
    passages: string;
    rounds: string;
    batch: string;
    threads: string;
    name: string;
  }>();

/** Texts at once: as many as a batch of pages may hand over. */
const AT_ONCE = 16;

async function readContents(): Promise<string[]> {
  if (options.pagesFile !== undefined) {
    const lines = (await readFile(options.pagesFile, 'utf8')).split('\n').filter((line) => line !== '');
    return lines.map((line) => (JSON.parse(line) as { content: string }).content);
  }
  const { pages } = await readExampleSite(join(packageRoot(), 'examples', 'shop'));
  // Pages of the shop are shorter than a passage; three of them make a page of a few passages.
  return pages.map((_, i) => [0, 1, 2].map((more) => pages[(i + more * 7) % pages.length]?.content ?? '').join('\n\n'));
}

const folder = options.model ?? join(packageRoot(), 'models', 'pathmend-static-v2');
const threads = Number(options.threads);
const embedder = new OnnxEmbedder({ cacheFolder: '/nowhere', intraOpThreads: threads });
const { fingerprint } = await embedder.load(folder);
const contents = await readContents();
const texts: string[] = [];
const passages: string[] = [];
for (let i = 0; passages.length < Number(options.passages); i++) {
  const content = contents[i % contents.length] ?? '';
  texts.push(content);
  for (const { start, end } of await embedder.embedContent(fingerprint, content))
    passages.push(content.slice(start, end));
}
const direct = await openDirectly(folder, threads);
const tokens = passages.map((text) => direct.tokenize(text));
const tokensEach = tokens.reduce((sum, ids) => sum + ids.length, 0) / passages.length;

let highest = 0;
const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 50);

async function timed(work: () => Promise<unknown>): Promise<Figures> {
  const before = process.cpuUsage();
  const from = performance.now();
  await work();
  const seconds = (performance.now() - from) / 1000;
  const { user, system } = process.cpuUsage(before);
  return { per_second: passages.length / seconds, per_cpu_second: (passages.length * 1e6) / (user + system) };
}

async function ours(): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let i = next++; i < texts.length; i = next++) await embedder.embedContent(fingerprint, texts[i] ?? '');
    }),
  );
}

const size = Number(options.batch);
const figures = await takeTurns(
  {
    direct: () => timed(() => direct.embed(tokens, size)),
    direct_with_tokenizer: () =>
      timed(() =>
        direct.embed(
          passages.map((text) => direct.tokenize(text)),
          size,
        ),
      ),
    ours: () => timed(ours),
  },
  Number(options.rounds),
);
clearInterval(watch);
await embedder.stop();
const of = (floor: string): number =>
  (figures['ours']?.['per_cpu_second'] ?? 0) / (figures[floor]?.['per_cpu_second'] ?? 1);
await keepResults(options.name, {
  model: options.model === undefined ? 'bundled' : 'random transformer',
  texts: texts.length,
  passages: passages.length,
  tokens_per_passage: rounded(tokensEach),
  batch: size,
  threads,
  ...Object.fromEntries(
    Object.entries(figures).map(([name, each]) => [
      name,
      Object.fromEntries(Object.entries(each).map(([key, value]) => [key, rounded(value)])),
    ]),
  ),
  ours_of_direct: rounded(of('direct')),
  ours_of_direct_with_tokenizer: rounded(of('direct_with_tokenizer')),
  highest_rss_mb: Math.round(highest / 1e6),
});
process.exit();
