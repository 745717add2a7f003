import { expect } from 'chai';
import fc from 'fast-check';
import { encodeTarget, formatSource, parseSource } from '#src/rule-formats/read/source-address.js';
import { compileRules } from '#src/rule-formats/write/compile.js';
import { expressionOf, targetOf } from '#src/rule-formats/write/regular-expressions.js';
import type { KnownRedirect } from '#src/rule-formats/lint-redirects.js';
import type { ExportRule } from '#src/rule-formats/write/written-rule.js';
import { EXPORT_FORMATS, writeFormat } from '#src/rule-formats/write/formats.js';

async function* pagesOf(paths: readonly string[]): AsyncGenerator<string> {
  for (const path of paths) yield await Promise.resolve(`https://shop.example${path}`);
}

const known = (path: string, to: string, active = true): KnownRedirect => ({
  path,
  url: active ? `https://shop.example${to}` : to,
  active,
});

function rewritten(rule: ExportRule, path: string): string | undefined {
  const literal = (text: string): string => text.replace(/[^\w/-]/g, '\\$&');
  const match = new RegExp(`^${expressionOf(rule, { literal })}$`).exec(path);
  return match ? targetOf(rule, (number) => match[number] ?? '') : undefined;
}

/** What a server answers to an address by these rules: one path, wildcards by length, then rewritings. */
function answer(rules: readonly ExportRule[], address: string): string | undefined {
  const [path = ''] = address.split('?');
  const exact =
    rules.find((rule) => !rule.rest && rule.query !== '' && formatSource(rule) === address) ??
    rules.find((rule) => !rule.rest && rule.query === '' && rule.path === path);
  if (exact) return exact.to;
  const wildcard = rules
    .filter((rule) => rule.rest && !rule.rewriting && path.startsWith(rule.path))
    .sort((a, b) => b.path.length - a.path.length)
    .at(0);
  if (!wildcard) {
    const answers = rules.flatMap((rule) => (rule.rewriting ? (rewritten(rule, path) ?? []) : []));
    expect(new Set(answers).size, path).to.be.at.most(1);
    return answers[0];
  }
  return wildcard.to + (wildcard.rest === 'kept' ? path.slice(wildcard.path.length) : '');
}

