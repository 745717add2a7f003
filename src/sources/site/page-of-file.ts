import { htmlText } from '../text/html-text.js';
import { markdownText } from '../text/markdown-text.js';
import { rstText } from '../text/rst-text.js';
import type { SourceItem } from '../source.js';
import type { Document } from './front-matter.js';
import { extensionOf, nameOf, type PlacedPage } from './site-rules.js';

/** Keys that say how a page is made, not what it is about. */
const NO_METADATA = new Set(
  (
    'title url slug permalink aliases redirect_from redirect_to draft published unlisted layout id build _build cascade ' +
    'outputs headless eleventyExcludeFromCollections eleventyComputed sitemap sidebar_position pagination hide'
  ).split(' '),
);

interface FilePage {
  path: string;
  document: Document;
  placed: PlacedPage;
  url: string;
  where: string;
}

/** The page of a file: its text, the title of its front matter or first heading, the rest of its front matter. */
export function pageOf({ path, document, placed, url, where }: FilePage): SourceItem {
  const { text, firstHeading } = textOf(path, document.body);
  const title = placed.title ?? firstHeading;
  const metadata = Object.fromEntries(Object.entries(document.front).filter(([key]) => !NO_METADATA.has(key)));
  const content = text === '' ? (title ?? '') : text;
  if (content === '') return { kind: 'refused', where: url, reason: `${where} has no text` };
  return { kind: 'page', where, page: { url, title: title ?? readable(nameOf(path)), content, metadata } };
}

function textOf(path: string, body: string): { text: string; firstHeading: string | undefined } {
  const extension = extensionOf(path);
  if (extension === 'rst') return rstText(body);
  return /^(?:html?|njk|liquid)$/.test(extension) ? htmlText(withoutTemplates(body)) : markdownText(body);
}

function withoutTemplates(html: string): string {
  return html
    .replace(/\{%(?:(?!%\})[\s\S]){0,2000}%\}/g, '')
    .replace(/\{\{(?:(?!\}\})[^\n]){0,2000}\}\}/g, '')
    .replace(/\{#(?:(?!#\})[\s\S]){0,2000}#\}/g, '');
}

/** `getting-started` as a person would write it. */
function readable(name: string): string {
  const words = name.replace(/[-_]+/g, ' ').trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}
