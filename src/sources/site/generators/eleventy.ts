import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mappingOf, textOf, textsOf } from '../front-matter.js';
import { literalBlock, literalText, withoutComments } from '../script-literals.js';
import { settingsFile } from '../site-files.js';
import {
  excludedBy,
  extensionOf,
  folderOf,
  joinPath,
  nameOf,
  resolvePath,
  reasonUnpublished,
  type SiteRules,
} from '../site-rules.js';

/**
 * Eleventy (11ty.dev/docs/permalinks, /data-template-dir). Reads literals of its configuration: the folders and the
 * path prefix. A permalink template may only use values of the front matter, `page.fileSlug`, or slugs of these; else
 * the page is refused.
 *
 * @param config content of its configuration file
 * @param ignored patterns of .eleventyignore and .gitignore
 */
export function eleventyRules(folder: string, config: string, ignored: string): SiteRules {
  const program = withoutComments(config, '//');
  const dir = literalBlock(program, 'dir') ?? '';
  const input = (literalText(dir, 'input') ?? '').replace(/^\.?\/?|\/$/g, '');
  const output = literalText(dir, 'output') ?? '_site';
  const special = [
    literalText(dir, 'includes') ?? '_includes',
    literalText(dir, 'layouts') ?? '_includes',
    literalText(dir, 'data') ?? '_data',
    output,
  ];
  const excluded = excludedBy(ignored);
  return {
    // Its configuration has no site url.
    base: undefined,
    roots: [{ folder: input }],
    isPage: /\.(?:md|html?|njk|liquid)$/i,
    served: ['', joinPath(input).slice(1), 'public'],
    skips: (path) =>
      special.includes(path) ||
      excluded(joinPath(input, path).slice(1)) ||
      (/^README\.md$/i.test(joinPath(input, path).slice(1)) && excluded('README.md')),
    place: ({ path: file }, { front }) => {
      const data = { ...folderData(join(folder, input), file), ...front };
      const hidden = reasonUnpublished(data);
      if (hidden) return hidden;
      if (data['permalink'] === false) return { leftOut: 'not published' };
      // Paginated lists of other pages.
      if (data['pagination'] !== undefined) return undefined;
      const path = placeOf(file, data);
      if (path === undefined) return { refused: 'its permalink is a template that cannot be read without Eleventy' };
      if (!/\/$|\.html?$/.test(path)) return undefined;
      const aliases = textsOf([data['redirect_from'], data['aliases']].flat()).map((one) => joinPath(one));
      return { path, title: textOf(data['title']), aliases };
    },
  };
}

/** The data files of its folders, `posts/posts.json` and `posts/posts.11tydata.json`; the nearest overrides others. */
function folderData(root: string, file: string): Record<string, unknown> {
  const parts = folderOf(file)
    .split('/')
    .filter((part) => part !== '');
  const data: Record<string, unknown> = {};
  for (let depth = 1; depth <= parts.length; depth++) {
    const inner = parts.slice(0, depth);
    for (const ending of ['.json', '.11tydata.json'])
      Object.assign(data, readJson(root, join(...inner, `${inner.at(-1) ?? ''}${ending}`)));
  }
  return Object.assign(
    data,
    readJson(root, `${file.replace(/\.[^./]+$/, '')}.json`),
    readJson(root, `${file.replace(/\.[^./]+$/, '')}.11tydata.json`),
  );
}

function readJson(root: string, file: string): Record<string, unknown> {
  try {
    return mappingOf(JSON.parse(readFileSync(settingsFile(root, file), 'utf8')));
  } catch {
    return {};
  }
}

function placeOf(file: string, data: Record<string, unknown>): string | undefined {
  const name = nameOf(file);
  const folder = folderOf(file);
  const permalink = textOf(data['permalink']);
  if (permalink !== undefined) {
    const filled = fillTemplate(permalink, name, data);
    return filled === undefined ? undefined : resolvePath('', `/${filled}`).replace(/\/index\.html$/, '/');
  }
  if (extensionOf(file) !== 'md' && /\.[a-z]{2,4}$/.test(name)) return joinPath(folder, name);
  const isDoubled = folder.split('/').at(-1) === name;
  return name === 'index' || isDoubled ? joinPath(folder, '/') : joinPath(folder, name, '/');
}

const SLUG_FILTERS = /^(?:\|\s*(?:slug|slugify|safe|downcase|lower)\s*)*$/;

/** A permalink with its variables filled in; undefined if it uses more than variables. */
function fillTemplate(template: string, name: string, data: Record<string, unknown>): string | undefined {
  let isPlain = true as boolean;
  const filled = template.replace(
    /\{\{\s*([\w.]{1,200})\s*((?:\|\s*\w{1,50}\s*)*)\}\}/g,
    (_, variable: string, filters: string) => {
      const slug = name.replace(/^\d{4}-\d{2}-\d{2}-/, '');
      const value = variable === 'page.fileSlug' ? (slug === 'index' ? '' : slug) : textOf(data[variable]);
      if (value === undefined || !SLUG_FILTERS.test(filters)) isPlain = false;
      return filters === '' ? (value ?? '') : slugOf(value ?? '');
    },
  );
  return isPlain && !/\{[{%]/.test(filled) ? filled : undefined;
}

function slugOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}
