import { expect } from 'chai';
import { readRedirect } from '#src/rule-formats/read-redirect.js';
import { RedirectFile } from '#src/rule-formats/read/redirect-file.js';
import { withoutComments } from '#src/sources/site/script-literals.js';
import { attempt, MOST, worstGrowth } from '../support/growth.js';

describe('the work that files make grows as their length does', function () {
  this.timeout(300_000);

  it('a document of redirects of 32,768 characters, and the comments of a configuration', () => {
    const documents: [string, string][] = [
      ['vercel.json', '{"redirects":['],
      ['dynamic.yml', 'http:\n  middlewares:\n'],
      ['web.config', '<configuration>\n'],
      ['web.config', '<configuration>\n<rule '],
      ['netlify.toml', '[[redirects]]\n'],
    ];
    for (const [file, before] of documents) {
      const { growth, text } = worstGrowth(
        32_768,
        (document) => {
          attempt(() => {
            const redirects = new RedirectFile(file);
            for (const line of (before + document).split('\n')) redirects.push(line);
            for (const rule of redirects.end()) readRedirect(rule);
          });
        },
        [''],
      );
      expect(growth, `${file}: ${text}`).to.be.at.most(MOST);
    }
    const { growth, text } = worstGrowth(32_768, (program) => void withoutComments(`/* ${program}`, '//'), ['']);
    expect(growth, text).to.be.at.most(MOST);
  });
});
