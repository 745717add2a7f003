import { expect } from 'chai';
import { lintRedirects, type KnownRedirect } from '#src/rule-formats/lint-redirects.js';
import type { RuleTerms } from '#src/rule-formats/read/read-rule.js';
import { wildcardOf, type AnyRule } from '#src/rule-formats/write/written-rule.js';
import { findFolders } from '#src/rules/proposals/find-folders.js';

const SITE = 'https://shop.example';

async function* pagesOf(paths: readonly string[]): AsyncGenerator<string> {
  for (const path of paths) yield await Promise.resolve(SITE + path);
}

/** Reads lines of `/old/a /new/a`; one that begins with a question mark waits for its page. */
async function find(
  lines: readonly string[],
  { pages = [], below = [], terms }: { pages?: string[]; below?: AnyRule[]; terms?: RuleTerms } = {},
): Promise<string[]> {
  const redirects = lines.map((line, at): KnownRedirect => {
    const [path = '', to = ''] = line.replace('?', '').split(' ');
    const active = !line.startsWith('?');
    return { path, url: active ? SITE + to : to, active, ...(at === 0 && terms ? { terms } : {}) };
  });
  const { checked } = await lintRedirects(redirects, { below: [], gone: [], pages: new Map() });
  const folders = await findFolders(checked, below, pagesOf(pages));
  return folders.map(wildcardOf).map(({ from, to }) => `${from} ${to.replace(SITE, '')}`);
}

const MOVED = ['/old/a /new/a', '/old/b /new/b'];

describe('a folder that moved as a whole', () => {
  for (const [what, lines, folders] of [
    ['two paths keep their rest', MOVED, ['/old/* /new/:splat']],
    [
      'the shortest beginning is taken',
      ['/old/m/a/x /new/a/x', '/old/m/b/y /new/b/y', '/old/other /about'],
      ['/old/m/* /new/:splat'],
    ],
    ['four lead to one page', ['/t/1 /tea', '/t/2 /tea', '/t/3 /tea', '/t/x/4 /tea'], ['/t/* /tea']],
    ['three lead to one page', ['/t/1 /tea', '/t/2 /tea', '/t/3 /tea'], []],
    ['one goes elsewhere', [...MOVED, '/old/c /about'], []],
    ['one leads to no page', [...MOVED, '?/old/c /away'], []],
    ['one is for a query string', [...MOVED, '/old/c?id=1 /new/c'], []],
    ['the folder itself goes elsewhere', [...MOVED, '/old/ /about'], []],
  ] as const)
    it(`is found by its redirects: ${what}`, async () => {
      expect(await find(lines)).to.deep.equal(folders);
    });

  it('is none with a page below it, whatever pages stand beside it', async () => {
    expect(await find(MOVED, { pages: ['/old/c'] })).to.deep.equal([]);
    expect(await find(MOVED, { pages: ['/older/c', '/'] })).to.have.length(1);
  });

  it('is none where a redirect says more than a wildcard does', async () => {
    for (const terms of [{ host: 'old.example' }, { code: 302 }, { passQuery: true }] as const)
      expect(await find(MOVED, { terms })).to.deep.equal([]);
  });

  it('is none below a wildcard of the project, gone or not, nor beside a pattern', async () => {
    const lines = ['/old/x/a /new/a', '/old/x/b /new/b'];
    const gone = { query: '', rest: 'dropped' as const };
    expect(await find(lines)).to.have.length(1);
    for (const path of ['/old/', '/old/x/', '/old/:number/'])
      expect(await find(lines, { below: [{ ...gone, path }] }), path).to.deep.equal([]);
  });
});
