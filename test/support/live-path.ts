import { readLivePath, type LivePath } from '#src/search/ranking/evidence/page-path.js';
import type { KnownRedirect } from '#src/search/ranking/evidence/redirect-evidence.js';
import { sanitizePath } from '#src/text/paths/sanitize-path.js';

/** The path of a live page as it is once the page is indexed. */
export function livePath(path: string): LivePath {
  const { words, slug } = sanitizePath(path);
  return readLivePath({ path, path_words: words.join(' '), slug_words: slug.join(' ') });
}

/** A redirect to a live page, whose id is its path. */
export function knownRedirect(oldPath: string, path: string): KnownRedirect {
  return { pageId: path, oldPath, old: livePath(oldPath), path, page: livePath(path) };
}
