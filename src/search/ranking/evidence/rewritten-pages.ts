import { deriveRewritings, type RewrittenPath, type Rewriting } from '../moves/derive-rewritings.js';
import { readTokenPath, tokenKey } from '../../../text/paths/token-path.js';
import type { DeadPath } from '../../../text/paths/dead-path.js';
import type { LivePath } from './page-path.js';
import type { KnownRedirect } from './redirect-evidence.js';

interface Redirected extends RewrittenPath {
  redirect: KnownRedirect;
}

/** A page to which redirects rewrite the dead path. */
export type RewrittenPage = Pick<Rewriting<Redirected>, 'support' | 'contradictions' | 'confidence'> & {
  example: KnownRedirect;
};

interface Page {
  pageId: string;
  /** With its query string. */
  path: string;
  live: LivePath;
}

/** Longer paths are left out: of 36,000 paths of 27 sites, none is longer. */
const MAX_PATH = 250;

/** The candidates to which near redirects rewrite the dead path. Paths with query strings show nothing. */
export function findRewrittenPages(
  dead: DeadPath,
  redirects: readonly KnownRedirect[],
  candidates: readonly Page[],
): Map<string, RewrittenPage> {
  if (dead.segments.join('/').length > MAX_PATH) return new Map();
  const known = redirects
    .filter(({ oldPath, path }) => isCompared(oldPath) && isCompared(path))
    .map((redirect): Redirected => {
      return { redirect, from: readTokenPath(redirect.segments), to: readTokenPath(redirect.page.segments) };
    });
  const pages = new Map<string, string[]>();
  const rewritings = deriveRewritings(readTokenPath(dead.segments), known, () => {
    for (const { pageId, path, live } of candidates) {
      if (!isCompared(path)) continue;
      const key = tokenKey(live.segments);
      pages.set(key, [...(pages.get(key) ?? []), pageId]);
    }
    return new Set([...pages.keys(), ...known.map(({ to }) => to.key)]);
  });
  return new Map(
    rewritings.flatMap(({ key, example, ...found }) =>
      (pages.get(key) ?? []).map((pageId) => [pageId, { ...found, example: example.redirect }]),
    ),
  );
}

/**
 * What moves say, with rewritten pages. Only one move can be right, so a rewriting's confidence is multiplied by what
 * moves to other pages leave open.
 */
export function addRewritten(
  moved: ReadonlyMap<string, number>,
  rewritten: ReadonlyMap<string, RewrittenPage>,
): Map<string, number> {
  const all = new Map(moved);
  for (const [pageId, { confidence }] of rewritten) {
    const others = [...moved].map(([other, value]) => (other === pageId ? 0 : value));
    all.set(pageId, Math.max(moved.get(pageId) ?? 0, confidence * (1 - Math.max(0, ...others))));
  }
  return all;
}

function isCompared(path: string): boolean {
  return path.length <= MAX_PATH && !path.includes('?');
}
