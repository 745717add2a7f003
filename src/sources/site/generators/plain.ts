import { textOf, textsOf } from '../front-matter.js';
import {
  extensionOf,
  folderOf,
  joinPath,
  nameOf,
  resolvePath,
  reasonUnpublished,
  type SiteRules,
} from '../site-rules.js';

/**
 * A folder without a generator: `help/returns.md` becomes /help/returns, `help/returns.html` /help/returns.html, and
 * index files become their folder. `permalink`, `aliases` and `redirect_from` work as in most generators.
 */
export function plainRules(only: 'markdown' | 'html' | undefined): SiteRules {
  return {
    roots: [{ folder: '' }],
    isPage: only === 'markdown' ? /\.(?:md|markdown)$/i : only === 'html' ? /\.html?$/i : /\.(?:md|markdown|html?)$/i,
    served: [''],
    place: ({ path: file }, document) => {
      const { front } = document;
      const hidden = reasonUnpublished(front);
      if (hidden) return hidden;
      if (/(?:^|\/)404\.html$/.test(file)) return undefined;
      const folder = folderOf(file);
      const name = nameOf(file);
      const isIndex = /^(?:index|_index|readme)$/i.test(name);
      const own = textOf(front['permalink']);
      const path = isIndex
        ? joinPath(folder, '/')
        : joinPath(folder, name) + (extensionOf(file).startsWith('h') ? `.${extensionOf(file)}` : '');
      return {
        path: own === undefined ? path : joinPath(own),
        title: textOf(front['title']),
        aliases: textsOf([front['aliases'], front['redirect_from']].flat()).map((alias) => resolvePath(folder, alias)),
      };
    },
  };
}
