import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dayOfYear, MONTHS, pad, readDate, WEEKDAYS, weekday, type SiteDate } from '../dates.js';
import { isTrue, mappingOf, textOf, textsOf, type Document } from '../front-matter.js';
import { extensionOf, folderOf, joinPath, nameOf, resolvePath, type PageRoot, type SiteRules } from '../site-rules.js';

/**
 * Hugo (gohugo.io/content-management/urls, /organization, /page-bundles). Ignores templates, modules, `cascade` and
 * generated lists of terms.
 *
 * @param config its configuration, with keys in lower case
 */
export function hugoRules(folder: string, config: Record<string, unknown>, now: number): SiteRules {
  const content = textOf(config['contentdir']) ?? 'content';
  const languages = mappingOf(config['languages']);
  const main = textOf(config['defaultcontentlanguage']) ?? 'en';
  const prefixOf = (language: string): string =>
    language === main && !isTrue(config['defaultcontentlanguageinsubdir']) ? '' : language;
  const roots = rootsOf(content, languages, main, prefixOf);
  const isLeafBundle = leafBundles(folder);
  return {
    base: textOf(config['baseurl']),
    roots,
    isPage: /\.(?:md|markdown|mdown|html?)$/i,
    served: ['static'],
    place: ({ path: file, root }, document) => {
      const { front } = document;
      const reason = whyLeftOut(document, config, now);
      if (reason !== undefined) return { leftOut: reason };
      const [, bare = nameOf(file), suffix] = /^(.+)\.([^.]+)$/.exec(nameOf(file)) ?? [];
      const language = root.kind ?? (suffix !== undefined && Object.hasOwn(languages, suffix) ? suffix : main);
      const name = suffix !== undefined && Object.hasOwn(languages, suffix) ? bare : nameOf(file);
      if (!isLanguageOn(languages, language)) return { leftOut: 'its language is disabled' };
      const directory = folderOf(file);
      if (name !== '_index' && isLeafBundle(root, directory, name === 'index')) return undefined;
      const prefix =
        root.kind === undefined ? (Object.keys(languages).length > 0 ? prefixOf(language) : '') : (root.prefix ?? '');
      const path = pathOf(front, name, directory, config);
      const place = (inner: string): string => joinPath(prefix, inner);
      const parent = name === '_index' ? directory : folderOf(path.replace(/\/$/, '').slice(1));
      return {
        path: place(path),
        title: textOf(front['title']),
        aliases: textsOf(front['aliases']).map((alias) =>
          alias.startsWith('/') ? joinPath(alias) : place(resolvePath(parent, alias)),
        ),
      };
    },
  };
}

function rootsOf(
  content: string,
  languages: Record<string, unknown>,
  main: string,
  prefixOf: (language: string) => string,
): PageRoot[] {
  const own = Object.entries(languages).flatMap(([language, settings]) => {
    const folder = textOf(mappingOf(settings)['contentdir']);
    return folder === undefined ? [] : [{ folder, kind: language, prefix: prefixOf(language) }];
  });
  return own.some(({ kind }) => kind === main) ? own : [{ folder: content }, ...own];
}

function isLanguageOn(languages: Record<string, unknown>, language: string): boolean {
  return !isTrue(mappingOf(languages[language])['disabled']);
}

function whyLeftOut({ front }: Document, config: Record<string, unknown>, now: number): string | undefined {
  if (isTrue(front['draft']) && !isTrue(config['builddrafts'])) return 'draft';
  const build = mappingOf(front['build'] ?? front['_build']);
  if (isTrue(front['headless']) || ['never', 'link', false, 'false'].includes(build['render'] as string))
    return 'not published';
  const published = readDate(
    front['publishDate'] ?? front['publishdate'] ?? front['pubdate'] ?? front['published'] ?? front['date'],
  );
  if (published && published.time > now && !isTrue(config['buildfuture'])) return 'dated in the future';
  const expires = readDate(front['expiryDate'] ?? front['expirydate'] ?? front['unpublishdate']);
  return expires !== undefined && expires.time <= now && !isTrue(config['buildexpired']) ? 'expired' : undefined;
}

