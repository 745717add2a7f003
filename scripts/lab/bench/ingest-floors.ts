import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { embedPage } from '#src/pages/indexing/embed-page.js';
import type { Service } from '#src/app/service.js';
import { rounded, type Figures } from './harness.js';
import { indexPagesFile } from '../../service/index-many-pages.js';

/** As many as the vectorizing job embeds together. */
const AT_ONCE = 16;

export async function readPages(file: string): Promise<string[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as { content: string }).content);
}

/** The floor of indexing: the same pages embedded, in the same process, and nothing done with their vectors. */
export async function embedPages({ models }: Service, contents: readonly string[]): Promise<Figures> {
  const { modelId } = await models.named(process.env['EMBEDDING_MODEL'] ?? 'static');
  const from = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let i = next++; i < contents.length; i = next++)
        await embedPage(models, modelId, 'page', { content: contents[i] ?? '', title: null, slugWords: '' });
    }),
  );
  return { per_second: (contents.length * 1000) / (performance.now() - from) };
}

/** Pages per second from the first line of the file to the last page's INDEXED. */
export async function indexPages(service: Service, file: string, pages: number): Promise<number> {
  const { seconds } = await indexPagesFile(service, 'many', file);
  return pages / seconds;
}

/** Milliseconds of a call that is made each `every` ms, for so many seconds or until a promise is settled. */
export async function timesOf(
  call: () => Promise<unknown>,
  every: number,
  until: number | Promise<unknown>,
): Promise<number[]> {
  const times: number[] = [];
  const end = new AbortController();
  const over = (): void => {
    end.abort();
  };
  (typeof until === 'number' ? pause(until * 1000) : until).then(over, over);
  while (!end.signal.aborted) {
    const from = performance.now();
    await call();
    times.push(performance.now() - from);
    await pause(every);
  }
  return times;
}

export function roundedAll(all: Record<string, Figures>): Record<string, Figures> {
  return Object.fromEntries(
    Object.entries(all).map(([name, figures]) => [
      name,
      Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, rounded(value)])),
    ]),
  );
}
