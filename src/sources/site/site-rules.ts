import { isFalse, isTrue, type Document } from './front-matter.js';

/** A file that may be a page. */
export interface SiteFile {
  /** Below its root, with slashes. */
  path: string;
  root: PageRoot;
}

/** A folder with pages, below the checkout; '' is the checkout itself. */
export interface PageRoot {
  folder: string;
  /** Of a generator with several kinds: docs, blog, a language, a version. */
  kind?: string;
  /** Where its pages are, below the base. */
  prefix?: string;
}

/** Where a file's page is. */
export interface PlacedPage {
  /** Below the base, with a slash in front. */
  path: string;
  /** Where the file does not say it in the usual way. */
  title?: string | undefined;
  /** Old paths below the base, with a slash in front. */
  aliases?: readonly string[];
  /** It is no page, but leads to this path or url. */
  redirectTo?: string | undefined;
}

/** A redirect of the configuration; paths are below the base. */
export interface SiteRedirect {
  from: string;
  to: string;
  where: string;
}

/** How a generator makes pages of files, as its configuration says. */
export interface SiteRules {
  /** The url of the root, if the configuration says it. */
  base?: string | undefined;
  roots: readonly PageRoot[];
  /** Of files that are pages. */
  isPage: RegExp;
  /** Folders and files that are left out, by their path below the root. */
  skips?: (path: string, root: PageRoot) => boolean;
  /** Undefined: it is no page. `leftOut`: it is one that is not published, such as a draft. */
  place: (file: SiteFile, document: Document) => PlacedPage | undefined | { refused: string } | { leftOut: string };
  redirects?: readonly SiteRedirect[];
  /** Folders below the checkout whose files are served as they are: redirect files may be there. '' is the checkout. */
  served?: readonly string[];
}

/** `guide` of `guide/a.md`; '' for a file on top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** `a` of `guide/a.md`. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
}

/** `md` of `guide/a.md`. */
export function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}

/** Joins parts of a path by single slashes, with one in front; the end stays as it is. */
export function joinPath(...parts: readonly string[]): string {
  return `/${parts.filter((part) => part !== '').join('/')}`.replace(/\/{2,}/g, '/');
}

/** A path that may be relative to a folder, from the root. */
export function resolvePath(folder: string, path: string): string {
  if (path.startsWith('/')) return joinPath(path);
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}${path.endsWith('/') && parts.length > 0 ? '/' : ''}`;
}

/** Why a file is hidden from visitors, by keys that most generators know. */
export function reasonUnpublished(front: Record<string, unknown>): { leftOut: string } | undefined {
  if (isTrue(front['draft'])) return { leftOut: 'draft' };
  return isFalse(front['published']) ? { leftOut: 'not published' } : undefined;
}

/**
 * Whether a path is named by patterns as in .gitignore, one a line: `*`, `**`, `?`, a slash in front or inside that
 * binds to the root, one at the end that means a folder, and `!` that takes back. The last pattern that fits decides.
 */
export function excludedBy(patterns: string): (path: string) => boolean {
  const rules = patterns
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ excludes: !line.startsWith('!'), matches: toExpression(line.replace(/^!/, '')) }));
  return (path) => rules.findLast(({ matches }) => matches.test(path))?.excludes ?? false;
}

function toExpression(pattern: string): RegExp {
  const isBound = pattern.replace(/\/$/, '').includes('/');
  const text = pattern
    .replace(/^\/|\/$/g, '')
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*{2,}\/?|\*|\?/g, (mark) => (mark.startsWith('**') ? '(?:.*)' : mark === '*' ? '[^/]*' : '[^/]'));
  return new RegExp(`${isBound ? '^' : '(?:^|/)'}${text}(?:/|$)`);
}
