import { pathKey } from '../../text/paths/plain-path.js';
import { parseUrl } from '../../text/page-url.js';
import { extractPage, UnreadableHtml } from '../html/extract-page.js';
import { htmlText } from '../text/html-text.js';
import { markdownText } from '../text/markdown-text.js';
import { rstText } from '../text/rst-text.js';
import { pageItem, type SourceItem } from '../source.js';
import type { Document } from './front-matter.js';
import { extensionOf, nameOf, type PlacedPage } from './site-rules.js';

/** Keys for the generator, which do not describe the page. */
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
  /** Ignore its canonical link. */
  isCanonical?: boolean;
}

/** HTML that is not a page of its own: noindex, or a copy of its canonical page. */
interface NoPage {
  kind: 'no-page';
  reason: string;
  canonical?: string;
}

/** The page of a file: its text, the title of its front matter or first heading, and other front matter as metadata. */
export function pageOf(file: FilePage): SourceItem | NoPage {
  const { url, where } = file;
  try {
    return readPage(file);
  } catch (error) {
    if (!(error instanceof UnreadableHtml)) throw error;
    return { kind: 'refused', where: url, reason: `${where}: ${error.message}` };
  }
}

function readPage({ path, document, placed, url, where, isCanonical }: FilePage): SourceItem | NoPage {
  const isHtml = /^html?$/.test(extensionOf(path));
  if (isHtml && /<(?:html|head|body|meta|!doctype)[\s>]/i.test(document.body.slice(0, 5_000)))
    return wholeDocument(document.body, url, where, isCanonical === true);
  const { text, firstHeading } = textOf(path, document.body);
  const title = placed.title ?? firstHeading;
  const metadata = Object.fromEntries(Object.entries(document.front).filter(([key]) => !NO_METADATA.has(key)));
  const content = text === '' ? (title ?? '') : text;
  if (content === '') return { kind: 'refused', where: url, reason: `${where} has no text` };
  return { kind: 'page', where, page: { url, title: title ?? readable(nameOf(path)), content, metadata } };
}

/** A complete HTML document: a page, or a refresh to another one. */
function wholeDocument(html: string, url: string, where: string, isCanonical: boolean): SourceItem | NoPage {
  const { title, content, language, canonical, noindex, leadsTo } = extractPage(html, url);
  if (leadsTo !== undefined) return { kind: 'redirect', from: url, to: leadsTo, where };
  if (noindex) return { kind: 'no-page', reason: 'noindex' };
  const other = canonical === undefined ? undefined : parseUrl(canonical);
  const own = new URL(url);
  const isSite = other?.host === own.host;
  const isCopy = isSite && !pathKey(other.pathname).equals(pathKey(own.pathname));
  if (isCopy && !isCanonical) return { kind: 'no-page', reason: 'another url is canonical', canonical: other.href };
  const metadata = language === undefined ? {} : { language };
  const page = { url: isSite && !isCopy ? other.href : url, title, content, metadata };
  return pageItem(where, page) ?? { kind: 'refused', where: url, reason: `${where} has no text` };
}

function textOf(path: string, body: string): { text: string; firstHeading: string | undefined } {
  const extension = extensionOf(path);
  if (extension === 'rst') return rstText(body);
  return /^(?:html?|njk|liquid)$/.test(extension) ? htmlText(withoutTemplates(body)) : markdownText(body);
}

/** Removes tags of Liquid and Nunjucks. */
function withoutTemplates(html: string): string {
  return html
    .replace(/\{%(?:[^{%]|%(?!\})){0,2000}%\}/g, '')
    .replace(/\{\{[^{}]{0,2000}\}\}/g, '')
    .replace(/\{#[^{#]{0,2000}#\}/g, '');
}

/** `getting-started` becomes `Getting started`. */
function readable(name: string): string {
  const words = name.replace(/[-_]+/g, ' ').trim();
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1);
}