/** Tests whether a file belongs to a leaf bundle (a folder with an index.md) without being its page. */
function leafBundles(folder: string): (root: PageRoot, directory: string, isIndex: boolean) => boolean {
  const known = new Map<string, boolean>();
  const hasIndex = (path: string): boolean => {
    let found = known.get(path);
    if (found === undefined) {
      found = ['index.md', 'index.html', 'index.markdown'].some((name) => existsSync(join(folder, path, name)));
      if (known.size > 10_000) known.clear();
      known.set(path, found);
    }
    return found;
  };
  return (root, directory, isIndex) => {
    const parts = directory === '' ? [] : directory.split('/');
    for (let depth = isIndex ? parts.length - 1 : parts.length; depth > 0; depth--)
      if (hasIndex(joinPath(root.folder, ...parts.slice(0, depth)))) return true;
    return false;
  };
}

function pathOf(
  front: Record<string, unknown>,
  name: string,
  directory: string,
  config: Record<string, unknown>,
): string {
  const url = textOf(front['url']);
  if (url !== undefined) return joinPath(url);
  const isList = name === '_index';
  const last = isList ? '' : name === 'index' ? nameOf(`${directory}.x`) : name;
  const parent = name === 'index' ? folderOf(directory) : directory;
  const section = directory.split('/')[0] ?? '';
  const pattern = isList
    ? undefined
    : (permalinkOf(config, textOf(front['type']) ?? section) ?? permalinkOf(config, section));
  const slug = textOf(front['slug']);
  const path =
    pattern === undefined
      ? joinPath(parent, isList ? '' : (slug ?? last))
      : fillPattern(pattern, front, last, slug, parent.split('/'));
  const written = hugoPath(path).replace(/\/$/, '');
  const plain = isTrue(config['disablepathtolower']) ? written : written.toLowerCase();
  if (plain === '') return '/';
  if (!isTrue(config['uglyurls']) || isList) return `${plain}/`;
  return pattern !== undefined && extensionOf(plain) === 'html' ? plain : `${plain}.html`;
}

function permalinkOf(config: Record<string, unknown>, section: string): string | undefined {
  const permalinks = mappingOf(config['permalinks']);
  return textOf(permalinks[section]) ?? textOf(mappingOf(permalinks['page'])[section]);
}

function fillPattern(
  pattern: string,
  front: Record<string, unknown>,
  last: string,
  slug: string | undefined,
  sections: readonly string[],
): string {
  const date = readDate(front['date'] ?? front['publishDate'] ?? front['publishdate']);
  const title = textOf(front['title']) ?? last;
  const values: Record<string, (date: SiteDate) => string> = {
    year: (d) => pad(d.year, 4),
    month: (d) => pad(d.month),
    monthname: (d) => MONTHS[d.month - 1] ?? '',
    day: (d) => pad(d.day),
    weekday: (d) => String(weekday(d)),
    weekdayname: (d) => WEEKDAYS[weekday(d)] ?? '',
    yearday: (d) => String(dayOfYear(d)),
    section: () => sections[0] ?? '',
    sections: () => sections.join('/'),
    title: () => title,
    slug: () => slug ?? title,
    slugorfilename: () => slug ?? last,
    slugorcontentbasename: () => slug ?? last,
    filename: () => last,
    contentbasename: () => last,
  };
  const unknown: SiteDate = { year: 1, month: 1, day: 1, hour: 0, minute: 0, second: 0, time: 0 };
  return pattern.replace(/:([a-z]+)(\[[^\]]*\])?/g, (whole, token: string, slice?: string) => {
    if (token === 'sections' && slice !== undefined) return sliceOf(sections, slice).join('/');
    const value = Object.hasOwn(values, token) ? values[token]?.(date ?? unknown) : undefined;
    return value === undefined ? whole : token === 'sections' ? value : value.replaceAll('/', '-');
  });
}

/** `[1:]`, `[:last]`, `[0]`, `[last]` of the sections. */
function sliceOf(sections: readonly string[], slice: string): string[] {
  const index = (text: string, fallback: number): number =>
    text === '' ? fallback : text === 'last' ? sections.length - 1 : Number(text);
  const [from = '', to] = slice.slice(1, -1).split(':');
  if (to === undefined) return sections.slice(index(from, 0), index(from, 0) + 1);
  return sections.slice(index(from, 0), index(to, sections.length));
}

/** Replaces spaces by hyphens, and removes all but letters, digits and some marks. */
function hugoPath(path: string): string {
  return path
    .trim()
    .replace(/\s+/g, '-')
    .replace(/[^\p{L}\p{N}\p{M}./\\_#+~@-]/gu, '')
    .replace(/-{2,}/g, '-');
}
