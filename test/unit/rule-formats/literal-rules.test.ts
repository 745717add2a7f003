import { expect } from 'chai';
import { readRedirect } from '#src/rule-formats/read-redirect.js';
import { toLiteral, toRule } from '#src/rule-formats/read/to-rule.js';
import { pathKey } from '#src/text/paths/plain-path.js';

describe("a page's own alias", () => {
  for (const alias of ['/w/:word/x', '/w/*', '/a*b', '/price/$1'])
    it(`is a path letter by letter, not a pattern: ${alias}`, () => {
      for (const from of [alias, `https://www.example.com${alias}`]) {
        const redirect = readRedirect({ ...toLiteral(from, 'https://www.example.com/odd/'), line: 0 });
        if (!redirect || 'refused' in redirect || redirect.kind !== 'exact') throw new Error('no redirect of one path');
        expect(pathKey(redirect.path).equals(pathKey(alias)), redirect.path).to.equal(true);
        // The code that writes and reads files of rules does not take the alias for a pattern either.
        expect(toRule(redirect.path, '/odd/').kind).to.equal('redirect');
      }
    });
});
