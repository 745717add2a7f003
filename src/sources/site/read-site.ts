import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../../base/errors.js';
import { parseUrl } from '../../text/page-url.js';
import { pathKey } from '../../text/paths/plain-path.js';
import type { LeftOut, SiteFormat, SourceItem } from '../source.js';
import { readDocument, type Document } from './front-matter.js';
import { openSite } from './open-site.js';
import { pageOf } from './page-of-file.js';
import { readRedirectFiles } from './read-redirect-files.js';
import { leavesFolder, readTextFile, walk } from './site-files.js';
import type { PageRoot, SiteRules } from './site-rules.js';

interface SiteOptions {
  folder: string;
  /** Undefined: detect it by the configuration. */
  format: SiteFormat | undefined;
  /** Root url; undefined: take it from the configuration. */
  base: string | undefined;
  now: number;
  leftOut: LeftOut;
}

/**
 * The published pages and redirects of a folder or a generator's checkout.
 * @throws OperatorError if its configuration cannot be read, or the root url is unknown
 */
export async function readSite(options: SiteOptions): Promise<AsyncGenerator<SourceItem>> {
  const { folder, leftOut } = options;
  const rules = await openSite(folder, options.format, options.now);
  const base = options.base ?? readOwnBase(rules.base);
  if (base === undefined)
    throw new OperatorError(`${folder} does not say where the site is: give --base with the url of its root.`);
  return readItems({ folder, rules, base, leftOut });
}

function readOwnBase(base: string | undefined): string | undefined {
  const url = base === undefined ? undefined : parseUrl(base.startsWith('//') ? `https:${base}` : base);
  return url && /^https?:$/.test(url.protocol) ? `${url.origin}${url.pathname.replace(/\/?$/, '/')}` : undefined;
}

interface Site {
  folder: string;
  rules: SiteRules;
  base: string;
  leftOut: LeftOut;
}

async function* readItems(site: Site): AsyncGenerator<SourceItem> {
  const { folder, rules, base, leftOut } = site;
  for (const { from, to, where } of rules.redirects ?? [])
    yield { kind: 'redirect', from: urlOf(base, from), to: urlOf(base, to), where };
  const given = new Set<string>();
  const copies: Copy[] = [];
  for (const root of rules.roots) {
    for await (const item of readRoot(site, root)) {
      if (item.kind === 'copy') copies.push(item);
      else {
        if (item.kind === 'page') given.add(keyOf(item.page.url));
        yield item;
      }
    }
  }
  yield* settleCopies(copies, given, leftOut);
  yield* readRedirectFiles(folder, rules.served ?? []);
}

const LINK = 'is a symbolic link: it may lead out of the folder, and is not followed';

async function leadsToFolder(link: string): Promise<boolean> {
  return (await stat(link).catch(() => undefined))?.isDirectory() ?? false;
}

/** A page with another canonical page. */
interface Copy {
  kind: 'copy';
  url: string;
  where: string;
  canonical: string;
  /** Reads it again as a page of its own. */
  read: () => Promise<SourceItem | undefined>;
}

/** Leaves copies out if their canonical page exists. Others, and one of a circle, become pages. */
async function* settleCopies(
  copies: readonly Copy[],
  given: Set<string>,
  leftOut: LeftOut,
): AsyncGenerator<SourceItem> {
  const byUrl = new Map(copies.map((copy) => [keyOf(copy.url), copy]));
  const settled = new Set<Copy>();
  for (const first of copies) {
    const chain: Copy[] = [];
    for (let copy: Copy | undefined = first; copy && !settled.has(copy); copy = byUrl.get(keyOf(copy.canonical))) {
      settled.add(copy);
      chain.push(copy);
    }
    for (const { url, where, canonical, read } of chain.reverse()) {
      if (given.has(keyOf(canonical))) {
        leftOut.add('another url is canonical', { where, instead: canonical });
        given.add(keyOf(url));
        continue;
      }
      const item = await read();
      if (item?.kind === 'page') given.add(keyOf(url));
      if (item) yield item;
    }
  }
}

function keyOf(url: string): string {
  return pathKey(new URL(url).pathname).toString('base64');
}

async function* readRoot({ folder, rules, base, leftOut }: Site, root: PageRoot): AsyncGenerator<SourceItem | Copy> {
  const top = join(folder, root.folder);
  if (existsSync(top) && leavesFolder(folder, root.folder)) {
    yield { kind: 'refused', where: root.folder, reason: LINK };
    return;
  }
  for await (const { path, isLink } of walk(top, (one) => rules.skips?.(one, root) ?? false)) {
    const isPage = rules.isPage.test(path);
    const where = root.folder === '' ? path : `${root.folder}/${path}`;
    // `isRule`, since links were never pages: refusing them must not stop a prune.
    if (isLink && (isPage || (await leadsToFolder(join(top, path)))))
      yield { kind: 'refused', where, reason: LINK, isRule: true };
    if (isLink || !isPage) continue;
    const document = await readFileOf(join(top, path));
    if ('refused' in document) {
      yield { kind: 'refused', where, reason: document.refused };
      continue;
    }
    const placed = rules.place({ path, root }, document);
    if (placed === undefined) continue;
    if ('leftOut' in placed) {
      leftOut.add(placed.leftOut, { where });
      continue;
    }
    if ('refused' in placed) {
      yield { kind: 'refused', where, reason: placed.refused };
      continue;
    }
    const url = urlOf(base, placed.path);
    for (const alias of placed.aliases ?? []) yield { kind: 'redirect', from: urlOf(base, alias), to: url, where };
    if (placed.redirectTo !== undefined) {
      yield { kind: 'redirect', from: url, to: urlOf(base, placed.redirectTo), where };
      continue;
    }
    const page = pageOf({ path, document, placed, url, where });
    if (page.kind !== 'no-page') yield page;
    else if (page.canonical === undefined) leftOut.add(page.reason, { where });
    else {
      // Reads the file again later, to save the memory of its text.
      const read = async (): Promise<SourceItem | undefined> => {
        const again = await readFileOf(join(top, path));
        if ('refused' in again) return { kind: 'refused', where: url, reason: again.refused };
        const item = pageOf({ path, document: again, placed, url, where, isCanonical: true });
        return item.kind === 'no-page' ? undefined : item;
      };
      yield { kind: 'copy', url, where, canonical: page.canonical, read };
    }
  }
}

async function readFileOf(file: string): Promise<Document | { refused: string }> {
  const read = await readTextFile(file);
  return 'refused' in read ? read : readDocument(read.text);
}

/** The url of a path below the base; a full url stays. */
function urlOf(base: string, path: string): string {
  if (/^https?:\/\//i.test(path)) return path;
  const url = new URL(base);
  // File names may contain characters with a meaning in urls.
  const plain = path.replace(/^\//, '').replace(/%(?![\da-f]{2})/gi, '%25');
  url.pathname = url.pathname + plain.replaceAll('?', '%3F').replaceAll('#', '%23');
  return url.href;
}
