import { plainPath, slugOf } from '../path-words.js';
import type { SitePage } from '../site-data.js';
import type { Peer } from './peer.js';

const DATE = /\/(?:19|20)\d\d(?:\/\d\d?){0,2}\//;
const firstFolder = (plain: string): string => /^\/([^/]+)\//.exec(plain)?.[1] ?? '';

/**
 * WordPress's guess of a moved permalink (`redirect_guess_404_permalink` in wp-includes/canonical.php) looks for
 * `post_name LIKE 'slug%'` among what is published, of the date that the dead permalink names. Its query has no order;
 * here the first page is that of the index on post_name. It has no score: what it names, it redirects to. With
 * `sameFolder`, the first folder is the post type, which has to agree.
 */
export function wordpressGuess(pages: readonly Pick<SitePage, 'path'>[], sameFolder: boolean): Peer {
  const known = pages
    .map(({ path }) => ({ path, plain: plainPath(path), slug: slugOf(path) }))
    .sort((a, b) => (a.slug < b.slug ? -1 : Number(a.slug > b.slug)));
  return {
    name: sameFolder ? 'wordpress_same_folder' : 'wordpress_guess',
    takesQuestions: false,
    rank: ({ text }) => {
      const [plain, slug] = [plainPath(text), slugOf(text)];
      const date = DATE.exec(plain)?.[0] ?? '';
      return known
        .filter((page) => slug !== '' && page.slug.startsWith(slug) && page.plain.includes(date))
        .filter((page) => !sameFolder || firstFolder(page.plain) === firstFolder(plain))
        .slice(0, 1)
        .map(({ path }) => ({ path, score: 1 }));
    },
  };
}
