import { join } from 'node:path';
import { extractPage, UnreadableHtml } from '../html/extract-page.js';
import { pageItem, type SourceItem } from '../source.js';
import type { FileUrls } from './file-urls.js';
import { readHtmlText } from './folder-files.js';

interface NoPage {
  kind: 'no-page';
  reason: string;
}

/** A page that names another file as canonical. */
export interface Copy {
  kind: 'copy';
  file: string;
  url: string;
  /** The canonical page, and its file. */
  canonical: string;
  canonicalFile: string;
  /** Whether the page has no text: a script leads to the canonical page. */
  isStub: boolean;
}

/** Reads an HTML file: a page, a refresh, or a copy of another, which `isCanonical` makes a page of its own. */
export async function readHtmlFile(
  folder: string,
  file: string,
  urls: FileUrls,
  isCanonical = false,
): Promise<SourceItem | NoPage | Copy> {
  const text = await readHtmlText(join(folder, file));
  const url = urls.urlOf(file);
  const refuse = (reason: string): SourceItem => ({ kind: 'refused', where: url, reason: `${file} ${reason}` });
  if ('refused' in text) return refuse(`cannot be read: ${text.refused}`);
  if (/^\uFEFF?---\r?\n/.test(text.html)) return refuse('begins with front matter: it is a source, not a built page');
  try {
    const page = extractPage(text.html, url);
    const { title, content, language, canonical, noindex, leadsTo } = page;
    if (leadsTo !== undefined) return { kind: 'redirect', from: url, to: leadsTo, where: file };
    if (noindex) return { kind: 'no-page', reason: 'noindex' };
    const canonicalFile = canonical === undefined ? undefined : urls.fileAt(canonical);
    if (canonical !== undefined && canonicalFile !== undefined && canonicalFile !== file && !isCanonical)
      return { kind: 'copy', file, url, canonical, canonicalFile, isStub: content === '' };
    return (
      pageItem(file, {
        url: canonical !== undefined && canonicalFile === file ? urls.onSite(canonical) : url,
        title,
        content,
        metadata: language === undefined ? {} : { language },
      }) ?? refuse('has no text')
    );
  } catch (error) {
    if (!(error instanceof UnreadableHtml)) throw error;
    return refuse(`cannot be read: ${error.message}`);
  }
}
