import { expect } from 'chai';
import { pathSegments } from '#src/text/paths/path-segments.js';
import { sanitizePath } from '#src/text/paths/sanitize-path.js';
import { splitCased } from '#src/text/words/split-words.js';

/** Texts of letters alone are read without the steps that others need. What follows each makes it take these steps. */
describe('a path of ordinary letters', () => {
  const letters = (count: number): string => 'ab'.repeat(count).slice(0, count);
  const SEGMENTS = [
    'a',
    'a--b',
    'a..b',
    'a.',
    '-a',
    'index.html',
    'Getting-Started',
    'v1.2',
    'deadbeef',
    'ſ',
    '\u212A',
  ];

  it('has the segments that reading it whole gives', () => {
    const paths = [...SEGMENTS, ...[4_095, 4_096, 4_097].map(letters)].flatMap((segment) => [
      `/${segment}`,
      `/docs/${segment}/`,
      `//${segment}`,
      `/a/../${segment}`,
      `/${'x/'.repeat(70)}${segment}`,
    ]);
    for (const path of paths) expect(pathSegments(path), path).to.deep.equal(pathSegments(`${path}?`));
  });

  it('has the words that reading it whole gives', () => {
    for (const segment of ['a-b', 'deadbeef-deadbeef', 'getting-started', ...[35, 36, 37, 64, 65].map(letters)])
      expect(sanitizePath(`/docs/${segment}`), segment).to.deep.equal(sanitizePath(`/docs/${segment}.html`));
    const uuid = 'abcdefab-abcd-abcd-abcd-abcdefabcdef';
    expect(sanitizePath(`/docs/${uuid}`).words).to.deep.equal(['docs']);
  });

  it('has the words of a text that reading it whole gives', () => {
    for (const text of ['a', 'a b', 'e mail', 'a  b', 'camelCase', '', ...[63, 64, 65, 10_000, 10_001].map(letters)])
      expect(splitCased(text), text.slice(0, 20)).to.deep.equal(splitCased(`${text} `));
  });
});
