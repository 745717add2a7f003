import { realpathSync, statSync } from 'node:fs';
import { opendir, open } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { codeOf, OperatorError } from '../../base/errors.js';
import { decodeText } from '../../text/decode-text.js';
import { decodeHtml } from '../html/decode-html.js';

/** A million characters of content take at most four bytes each. */
const MAX_BYTES = 4_100_000;
const MAX_DEPTH = 64;

/** Never pages: hidden files, installed packages. */
const NEVER = /^(?:\.|node_modules$|__pycache__$|__tests__$)/;

export interface FoundFile {
  path: string;
  /** It is no file but a symbolic link, which is not followed: it may lead anywhere. */
  isLink: boolean;
}

/**
 * The files below a folder, as paths with slashes, in order, and the symbolic links.
 *
 * @param skips folders and files that are left out, by their path
 */
export async function* walk(
  root: string,
  skips: (path: string) => boolean = () => false,
  folder = '',
  depth = 0,
): AsyncGenerator<FoundFile> {
  const entries: { name: string; isFolder: boolean; isLink: boolean }[] = [];
  try {
    for await (const entry of await opendir(join(root, folder))) {
      const [isFolder, isLink] = [entry.isDirectory(), entry.isSymbolicLink()];
      if (!NEVER.test(entry.name) && (entry.isFile() || isFolder || isLink))
        entries.push({ name: entry.name, isFolder, isLink });
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && folder === '') return;
    throw error;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, isFolder, isLink } of entries) {
    const path = folder === '' ? name : `${folder}/${name}`;
    if (skips(path)) continue;
    if (!isFolder) yield { path, isLink };
    else if (depth < MAX_DEPTH) yield* walk(root, skips, path, depth + 1);
  }
}

/**
 * Whether links on the way to a part of a folder lead out of it.
 *
 * @param part as a configuration names it: that it lies beside the folder (`../docs`) is no link.
 */
export function leavesFolder(folder: string, part: string): boolean {
  const real = realpathSync(folder);
  const found = realpathSync(join(folder, part));
  return found !== join(real, part) && !found.startsWith(real + sep);
}

/** The path of a file that a generator keeps its settings in. @throws OperatorError; ENOENT as it is */
export function settingsFile(folder: string, name: string): string {
  const file = join(folder, name);
  if (leavesFolder(folder, name))
    throw new OperatorError(`${file} is a link that leads out of the folder: it is not read.`);
  // A pipe would be waited for, and a device has no end.
  if (!statSync(file).isFile()) throw new OperatorError(`${file} is no regular file: it is not read.`);
  return file;
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
