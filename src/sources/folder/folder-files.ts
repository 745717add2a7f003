import { lstat, open, readdir, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeHtml } from '../html/decode-html.js';

/** The max bytes of a file: a million characters of content, of at most four bytes each. */
const MAX_BYTES = 4_100_000;
const MAX_DEPTH = 64;

/** Matches hidden files and installed packages. */
const NEVER = /^(?:\.|node_modules$)/;

export interface FolderFile {
  /** The path below the folder, with slashes. */
  path: string;
  isLink: boolean;
}

/** Lists the files and symbolic links below a folder, in order. Follows no links: they may lead anywhere. */
export async function* walkFiles(folder: string, below = '', depth = 0): AsyncGenerator<FolderFile> {
  const entries = await readdir(join(folder, below), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (NEVER.test(entry.name)) continue;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isFile() || entry.isSymbolicLink()) yield { path, isLink: entry.isSymbolicLink() };
    else if (entry.isDirectory() && depth < MAX_DEPTH) yield* walkFiles(folder, path, depth + 1);
  }
}

/** Tests whether a folder has a regular file of this path: a link may lead anywhere, and a pipe may never end. */
export async function hasFile(folder: string, path: string): Promise<boolean> {
  const stats = await lstat(join(folder, path)).catch(() => undefined);
  return stats?.isFile() ?? false;
}

/** Reads an HTML file, and decodes it as browsers do. @returns the reason of a refusal if that fails */
export async function readHtmlText(file: string): Promise<{ html: string } | { refused: string }> {
  let handle: FileHandle;
  try {
    handle = await open(file);
  } catch (error) {
    if (file.includes('\uFFFD')) return { refused: 'its name is not UTF-8' };
    return { refused: error instanceof Error ? error.message : String(error) };
  }
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES) return { refused: `larger than ${MAX_BYTES} bytes` };
    const html = decodeHtml(await handle.readFile());
    return typeof html === 'string' ? { html } : { refused: html.message };
  } finally {
    await handle.close();
  }
}
