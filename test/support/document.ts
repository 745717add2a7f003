import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '#src/base/package-root.js';
import { saidAloud } from './said-aloud.js';
import type { Finished } from './processes.js';

/**
 * Reads the ```sh blocks that stand below a heading of a document, in their order, as they are printed; down to the
 * next heading of the same or a higher level. A test types them with `typeBlock`, so that a document that does not work
 * fails.
 *
 * @param document path from the repository's root, such as `docs/operate/backup.md`
 * @param heading the heading's text without its `#`
 */
export async function shellBlocks(document: string, heading: string): Promise<string[]> {
  const blocks: string[] = [];
  let level = 0;
  let block: string[] | undefined;
  let fence = false;
  for (const line of (await readFile(join(packageRoot(), document), 'utf8')).split('\n')) {
    if (line.startsWith('```')) {
      if (!fence && line === '```sh' && level > 0) block = [];
      else if (fence && block) {
        blocks.push(block.join('\n'));
        block = undefined;
      }
      fence = !fence;
    } else if (fence) {
      block?.push(line);
    } else {
      const [, marks, text] = /^(#+) +(.*)$/.exec(line) ?? [];
      if (marks === undefined) continue;
      if (text === heading) level = marks.length;
      else if (level > 0 && marks.length <= level) break;
    }
  }
  if (blocks.length === 0) throw new Error(`${document} has no sh block below the heading "${heading}"`);
  return blocks;
}

/**
 * The lines of documents that no test types: their programs are not there. They build a site; what a real generator
 * built is in test/fixtures/built.
 */
export const UNTYPED_LINES: readonly string[] = [
  'hugo',
  'bundle exec jekyll build',
  'npx @11ty/eleventy',
  'npm run build',
  'mkdocs build',
  'sphinx-build . _build/html',
];

/**
 * Types a block into bash, which stops at the first command that fails; stdin is closed.
 *
 * @param options.within a command that runs bash elsewhere, such as `nsenter …`
 */
export async function typeBlock(
  block: string,
  options: { cwd: string; env: Record<string, string>; within?: readonly string[] },
): Promise<Finished> {
  const bash = ['bash', '-euo', 'pipefail', '-c', block];
  const [command = '', ...args] = options.within ? [...options.within, ...bash] : bash;
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  await once(child, 'close');
  saidAloud(stderr);
  return { code: child.exitCode, stdout, stderr };
}
