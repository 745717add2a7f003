import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { GENERATED_ORIGIN } from '../../events/generated-origin.js';

/** A dead link of the example shop's made-up past. */
export interface DeadLink {
  path: string;
  /** The page that it means; null: the shop has none. */
  meant: string | null;
  /** The page that links to it; null: typed, or from an e-mail. */
  referrer: string | null;
}

export interface DeadLinks {
  /** From before the shop's pages were renamed. The first are met most. */
  old: DeadLink[];
  /** Of what the shop does not sell or say. */
  gaps: DeadLink[];
  /** Of the release that broke the blog's links. */
  release: DeadLink[];
  /** What only scanners ask for. */
  probes: DeadLink[];
  /** Old paths that the shop calls gone for good; the gaps have them, too. */
  gone: string[];
  /** Redirects that came with the repair: of half of the links that say nothing. */
  repaired: DeadLink[];
}

const ELSEWHERE = [
  'https://www.google.com/',
  'https://www.google.com/',
  'https://www.bing.com/',
  'https://duckduckgo.com/',
  'https://forum.home-barista.example/t/which-grinder/4471',
  'https://www.reddit.com/r/Coffee/',
  null,
];

/** Their titles' words are in no page. The third and fourth are linked by the shop itself. */
const GAPS: [path: string, referrer: string | null][] = [
  ['/courses/barista-training', 'https://www.google.com/'],
  ['/courses/latte-art-evening', 'https://www.google.com/'],
  ['/courses/home-barista-training', '/about/visit-the-shop'],
  ['/rental/espresso-machine-for-weddings', '/about/wholesale'],
  ['/rental/machine-hire-prices', null],
  ['/products/syrups/vanilla-syrup', 'https://www.bing.com/'],
  ['/products/syrups/hazelnut-syrup', null],
  ['/app/android-download', 'https://duckduckgo.com/'],
  ['/products/coffee/christmas-blend-2022', 'https://www.google.com/'],
];
const GONE = ['/products/coffee/christmas-blend-2022'];

const PROBES = [
  '/wp-login.php',
  '/.env',
  '/xmlrpc.php',
  '/.git/config',
  '/phpmyadmin/index.php',
  '/wp-admin/setup.php',
];

/** @param pages paths of the site */
export async function readDeadLinks(folder: string, pages: readonly string[]): Promise<DeadLinks> {
  const own = (path: string | null): string | null => (path?.startsWith('/') === true ? GENERATED_ORIGIN + path : path);
  const redirects = (await readFile(join(folder, 'redirects.jsonl'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { path: string; expected: string });
  const articles = pages.filter((page) => /^\/blog\/\d{4}\//.test(page));
  const release = articles.flatMap((page, i) => [
    // The menu of the blog still says where the article was.
    { path: page.replace('/blog/', '/journal/'), meant: page, referrer: own('/blog') },
    // The box "read on" below each article does not.
    { path: `/journal/entry-${i + 1}`, meant: page, referrer: own(articles[(i + 1) % articles.length] ?? null) },
  ]);
  return {
    old: redirects.map(({ path, expected }, i) => ({
      path,
      meant: expected,
      referrer: ELSEWHERE[i % ELSEWHERE.length] ?? null,
    })),
    gaps: GAPS.map(([path, referrer]) => ({ path, meant: null, referrer: own(referrer) })),
    release,
    probes: PROBES.map((path) => ({ path, meant: null, referrer: null })),
    gone: GONE,
    repaired: release.filter(({ path }) => path.includes('/entry-')).slice(0, Math.floor(articles.length / 2)),
  };
}
