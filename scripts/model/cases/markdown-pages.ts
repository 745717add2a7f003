import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { markdownText } from './markdown-text.js';

interface MarkdownPage {
  url: string;
  title: string;
  content: string;
  metadata: Record<string, unknown>;
}

/** Keys for the generator, which do not describe the page. */
const NO_METADATA = new Set(
  (
    'title url slug permalink aliases redirect_from redirect_to draft published unlisted layout id build _build cascade ' +
    'outputs headless eleventyExcludeFromCollections eleventyComputed sitemap sidebar_position pagination hide'
  ).split(' '),
);

/** Reads the published pages of a folder of Markdown. Markdown with components is read as Markdown. */
export async function* readMarkdownPages(folder: string, base: string): AsyncGenerator<MarkdownPage> {
  const files = await readdir(folder, { recursive: true });
  for (const file of files.filter((name) => /\.mdx?$/i.test(name)).sort()) {
    const { front, body } = splitFront(await readFile(join(folder, file), 'utf8'));
    const { text, firstHeading } = markdownText(body);
    const title = typeof front['title'] === 'string' ? front['title'] : (firstHeading ?? readableName(file));
    if (text === '' || front['draft'] === true || front['published'] === false) continue;
    const permalink = front['permalink'];
    const path = typeof permalink === 'string' ? permalink : pathOf(file);
    const metadata = Object.fromEntries(Object.entries(front).filter(([key]) => !NO_METADATA.has(key)));
    yield { url: new URL(path.replace(/^\//, ''), base).href, title, content: text, metadata };
  }
}

function splitFront(text: string): { front: Record<string, unknown>; body: string } {
  const [whole = '', head] = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/.exec(text) ?? [];
  const front: unknown = head === undefined ? {} : parse(head);
  return { front: (front ?? {}) as Record<string, unknown>, body: text.slice(whole.length) };
}

/** `help/returns.md` is `/help/returns`; index files are their folder. */
function pathOf(file: string): string {
  return `/${file.replace(/\.mdx?$/i, '')}`.replace(/\/(?:index|_index|readme)$/i, '/');
}

/** `getting-started` becomes `Getting started`. */
function readableName(file: string): string {
  const words = basename(file)
    .replace(/\.[^.]*$/, '')
    .replace(/[-_]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
