import { realpathSync, statSync } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { codeOf, OperatorError } from '../../base/errors.js';
import { decodeText } from '../../text/decode-text.js';
import { decodeHtml } from '../html/decode-html.js';

/** A million characters of content, of at most four bytes each. */
const MAX_BYTES = 4_100_000;
const MAX_DEPTH = 64;

/** Hidden files and installed packages. */
const NEVER = /^(?:\.|node_modules$|__pycache__$|__tests__$)/;

/**
 * Lists the files and symbolic links below a folder, in order, as paths with slashes. Does not follow links, since they
 * may lead anywhere.
 *
 * @param skips excludes files and folders by their path
 */
export async function* walk(
  root: string,
  skips: (path: string) => boolean = () => false,
  folder = '',
  depth = 0,
): AsyncGenerator<{ path: string; isLink: boolean }> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT' && folder === '') return [];
    throw error;
  });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (NEVER.test(entry.name) || skips(path)) continue;
    if (entry.isFile() || entry.isSymbolicLink()) yield { path, isLink: entry.isSymbolicLink() };
    else if (entry.isDirectory() && depth < MAX_DEPTH) yield* walk(root, skips, path, depth + 1);
  }
}

/**
 * Whether symbolic links in the path of `part` lead out of the folder.
 *
 * @param part as in a configuration; `../docs` is allowed, because it is not a link
 */
export function leavesFolder(folder: string, part: string): boolean {
  const real = realpathSync(folder);
  const found = realpathSync(join(folder, part));
  return found !== join(real, part) && !found.startsWith(real + sep);
}

/** The path of a generator's settings file. @throws OperatorError if it is not a regular file of the folder; ENOENT */
export function settingsFile(folder: string, name: string): string {
  const file = join(folder, name);
  if (leavesFolder(folder, name))
    throw new OperatorError(`${file} is a link that leads out of the folder: it is not read.`);
  // Reading a pipe or a device may never end.
  if (!statSync(file).isFile()) throw new OperatorError(`${file} is no regular file: it is not read.`);
  return file;
}

/** The text of a file, or the reason of a refusal. Decodes HTML as browsers do. */
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