const segment = fc.constantFrom(
  'a',
  'b',
  'c',
  'd.html',
  'e f',
  'a.html',
  '2016/12/14/a',
  '2016-12-14-a',
  '2017/01/02/b',
);
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`);

describe('compiled redirects', () => {
  for (const expressions of [false, true])
    it(`answer every known old path as before, and no page, in fewer rules or as many${expressions ? ', with rewritings' : ''}`, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(path, { maxLength: 12 }),
          fc.array(fc.tuple(path, fc.nat(), fc.constantFrom('', '?id=7')), { maxLength: 20 }),
          async (pages, moves) => {
            fc.pre(pages.length > 0);
            const redirects = moves.map(([old, at, query]) =>
              known(`/old${old}${query}`, pages[at % pages.length] ?? ''),
            );
            const { rules, notes } = await compileRules(redirects, [], pagesOf(pages), { expressions });
            const literal = await compileRules(redirects, [], pagesOf(pages), { literal: true });
            expect(rules.length).to.be.at.most(literal.rules.length);
            for (const rule of literal.rules) expect(answer(rules, formatSource(rule))).to.equal(rule.to);
            for (const page of pages)
              expect(answer(rules, formatSource(parseSource(page) ?? { path: '', query: '' })), page).to.equal(
                undefined,
              );
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

  for (const [what, moves, rewritten] of [
    [
      'an ending is dropped',
      [
        ['/manual/a.html', '/docs/a'],
        ['/manual/b/c.html', '/docs/b/c'],
      ],
      ['/manual/x/y.html', '/docs/x/y'],
    ],
    [
      'an ending is changed',
      [
        ['/m/a.htm', '/d/a/'],
        ['/m/b.htm', '/d/b/'],
      ],
      ['/m/x.htm', '/d/x/'],
    ],
    [
      'an index is dropped',
      [
        ['/m/a/index.php', '/d/a/'],
        ['/m/b/index.php', '/d/b/'],
      ],
      ['/m/x/index.php', '/d/x/'],
    ],
    [
      'an ending is added',
      [
        ['/m/a', '/d/a.html'],
        ['/m/b', '/d/b.html'],
      ],
      ['/m/x', '/d/x.html'],
    ],
    [
      'a date is dropped',
      [
        ['/blog/2016/12/14/a', '/posts/a'],
        ['/blog/2017/01/02/b', '/posts/b'],
      ],
      ['/blog/2018/03/04/x', '/posts/x'],
    ],
    [
      'a date is joined',
      [
        ['/2016/12/14/a', '/2016-12-14-a'],
        ['/2017/01/02/b', '/2017-01-02-b'],
      ],
      ['/2018/03/04/x', '/2018-03-04-x'],
    ],
    [
      'a date is taken apart, and an ending dropped',
      [
        ['/2016-12-14-a.html', '/2016/12/14/a'],
        ['/2017-01-02-b.html', '/2017/01/02/b'],
      ],
      ['/2018-03-04-x.html', '/2018/03/04/x'],
    ],
    [
      'a date is turned around',
      [
        ['/2016/12/14/a', '/14-12-2016-a'],
        ['/2017/01/02/b', '/02-01-2017-b'],
      ],
      ['/2018/03/04/x', '/04-03-2018-x'],
    ],
  ] as const) {
    it(`are one rewriting where ${what}, and a page that it would hide forbids it`, async () => {
      const redirects = moves.map(([old, to]) => known(old, to));
      const pages = moves.map(([, to]) => to);
      const compile = async (more: string[]): Promise<ExportRule[]> =>
        (await compileRules(redirects, [], pagesOf([...pages, ...more]), { expressions: true })).rules;
      const rules = await compile([]);
      expect(rules).to.have.length(1);
      expect(answer(rules, rewritten[0])).to.equal(`https://shop.example${rewritten[1]}`);
      for (const [old, to] of moves) expect(answer(rules, old)).to.equal(`https://shop.example${to}`);
      expect(await compile([rewritten[0]])).to.have.length(moves.length);
    });
  }

  it('are no rewriting where the old paths have too many readings to keep in mind, and stay as they are', async function () {
    this.timeout(60_000);
    const moved = ['a', 'b'].map((name) => known(`/manual/${name}.html`, `/docs/${name}`));
    const deep = Array.from({ length: 40_000 }, (_, i) => known(`/a${i}/b/c/d/e/f/g-${i}.html`, `/n/${i}`));
    const compile = (redirects: readonly KnownRedirect[]) =>
      compileRules(redirects, [], pagesOf(['/docs/a', '/docs/b']), { expressions: true });
    expect((await compile(moved)).rules).to.have.length(1);
    const { rules } = await compile([...moved, ...deep]);
    expect(rules.filter(({ rewriting }) => rewriting)).to.deep.equal([]);
    expect(rules).to.have.length(moved.length + deep.length);
  });

  it('are no rewriting where a known case contradicts it, nor for formats without expressions', async () => {
    const redirects = [known('/m/a.html', '/d/a'), known('/m/b.html', '/d/b'), known('/m/c.html', '/about')];
    const pages = ['/d/a', '/d/b', '/about'];
    expect((await compileRules(redirects, [], pagesOf(pages), { expressions: true })).rules).to.have.length(3);
    expect((await compileRules(redirects.slice(0, 2), [], pagesOf(pages))).rules).to.have.length(2);
  });

  it('learn nothing below what is gone, nor beside a pattern', async () => {
    const redirects = ['a', 'b'].flatMap((one) => [
      known(`/old/x/${one}`, `/new/${one}`),
      known(`/blog/${one}`, `/new/${one}`),
    ]);
    const { rules, gone } = await compileRules(
      redirects,
      [{ path: '/blog/:number/', query: '', to: 'https://shop.example/news', rest: 'dropped' }],
      pagesOf(['/new/a', '/new/b']),
      {
        goneBelow: [
          { path: '/old/', query: '', rest: 'dropped' },
          { path: '/new/', query: '', rest: 'dropped' },
        ],
      },
    );
    expect(rules.filter(({ rest }) => rest)).to.have.length(1);
    expect(rules).to.have.length(5);
    expect(
      gone.map(({ path }) => path),
      'pages stand below /new/',
    ).to.deep.equal(['/old/']);
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

describe('a wildcard with letters that are percent-encoded', () => {
  it('is matched in both cases of hexadecimal digits', () => {
    const rule: ExportRule = { path: '/%C3%BCber/', query: '', to: '/about/', rest: 'kept' };
    for (const format of ['nginx', 'apache', 'caddy', 'traefik'] as const)
      expect(writeFormat(format, [rule]).text, format).to.match(/\[Cc\]3.*\[Bb\]\[Cc\]ber/);
  });
});

describe('a target on a host with other letters than ASCII', () => {
  it('is written as headers have it, and any other as its owner wrote it', () => {
    expect(encodeTarget('https://münchen.example/straße#a')).to.equal('https://xn--mnchen-3ya.example/stra%C3%9Fe#a');
    expect(encodeTarget('https://WWW.example.com:443/A')).to.equal('https://WWW.example.com:443/A');
  });
});

describe('two spellings that are one address to nginx', () => {
  it('are one rule: nginx refuses a file that has it twice', () => {
    const rules = ['/y//z', '/y/z', '/%C3%BC', '/%c3%bc'].map((path): ExportRule => ({ path, query: '', to: '/x' }));
    expect(writeFormat('nginx', rules, []).text.match(/location = .*/g)).to.deep.equal([
      'location = "/ü" { return 301 "/x"; }',
      'location = "/y/z" { return 301 "/x"; }',
    ]);
  });
});

describe('an old path with an encoded slash', () => {
  it('is exported as it is, and never as another path', () => {
    const source = parseSource('/old/%2fslash');
    expect(source).to.deep.equal({ path: '/old/%2Fslash', query: '' });
    for (const format of EXPORT_FORMATS) {
      const { text, unfit } = writeFormat(format, [
        { path: '/old/%2Fslash', query: '', to: 'https://shop.example/about' },
      ]);
      if (format === 'apache' || format === 'iis') expect(unfit[0]?.reason, format).to.include('encoded slash');
      else expect(text, format).to.match(/old\/(?:%|\\x25|\\x\{25\}|\\\\x\{25\})2(?:F|\[Ff\])/);
    }
  });
});
