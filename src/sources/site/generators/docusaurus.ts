import { readDate, pad } from '../dates.js';
import { isTrue, textOf } from '../front-matter.js';
import { literalBlock, literalBoolean, literalText, literalTexts, withoutComments } from '../script-literals.js';
import {
  folderOf,
  joinPath,
  nameOf,
  resolvePath,
  reasonUnpublished,
  type PageRoot,
  type SiteRedirect,
  type SiteRules,
} from '../site-rules.js';

/** `01-intro` becomes `intro`; leading dates and versions stay. */
const NUMBERED = /^\d+\s*[-_.]+\s*([^-_.\s].*)$/;
const NOT_NUMBERED = /^\d+[-_.]\d+/;
const POST = /^(.*?)(\d{4}[-/]\d{1,2}[-/]\d{1,2})[-/]?(.*?)(?:\/index)?\.mdx?$/;

/**
 * Docusaurus (docusaurus.io/docs/api/plugins, docs and blog of the classic preset). Reads literals of its
 * configuration:
 * url, baseUrl, trailingSlash, routeBasePath, path, and the redirects of plugin-client-redirects. Ignores pages in
 * JavaScript, and translations.
 *
 * @param config content of docusaurus.config.js
 * @param versions from versions.json, latest first
 */
export function docusaurusRules(config: string, versions: readonly string[]): SiteRules {
  const program = withoutComments(config, '//');
  const url = literalText(program, 'url');
  const slash = literalBoolean(program, 'trailingSlash');
  const docs = literalBlock(program, 'docs') ?? '';
  const blog = literalBlock(program, 'blog') ?? '';
  const docsAt = literalText(docs, 'routeBasePath') ?? 'docs';
  const blogAt = literalText(blog, 'routeBasePath') ?? 'blog';
  const finish = (path: string): string =>
    path === '/' || slash === undefined ? path : path.replace(/\/$/, '') + (slash ? '/' : '');
  return {
    base: url === undefined ? undefined : new URL(literalText(program, 'baseUrl') ?? '/', url).href,
    roots: [
      ...(literalBoolean(program, 'docs') === false
        ? []
        : docsRoots(literalText(docs, 'path') ?? 'docs', docsAt, versions)),
      ...(literalBoolean(program, 'blog') === false
        ? []
        : [{ folder: literalText(blog, 'path') ?? 'blog', kind: 'blog', prefix: blogAt }]),
      { folder: 'src/pages', kind: 'pages', prefix: '' },
    ],
    isPage: /\.mdx?$/i,
    skips: (path) => /(?:^|\/)_|\.test\.[^/]+$/.test(path),
    redirects: redirectsOf(program),
    served: ['static'],
    place: ({ path: file, root }, document) => {
      const hidden = reasonUnpublished(document.front);
      if (hidden) return hidden;
      if (isTrue(document.front['unlisted'])) return { leftOut: 'unlisted' };
      const path =
        root.kind === 'blog'
          ? blogPath(file, document.front)
          : root.kind === 'pages'
            ? pagePath(file, document.front)
            : docPath(file, document.front);
      return { path: finish(joinPath(root.prefix ?? '', path)), title: textOf(document.front['title']) };
    },
  };
}

function docsRoots(folder: string, at: string, versions: readonly string[]): PageRoot[] {
  const current = { folder, kind: 'docs', prefix: versions.length > 0 ? `${at}/next` : at };
  return [
    current,
    ...versions.map((version, index) => ({
      folder: `versioned_docs/version-${version}`,
      kind: 'docs',
      prefix: index === 0 ? at : `${at}/${version}`,
    })),
  ];
}

function docPath(file: string, front: Record<string, unknown>): string {
  const folder = folderOf(file).split('/').map(withoutNumber).join('/');
  const slug = textOf(front['slug']);
  if (slug !== undefined) return resolvePath(folder, slug);
  const name = withoutNumber(nameOf(file));
  const parent = folder.split('/').at(-1) ?? '';
  if (textOf(front['id']) === undefined && ['index', 'readme', parent.toLowerCase()].includes(name.toLowerCase()))
    return joinPath(folder, '/');
  return joinPath(folder, textOf(front['id']) ?? name);
}

function withoutNumber(name: string): string {
  return NOT_NUMBERED.test(name) ? name : (NUMBERED.exec(name)?.[1] ?? name);
}

function blogPath(file: string, front: Record<string, unknown>): string {
  const slug = textOf(front['slug']);
  if (slug !== undefined) return joinPath(slug);
  const [, folder = '', day, text = ''] = POST.exec(file) ?? [];
  const date = readDate(day);
  if (!date) return joinPath(file.replace(/(?:\/index)?\.mdx?$/, ''));
  return joinPath(folder, String(date.year), pad(date.month), pad(date.day), text);
}

function pagePath(file: string, front: Record<string, unknown>): string {
  const slug = textOf(front['slug']);
  if (slug !== undefined) return joinPath(slug);
  const name = nameOf(file);
  return name === 'index' ? joinPath(folderOf(file), '/') : joinPath(folderOf(file), name);
}

/** `redirects: [{from: '/a', to: '/b'}, {from: ['/c', '/d'], to: '/e'}]` */
function redirectsOf(program: string): SiteRedirect[] {
  const block = literalBlock(program, 'redirects') ?? '';
  return [...block.matchAll(/\{[^{}]{0,5000}\}/g)].flatMap(([rule]) => {
    const to = literalText(rule, 'to');
    const single = literalText(rule, 'from');
    const from = single === undefined ? literalTexts(literalBlock(rule, 'from')) : [single];
    return to === undefined ? [] : from.map((one) => ({ from: one, to, where: 'docusaurus.config' }));
  });
}
