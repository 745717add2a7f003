import { expect } from 'chai';
import type { KnownRedirect } from '#src/rule-formats/lint-redirects.js';
import { parseSource } from '#src/rule-formats/read/source-address.js';
import { compileRules, type Compiled } from '#src/rule-formats/write/compile.js';
import { pathKey } from '#src/text/paths/plain-path.js';
import { wildcardOf, type ExportGone, type ExportRule } from '#src/rule-formats/write/written-rule.js';

const SITE = 'https://shop.example';
const PAGES = ['/guides/a', '/guides/b', '/shop/tea', '/docs/x'];

async function* pagesOf(): AsyncGenerator<string> {
  for (const path of PAGES) yield await Promise.resolve(SITE + path);
}

function isGone({ to }: { to: string }): boolean {
  return to === '410';
}

/** Lines of `/old/* /new/:splat`, as they are read from a project, and what an export makes of them. */
async function compile(lines: readonly string[]): Promise<Compiled> {
  const rules = lines.map((line) => {
    const [from = '', to = ''] = line.split(' ');
    return { from, to };
  });
  const below = rules
    .filter(({ from }) => from.endsWith('/*'))
    .map((rule): ExportRule | ExportGone => {
      const path = rule.from.slice(0, -1);
      if (isGone(rule)) return { path, query: '', rest: 'dropped' };
      const isAway = rule.to.startsWith('https:') ? { isAway: true as const } : {};
      const [to = '', rest] = rule.to.split(':splat');
      return { path, query: '', to, rest: rest === undefined ? 'dropped' : 'kept', ...isAway };
    });
  const exact = rules.filter(({ from }) => !from.endsWith('/*'));
  const known = exact
    .filter((rule) => !isGone(rule))
    .map(({ from, to }): KnownRedirect => {
      const active = PAGES.includes(to);
      return { path: from, url: active ? SITE + to : to, active };
    });
  const gone = exact.filter(isGone).flatMap(({ from }) => parseSource(from) ?? []);
  const pages = new Map(PAGES.map((page) => [pathKey(page).toString('hex'), SITE + page]));
  return compileRules(known, { below, gone, pages }, pagesOf(), { asPaths: true });
}

async function endOf(lines: readonly string[]): Promise<{ end: string | undefined; note: string | undefined }> {
  const { rules, gone, notes } = await compile(lines);
  const [path = ''] = lines[0]?.split(' ') ?? [];
  const rule = rules.map(wildcardOf).find(({ from }) => from === path)?.to;
  const isGone = gone.some((goneRule) => goneRule.rest && `${goneRule.path}*` === path);
  const note = notes.find((candidate) => candidate.path === path);
  return { end: isGone ? '410' : rule, note: note && `${note.kind}: ${note.detail}` };
}

describe('a wildcard that leads to redirected paths', () => {
  for (const [what, lines, end, note] of [
    ['another wildcard', ['/w/* /v/:splat', '/v/* /guides/:splat'], '/guides/:splat', /chain: over \/v\//],
    ['below another wildcard', ['/w/* /v/x/:splat', '/v/* /guides/:splat'], '/guides/x/:splat', /chain: over/],
    ['three, one behind another', ['/a/* /b/:splat', '/b/* /c/:splat', '/c/* /d/:splat'], '/d/:splat', /chain: over/],
    ['another spelling', ['/w/* /V_x/:splat', '/v-x/* /guides/:splat'], '/guides/:splat', /chain: over/],
    ['a wildcard to one page', ['/w/* /v/:splat', '/v/* /guides/a'], '/guides/a', /chain: over/],
    ['a wildcard to one page, and on', ['/w/* /v/:splat', '/v/* /c', '/c /guides/a'], '/guides/a', /chain: over/],
    ['a pattern', ['/w/* /blog/2019/:splat', '/blog/:number/* /guides/:splat'], '/guides/:splat', /chain: over/],
    ['a rule of one path', ['/w/* /c6', '/c6 /c7', '/c7 /guides/b'], '/guides/b', /chain: over \/c6/],
    ['a path below a wildcard', ['/w/* /v/b', '/v/* /guides/:splat'], '/guides/b', /chain: over/],
    ['another site', ['/w/* /v/:splat', '/v/* https://other.example/:splat'], 'https://other.example/:splat', /chain/],
    ['what is gone', ['/w/* /v/:splat', '/v/* 410'], '410', /chain: .*gone for good/],
    ['one path that is gone', ['/w/* /c6', '/c6 410'], '410', /chain: .*gone for good/],
    ['itself, over another', ['/w/* /v/:splat', '/v/* /w/:splat'], undefined, /loop/],
    ['itself, deeper and deeper', ['/w/* /w/x/:splat'], undefined, /loop/],
    ['itself, by one path', ['/w/* /w/x'], undefined, /loop/],
    ['pages', ['/w/* /guides/:splat', '/v/* /shop/:splat'], '/guides/:splat', undefined],
    ['one page', ['/w/* /shop/tea', '/shop/* /guides/:splat'], '/shop/tea', undefined],
    ['another site with a path of a rule', ['/w/* https://other.example/c', '/c /guides/a'], 'https://other.example/c'],
    ['a path that nothing is known of', ['/w/* /c', '/d /guides/a'], '/c', undefined],
  ] as const)
    it(`${what}: is one redirect to the end`, async () => {
      const outcome = await endOf(lines);
      expect(outcome.end).to.equal(end);
      if (note) expect(outcome.note).to.match(note);
      else expect(outcome.note).to.equal(undefined);
    });

  for (const [what, lines, apart] of [
    ['one path', ['/w/* /v/:splat', '/v/here /shop/tea'], '/v/here'],
    ['one path beside a wildcard', ['/w/* /v/:splat', '/v/* /guides/:splat', '/v/here /shop/tea'], '/v/here'],
    ['a path that is gone', ['/w/* /v/:splat', '/v/* /guides/:splat', '/v/here 410'], '/v/here'],
    ['a longer wildcard', ['/w/* /v/:splat', '/v/* /guides/:splat', '/v/x/* /shop/:splat'], '/v/x/*'],
    ['a pattern', ['/w/* /v/:splat', '/v/:number/* /shop/:splat'], '/v/:number/*'],
  ] as const)
    it(`stays as it is and is named, where ${what} goes elsewhere`, async () => {
      const { end, note } = await endOf(lines);
      expect(end).to.equal('/v/:splat');
      expect(note).to.include(`chain: leads to paths below /v/ that are redirected on (${apart})`);
    });

  for (const [what, ...beside] of [
    ['leads to the same', '/v/* /guides/:splat', '/v/a /guides/a', '/v /guides'],
    ['has a rule in front of the wildcard, too', '/v/* /guides/:splat', '/v/here /shop/tea', '/w/here /shop/tea'],
    ['leads nowhere', '/v/* /guides/:splat', '/v/here /nowhere'],
    ['is one with a query string', '/v/* /guides/:splat', '/v/here?id=1 /shop/tea'],
  ])
    it(`is one redirect beside a rule of one path that ${String(what)}`, async () => {
      expect((await endOf(['/w/* /v/:splat', ...beside])).end).to.equal('/guides/:splat');
    });

  it('is held against no wildcard that is left out for the pages below it', async () => {
    const { end } = await endOf(['/w/* /docs/:splat', '/docs/* /guides/:splat']);
    expect(end).to.equal('/docs/:splat');
  });

  it('is left out where it leads round in a circle', async () => {
    expect((await compile(['/w/* /v/:splat', '/v/* /w/:splat'])).rules).to.deep.equal([]);
  });
});
