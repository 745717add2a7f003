import { readLivePath, type LivePath } from '#src/search/evidence/live-path.js';
import { sanitizePath } from '#src/text/paths/sanitize-path.js';

/** The path of a live page as it is once the page is indexed. */
export function livePath(path: string): LivePath {
  const { words, slug } = sanitizePath(path);
  return readLivePath({ path, path_words: words.join(' '), slug_words: slug.join(' ') });
}
