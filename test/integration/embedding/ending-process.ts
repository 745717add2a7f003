/** A program that ends as its argument tells, while its threads embed pages. */
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { EmbedderPool } from '#src/embedding/embedder-pool.js';

let sentences = 0;

/** Chunks that are equal would be embedded once. */
const content = (): string =>
  Array.from({ length: 2_000 }, () => `Kettle ${sentences++} boils water for tea.`).join(' ');

async function embedForever(): Promise<EmbedderPool> {
  const embedder = new EmbedderPool({ pageThreads: 2, cacheFolder: '/nonexistent' });
  const { fingerprint } = await embedder.load('english');
  for (let page = 0; page < 2; page++) embedder.embedContent(fingerprint, content()).catch(() => undefined);
  while (embedder.stats().passages < 4) await nextTurn();
  // Now the threads have their next texts, each for a longer time than this.
  await pause(10);
  return embedder;
}

const embedder = await embedForever();
if (process.argv[2] === 'exit') process.exit(3);
await embedder.stop();
for (let round = 0; round < 3; round++) await (await embedForever()).stop();
process.exitCode = 3;
