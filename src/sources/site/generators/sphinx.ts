import { literalBlock, literalText, literalTexts, withoutComments } from '../script-literals.js';
import {
  excludedBy,
  folderOf,
  joinPath,
  nameOf,
  resolvePath,
  type SiteRedirect,
  type SiteRules,
} from '../site-rules.js';

/**
 * Sphinx (sphinx-doc.org/en/master/usage/configuration), with reStructuredText and Markdown. Reads literals of conf.py:
 * html_baseurl, exclude_patterns, html_file_suffix, and the redirects of sphinx-reredirects and rediraffe.
 *
 * @param folder of conf.py, below the checkout
 * @param config content of conf.py
 */
export function sphinxRules(folder: string, config: string, builder: 'html' | 'dirhtml'): SiteRules {
  const program = withoutComments(config, '#');
  const suffix = literalText(program, 'html_file_suffix') ?? '.html';
  const excluded = excludedBy(
    [
      '_build',
      ...literalTexts(literalBlock(program, 'exclude_patterns')).map((one) => `/${one.replace(/^\//, '')}`),
    ].join('\n'),
  );
  const pathOf = (document: string): string => {
    if (nameOf(`${document}.x`) === 'index') return joinPath(folderOf(document), '/');
    return builder === 'dirhtml' ? `/${document}/` : `/${document}${suffix}`;
  };
  return {
    base: literalText(program, 'html_baseurl'),
    roots: [{ folder }],
    isPage: /\.(?:rst|md)$/i,
    skips: (path) => excluded(path) || path.split('/').some((part) => part === '_templates' || part === '_static'),
    redirects: redirectsOf(program, pathOf),
    place: ({ path: file }) => ({ path: pathOf(file.replace(/\.[^./]+$/, '')) }),
  };
}

function redirectsOf(program: string, pathOf: (document: string) => string): SiteRedirect[] {
  const where = 'conf.py';
  const pairs = (name: string): [string, string][] =>
    [
      ...(literalBlock(program, name) ?? '').matchAll(
        /["']([^"'\n]{1,1000})["']\s{0,50}:\s{0,50}["']([^"'\n]{1,1000})["']/g,
      ),
    ].map(([, from = '', to = '']) => [from, to]);
  return [
    // Targets are relative to the old page.
    ...pairs('redirects').map(([from, to]) => ({
      from: pathOf(from),
      to: /^https?:/i.test(to) ? to : resolvePath(folderOf(from), to.split('#', 1)[0] ?? ''),
      where,
    })),
    ...pairs('rediraffe_redirects').map(([from, to]) => ({
      from: pathOf(from.replace(/\.(?:rst|md)$/, '')),
      to: pathOf(to.replace(/\.(?:rst|md)$/, '')),
      where,
    })),
  ];
}
