import { isTrue, mappingOf, textOf } from '../front-matter.js';
import { excludedBy, folderOf, joinPath, nameOf, type SiteRules } from '../site-rules.js';

/**
 * MkDocs (mkdocs.org/user-guide/configuration): docs_dir, site_url, use_directory_urls, exclude_docs, draft_docs, and
 * the redirects of mkdocs-redirects.
 */
export function mkdocsRules(config: Record<string, unknown>): SiteRules {
  const asFolders = config['use_directory_urls'] !== false;
  const docs = textOf(config['docs_dir']) ?? 'docs';
  const excluded = excludedBy(textOf(config['exclude_docs']) ?? '');
  const isDraft = excludedBy(textOf(config['draft_docs']) ?? '');
  const pathOf = (file: string): string => {
    const name = nameOf(file);
    if (/^(?:index|readme)$/i.test(name) && (name === 'index' || name === 'README'))
      return joinPath(folderOf(file), '/');
    return joinPath(folderOf(file), name) + (asFolders ? '/' : '.html');
  };
  return {
    base: textOf(config['site_url']),
    roots: [{ folder: docs }],
    isPage: /\.(?:md|markdown|mdown|mkdn|mkd)$/i,
    served: [docs],
    skips: (path) => path === 'templates' || excluded(path),
    redirects: Object.entries(redirectMaps(config['plugins'])).flatMap(([old, to]) => {
      const target = textOf(to);
      if (target === undefined) return [];
      return [
        {
          from: pathOf(old),
          to: /^https?:/i.test(target) ? target : pathOf(target.split('#', 1)[0] ?? ''),
          where: 'mkdocs.yml',
        },
      ];
    }),
    place: ({ path: file }, { front }) =>
      isDraft(file) || isTrue(front['draft'])
        ? { leftOut: 'draft' }
        : { path: pathOf(file), title: textOf(front['title']) },
  };
}

function redirectMaps(plugins: unknown): Record<string, unknown> {
  const all = Array.isArray(plugins) ? (plugins as unknown[]) : [plugins];
  return Object.assign(
    {},
    ...all.map((one) => mappingOf(mappingOf(mappingOf(one)['redirects'])['redirect_maps'])),
  ) as Record<string, unknown>;
}
