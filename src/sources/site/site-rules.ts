import { isFalse, isTrue, type Document } from './front-matter.js';

/** A folder with pages, below the checkout; '' is the checkout itself. */
export interface PageRoot {
  folder: string;
  /** Docs, blog, a language, a version: for generators with several. */
  kind?: string;
  /** Path of its pages below the base. */
  prefix?: string;
}

export interface PlacedPage {
  /** Below the base, with a leading slash. */
  path: string;
  /** Undefined: the first heading. */
  title?: string | undefined;
  /** Old paths below the base, with a leading slash. */
  aliases?: readonly string[];
  /** The file is only a redirect to this path or url. */
  redirectTo?: string | undefined;
}

/** A redirect of the configuration, with paths below the base. */
export interface SiteRedirect {
  from: string;
  to: string;
  where: string;
}

/** How a generator turns files into pages. */
export interface SiteRules {
  /** Root url, if configured. */
  base?: string | undefined;
  roots: readonly PageRoot[];
  /** Matches paths of pages. */
  isPage: RegExp;
  /** Excludes folders and files by their path below the root. */
  skips?: (path: string, root: PageRoot) => boolean;
  /** `path` is below the root. Undefined: not a page. `leftOut`: an unpublished page, such as a draft. */
  place: (
    file: { path: string; root: PageRoot },
    document: Document,
  ) => PlacedPage | undefined | { refused: string } | { leftOut: string };
  redirects?: readonly SiteRedirect[];
  /** Folders of static files below the checkout, where redirect files may be; '' is the checkout. */
  served?: readonly string[];
}

/** `guide` of `guide/a.md`; '' for a file at the root. */
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

/** Joins parts of a path by single slashes, with a leading one; a trailing slash stays. */
export function joinPath(...parts: readonly string[]): string {
  return `/${parts.filter((part) => part !== '').join('/')}`.replace(/\/{2,}/g, '/');
}

/** Resolves a path that may be relative to a folder. */
export function resolvePath(folder: string, path: string): string {
  if (path.startsWith('/')) return joinPath(path);
  const parts: string[] = [];
  for (const part of `${folder}/${path}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}${path.endsWith('/') && parts.length > 0 ? '/' : ''}`;
}

/** Why a page is not published, by keys that most generators share. */
export function reasonUnpublished(front: Record<string, unknown>): { leftOut: string } | undefined {
  if (isTrue(front['draft'])) return { leftOut: 'draft' };
  return isFalse(front['published']) ? { leftOut: 'not published' } : undefined;
}

/**
 * Tests paths against patterns as in .gitignore, one per line: `*`, `**`, `?`; a slash at the beginning or inside binds
 * to the root, one at the end means a folder, `!` negates. The last matching pattern decides.
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
