import { expect } from 'chai';
import { readDeadPath, looksLikeProbe } from '#src/text/paths/dead-path.js';
import { readIdentities } from '#src/text/paths/identities.js';
import { plainPath, comparedSegments, plainSegments } from '#src/text/paths/plain-path.js';
import { sanitizePath } from '#src/text/paths/sanitize-path.js';

const PATHS = [
  '/',
  '/Help/Returns_and-refunds.html?id=7#top',
  'https://www.example.com/shop//blue%20ink/index.php',
  '/news/page/2',
  '/en/2021-10-11-budget/',
  '/.git/config',
  '/wp-login.php?x=..%2f',
  '/a-/b_/-c',
  `/${'deep/'.repeat(100)}end`,
  '/%e4%b8%ad%e6%96%87/%ff',
  '/%C3%BCber-uns/',
];

describe('a dead path', () => {
  for (const path of PATHS)
    it(`is read once as its parts are read one by one: ${path.slice(0, 40)}`, () => {
      expect(readDeadPath(path)).to.deep.equal({
        raw: path,
        host: null,
        ...sanitizePath(path),
        segments: comparedSegments(plainSegments(path)),
        plain: plainPath(path),
        identities: readIdentities(path, comparedSegments(plainSegments(path))),
        isProbe: looksLikeProbe(path),
      });
    });
});
