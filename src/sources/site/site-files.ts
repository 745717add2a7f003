import { opendir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../base/errors.js';
import { decodeText } from '../../text/decode-text.js';
import { decodeHtml } from '../html/decode-html.js';

/** A million characters of content take at most four bytes each. */
const MAX_BYTES = 4_100_000;
const MAX_DEPTH = 64;

/** Never pages: hidden files, installed packages. */
const NEVER = /^(?:\.|node_modules$|__pycache__$|__tests__$)/;

/**
 * The files below a folder, as paths with slashes, in order. Symbolic links are left out: they may lead anywhere.
 *
 * @param skips folders and files that are left out, by their path
 */
export async function* walk(
  root: string,
  skips: (path: string) => boolean = () => false,
  folder = '',
  depth = 0,
): AsyncGenerator<string> {
  const entries: { name: string; isFolder: boolean }[] = [];
  try {
    for await (const entry of await opendir(join(root, folder))) {
      if (!NEVER.test(entry.name) && (entry.isFile() || entry.isDirectory()))
        entries.push({ name: entry.name, isFolder: entry.isDirectory() });
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && folder === '') return;
    throw error;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, isFolder } of entries) {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (skips(path)) continue;
    if (!isFolder) yield path;
    else if (depth < MAX_DEPTH) yield* walk(root, skips, path, depth + 1);
  }
}

/** The text of a file, or what is wrong with it. HTML may be in any encoding that browsers know. */
export async function readTextFile(file: string): Promise<{ text: string } | { refused: string }> {
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES) return { refused: `larger than ${MAX_BYTES} bytes` };
    const bytes = await handle.readFile();
    const text = /\.x?html?$/i.test(file) ? decodeHtml(bytes) : decodeText(bytes);
    return typeof text === 'string' ? { text: text.replaceAll('\r\n', '\n') } : { refused: text.message };
  } finally {
    await handle.close();
  }
}
