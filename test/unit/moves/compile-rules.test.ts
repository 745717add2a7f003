import { expect } from 'chai';
import fc from 'fast-check';
import { formatSource, parseSource } from '#src/moves/redirect-files/address.js';
import { compileRules } from '#src/moves/redirect-rules/compile.js';
import type { KnownRedirect } from '#src/moves/redirect-rules/lint.js';
import type { ExportRule } from '#src/moves/redirect-rules/rule.js';
import { writeFormat } from '#src/moves/redirect-rules/formats.js';

async function* pagesOf(paths: readonly string[]): AsyncGenerator<string> {
  for (const path of paths) yield await Promise.resolve(`https://shop.example${path}`);
}

const known = (path: string, to: string, active = true): KnownRedirect => ({
  path,
  url: active ? `https://shop.example${to}` : to,
  active,
});

/** What a server answers to an address by these rules, one path before wildcards, longer ones first. */
function answer(rules: readonly ExportRule[], address: string): string | undefined {
  const [path = ''] = address.split('?');
  const exact =
    rules.find((rule) => !rule.rest && rule.query !== '' && formatSource(rule) === address) ??
    rules.find((rule) => !rule.rest && rule.query === '' && rule.path === path);
  if (exact) return exact.to;
  const [wildcard] = rules
    .filter((rule) => rule.rest && path.startsWith(rule.path))
    .sort((a, b) => b.path.length - a.path.length);
  return wildcard && wildcard.to + (wildcard.rest === 'kept' ? path.slice(wildcard.path.length) : '');
}

const segment = fc.constantFrom('a', 'b', 'c', 'd.html', 'e f');
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`);

describe('compiled redirects', () => {
  it('answer every known old path as before, and no page, in fewer rules or as many', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(path, { maxLength: 12 }),
        fc.array(fc.tuple(path, fc.nat(), fc.constantFrom('', '?id=7')), { maxLength: 20 }),
        async (pages, moves) => {
          fc.pre(pages.length > 0);
          const redirects = moves.map(([old, at, query]) =>
            known(`/old${old}${query}`, pages[at % pages.length] ?? ''),
          );
          const { rules, notes } = await compileRules(redirects, [], pagesOf(pages));
          const literal = await compileRules(redirects, [], pagesOf(pages), { literal: true });
          expect(rules.length).to.be.at.most(literal.rules.length);
          for (const rule of literal.rules) expect(answer(rules, formatSource(rule))).to.equal(rule.to);
          for (const page of pages)
            expect(answer(rules, formatSource(parseSource(page) ?? { path: '', query: '' })), page).to.equal(undefined);
          const left = notes.filter(({ isLeftOut }) => isLeftOut).length;
          expect(literal.rules.length + left).to.equal(redirects.length);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('take the shortest old beginning that every known case agrees on', async () => {
    const redirects = ['a/x', 'a/y', 'b/x', 'b/z'].map((rest) => known(`/old/manual/${rest}`, `/new/${rest}`));
    const pages = ['/new/a/x', '/new/a/y', '/new/b/x', '/new/b/z', '/old/elsewhere'];
    expect((await compileRules(redirects, [], pagesOf(pages))).rules).to.deep.equal([
      { path: '/old/manual/', query: '', to: 'https://shop.example/new/', rest: 'kept' },
    ]);
  });

  for (const [what, contradiction] of [
    ['another page', known('/old/c', '/about')],
    ['no page', known('/old/c', '/away', false)],
    ['a page for one query string', known('/old/c?id=1', '/new/c')],
    ['the page of the beginning itself', known('/old/', '/about')],
  ] as const) {
    it(`are no wildcard where a known case leads to ${what}`, async () => {
      const redirects = [known('/old/a', '/new/a'), known('/old/b', '/new/b'), contradiction];
      const { rules } = await compileRules(redirects, [], pagesOf(['/new/a', '/new/b', '/new/c', '/about']));
      expect(rules.filter(({ rest }) => rest)).to.deep.equal([]);
    });
  }

  it('are one wildcard where four known cases below a path, and no other, lead to one page', async () => {
    const merged = ['a', 'b', 'c', 'd/e'].map((rest) => known(`/old/${rest}`, '/about'));
    const compile = async (redirects: KnownRedirect[]): Promise<ExportRule[]> =>
      (await compileRules(redirects, [], pagesOf(['/about', '/new']))).rules.filter(({ rest }) => rest);
    expect(await compile(merged)).to.deep.equal([
      { path: '/old/', query: '', to: 'https://shop.example/about', rest: 'dropped' },
    ]);
    expect(await compile(merged.slice(1))).to.deep.equal([]);
    expect(await compile([...merged, known('/old/f', '/new')])).to.deep.equal([]);
  });

  it('keep an imported wildcard unless pages stand below it, and let one path overrule it', async () => {
    const wildcards: ExportRule[] = [
      { path: '/old/', query: '', to: '/new/', rest: 'kept' },
      { path: '/news/', query: '', to: '/blog', rest: 'dropped' },
    ];
    const redirects = [known('/old/a', '/new/a'), known('/old/b', '/about')];
    const { rules, notes } = await compileRules(redirects, wildcards, pagesOf(['/new/a', '/about', '/news/today']));
    expect(rules).to.deep.equal([
      { path: '/old/b', query: '', to: 'https://shop.example/about' },
      { path: '/old/', query: '', to: 'https://shop.example/new/', rest: 'kept' },
    ]);
    expect(notes).to.deep.include({
      kind: 'shadows pages',
      path: '/news/*',
      detail: 'https://shop.example/news/today is below it',
      isLeftOut: true,
    });
  });

  it('fit the limits of each host, and what does not is named', () => {
    const rules = (count: number, rest?: 'kept'): ExportRule[] =>
      Array.from({ length: count }, (_, at) => ({
        path: rest ? `/w${at}/` : `/p${at}`,
        query: '',
        to: 'https://shop.example/new/',
        ...(rest ? { rest } : {}),
      }));
    const left = (format: 'cloudflare' | 'vercel' | 'iis' | 'nginx', all: ExportRule[]): number =>
      writeFormat(format, all).unfit.length;
    expect(left('cloudflare', [...rules(2_000), ...rules(100, 'kept')])).to.equal(0);
    expect(left('cloudflare', [...rules(2_003), ...rules(104, 'kept')])).to.equal(7);
    expect(left('vercel', [...rules(1_000), ...rules(24, 'kept')])).to.equal(0);
    expect(left('vercel', rules(1_030))).to.equal(6);
    expect(left('nginx', rules(20_000))).to.equal(0);
    const iis = writeFormat('iis', rules(3_000));
    expect(Buffer.byteLength(iis.text)).to.be.at.most(250 * 1024);
    expect(iis.unfit.length + (iis.text.match(/<rule /g)?.length ?? 0)).to.equal(3_000);
    expect(left('cloudflare', [{ path: `/${'x'.repeat(1_000)}`, query: '', to: 'https://shop.example/' }])).to.equal(1);
  });
});
