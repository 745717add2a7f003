import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { random } from '../seeded.js';

/**
 * A large site made of a small one: its pages over and over, each under a section and a slug of its own and with its
 * sentences in another order, and dead paths that were made of live ones by a renamed section or a mistyped slug.
 * @returns the file of pages as JSON lines, in a new temporary folder, and the dead paths.
 */
export async function manyPages(
  pages: readonly { url: string; content: string }[],
  count: number,
  deadPaths: number,
): Promise<{ file: string; paths: string[] }> {
  const next = random(1);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const words = [...new Set(pages.flatMap(({ content }) => content.toLowerCase().match(/[a-z]{4,12}/g) ?? []))];
  const live: string[] = [];
  const lines: string[] = [];
  for (let i = 0; i < count; i++) {
    const { url, content } = pages[i % pages.length] ?? { url: 'https://many.example/', content: 'page' };
    const base = new URL(url);
    const path = `/${pick(words.slice(0, 40))}${base.pathname}-${pick(words)}-${pick(words)}-${i}`;
    live.push(path);
    const sentences = content.split(/(?<=\.)\s+/).sort(() => next() - 0.5);
    lines.push(
      JSON.stringify({
        url: base.origin + path,
        content: `${pick(words)} ${pick(words)} ${pick(words)}. ${sentences.join(' ')}`,
      }),
    );
  }
  const paths = Array.from({ length: deadPaths }, (_, i) => {
    const path = pick(live);
    if (i % 2 === 0) return `/archive/${path.split('/').slice(2).join('/')}.html`;
    const at = Math.floor(next() * (path.length - 4)) + 2;
    return path.slice(0, at) + path.slice(at + 1);
  });
  const file = join(await mkdtemp(join(tmpdir(), 'pathmend-many-')), 'pages.jsonl');
  await writeFile(file, `${lines.join('\n')}\n`);
  return { file, paths };
}

/** The q-quantile of some numbers, 0 for none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
}
