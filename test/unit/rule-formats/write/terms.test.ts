import { expect } from 'chai';
import type { KnownRedirect } from '#src/rule-formats/lint-redirects.js';
import { parsePathPattern, type PathPattern } from '#src/rule-formats/path-pattern.js';
import type { RuleTerms } from '#src/rule-formats/read/read-rule.js';
import { compileRules, type CompileOptions, type Compiled } from '#src/rule-formats/write/compile.js';
import { EXPORT_FORMATS, writeFormat, type ExportFormat } from '#src/rule-formats/write/formats.js';
import type { ExportRule } from '#src/rule-formats/write/written-rule.js';

const SITE = 'https://shop.example';
const known = (path: string, to: string, terms?: RuleTerms, active = true): KnownRedirect => ({
  path,
  url: SITE + to,
  active,
  ...(terms ? { terms } : {}),
});

async function* pagesOf(paths: readonly string[]): AsyncGenerator<string> {
  for (const path of paths) yield await Promise.resolve(SITE + path);
}

function compile(
  redirects: readonly KnownRedirect[],
  pages: readonly string[],
  belowRules: readonly ExportRule[] = [],
  options: CompileOptions = {},
): Promise<Compiled> {
  return compileRules(redirects, { below: belowRules, gone: [], pages: new Map() }, pagesOf(pages), options);
}

function patternOf(path: string): PathPattern {
  const pattern = parsePathPattern(path);
  if ('refused' in pattern) throw new Error(pattern.refused);
  return pattern;
}

const rule = (path: string, more: Partial<ExportRule> = {}): ExportRule => ({
  path,
  query: '',
  to: `${SITE}/new`,
  ...more,
});
const reasonsOf = (format: ExportFormat, ...rules: ExportRule[]): string[] =>
  writeFormat(format, rules).unfit.map(({ reason }) => reason);

describe('redirects of which more is said', () => {
  it('are two rules of one path on two hosts, and a page hides that of its own host alone', async () => {
    const redirects = [
      known('/a', '/new', { host: 'old.example' }),
      known('/a', '/news', { host: 'shop.example' }),
      known('/a', '/newest'),
    ];
    const { rules, notes } = await compile(redirects, ['/new', '/news', '/newest']);
    expect([rules.length, notes]).to.deep.equal([3, []]);
    const beside = await compile(redirects, ['/a', '/new', '/news', '/newest']);
    expect(beside.rules.map(({ host }) => host)).to.deep.equal(['old.example']);
    expect(beside.notes.map(({ kind }) => kind)).to.deep.equal(['live source', 'live source']);
  });

  it('keep what the first says where chains are made one hop, and lead over no rule that ends', async () => {
    const redirects = [
      known('/a', '/b', { code: 302, host: 'old.example' }, false),
      known('/b', '/page'),
      known('/c', '/d', undefined, false),
      known('/d', '/page', { validUntil: '2099-01-01T00:00:00.000Z' }),
      known('/e', '/f', undefined, false),
      known('/f', '/page', { host: 'shop.example' }),
      known('/g', '/h', undefined, false),
      known('/h', '/page', { host: 'old.example' }),
    ];
    const { rules } = await compile(redirects, ['/page']);
    const rulesByPath = new Map(rules.map((compiledRule) => [compiledRule.path, compiledRule]));
    expect(rulesByPath.get('/a')).to.deep.equal({ ...rule('/a'), to: `${SITE}/page`, code: 302, host: 'old.example' });
    expect(['/c', '/e', '/g'].map((path) => rulesByPath.get(path)?.to)).to.deep.equal([
      undefined,
      `${SITE}/page`,
      undefined,
    ]);
  });

  it('stand before the others: hosts, then query strings, then those that end', () => {
    const rules = [
      rule('/a'),
      rule('/a', { validUntil: '2099-01-01T00:00:00.000Z', to: '/ends' }),
      rule('/a', { query: 'id=7' }),
      rule('/p-:id', { pattern: patternOf('/p-:id') }),
      rule('/p-:id/x', { pattern: patternOf('/p-:id/x') }),
      rule('/w/', { rest: 'dropped' }),
      rule('/w/', { rest: 'dropped', host: 'old.example' }),
    ];
    const rows = JSON.parse(writeFormat('json', rules).text) as { path: string }[];
    expect(rows.map(({ path }) => path)).to.deep.equal(['/w/*', '/a?id=7', '/a', '/a', '/w/*', '/p-:id/x', '/p-:id']);
  });
});

describe('a pattern', () => {
  const patternRules = [
    rule('/p-:id', { pattern: patternOf('/p-:id') }),
    rule('/old/*', { pattern: patternOf('/old/*') }),
  ];

  it('that matches a page gets no rule of a server', async () => {
    const { rules, notes } = await compile([], ['/p-7', '/new'], patternRules);
    expect(rules.map(({ path }) => path)).to.deep.equal(['/old/*']);
    expect(notes.map(({ kind, path }) => [kind, path])).to.deep.equal([['shadows pages', '/p-:id']]);
  });

  it('is written with the placeholders of a host, or is named', () => {
    const whole = rule('/a/:slug/b/*', { pattern: patternOf('/a/:slug/b/*'), to: `${SITE}/:splat/:slug` });
    for (const format of ['netlify', 'cloudflare'] as const)
      expect(writeFormat(format, [whole]).text).to.include(`/a/:slug/b/* ${SITE}/:splat/:slug 301`);
    const vercel = JSON.parse(writeFormat('vercel', [whole]).text) as { redirects: object[] };
    expect(vercel.redirects).to.deep.equal([
      { source: '/a/:slug/b/:splat(.+)', destination: `${SITE}/:splat/:slug`, statusCode: 301 },
    ]);
    for (const path of ['/p-:id', '/n/:number'])
      expect(reasonsOf('netlify', rule(path, { pattern: patternOf(path) }))[0]).to.match(/placeholder of this host/);
  });
});

describe('what a server cannot say', () => {
  it('is named: codes, hosts, and query strings', () => {
    for (const [format, codes] of [
      ['netlify', [303, 307, 308]],
      ['traefik', [303, 307, 308]],
      ['iis', [308]],
    ] as const)
      for (const code of codes)
        expect(reasonsOf(format, rule('/a', { code })), format).to.deep.equal([
          `this server answers no ${code} by a rule`,
        ]);
    expect(reasonsOf('cloudflare', rule('/a', { host: 'old.example' }))[0]).to.include('no hosts');
    expect(reasonsOf('traefik', rule('/a', { query: 'a=1&b=2' }), rule('/a', { query: 'a=1&b=2&c=3' }))).to.have.length(
      1,
    );
    const passed = writeFormat('netlify', [rule('/a', { passQuery: true, to: `${SITE}/new?x=1` })]);
    expect(passed.notes.map(({ kind, path }) => [kind, path])).to.deep.equal([['not said', '/a']]);
  });

  it('is two different answers of one location in nginx: the first in order is written', () => {
    const { text, unfit } = writeFormat('nginx', [rule('/a//b', { to: '/x' }), rule('/a/b', { to: '/y' })]);
    expect(text.match(/location = /g)).to.have.length(1);
    expect(unfit.map(({ rule: { path } }) => path)).to.deep.equal(['/a/b']);
  });
});

describe('a rule with dates', () => {
  const now = new Date('2026-06-01T00:00:00Z');
  const ended = rule('/ended', { validUntil: '2026-05-31T00:00:00.000Z' });
  const later = rule('/later', { validFrom: '2026-07-01T00:00:00.000Z' });
  const ends = rule('/ends', { validUntil: '2026-07-01T00:00:00.000Z' });

  it('is named with its end on a server without a clock, and above its rule where the format has comments', () => {
    for (const format of EXPORT_FORMATS) {
      const { text, notes } = writeFormat(format, [ends, rule('/stays')], [], { now });
      const named = notes.map(({ path, detail, isLeftOut }) => `${path} ${detail} ${String(isLeftOut)}`);
      const knowsDates = ['apache', 'caddy', 'haproxy', 'json', 'csv'].includes(format);
      const end = 'ends on 2026-07-01T00:00:00.000Z, which this server does not know: export again then';
      expect(named, format).to.deep.equal(knowsDates ? [] : [`/ends ${end} false`]);
      const commented = text.split('\n').findIndex((line) => line.includes(end));
      expect(commented >= 0, format).to.equal(!knowsDates && format !== 'vercel');
      if (commented >= 0)
        expect(
          text
            .split('\n')
            .slice(commented + 1, commented + 4)
            .join(''),
          format,
        ).to.include('ends');
    }
  });

  it('is left out of what a server obeys after its end and before its time, and is named', () => {
    for (const format of EXPORT_FORMATS) {
      const { text, notes } = writeFormat(format, [ended, later, ends], [], { now });
      const kinds = notes.map(({ kind }) => kind).sort();
      const hasClock = ['apache', 'caddy', 'haproxy'].includes(format);
      const isData = ['json', 'csv'].includes(format);
      expect(kinds, format).to.deep.equal(isData ? [] : hasClock ? ['ended'] : ['ended', 'not said', 'not yet']);
      expect(text.includes('/ended') || text.includes('"^ended'), format).to.equal(isData);
    }
  });

  it('keeps its dates in JSON and CSV', () => {
    expect(writeFormat('json', [ended], [], { now }).text).to.include('"valid_until":"2026-05-31T00:00:00.000Z"');
    expect(writeFormat('csv', [ended], [], { now }).text.split('\n').slice(0, 2)).to.deep.equal([
      'old,new,status,host,match,valid_from,valid_until,pass_query',
      `/ended,${SITE}/new,301,,,,2026-05-31T00:00:00.000Z,`,
    ]);
    expect(writeFormat('csv', [rule('/a', { code: 302 })]).text).to.equal(`old,new,status\n/a,${SITE}/new,302\n`);
  });
});

describe('a project that makes no difference of a slash at the end', () => {
  it('has rules for each old address with and without it, but for pages and for what has a rule', async () => {
    const redirects = [
      known('/a', '/new'),
      known('/b/', '/new'),
      known('/c', '/new'),
      known('/c/', '/news'),
      known('/d?id=7', '/new', { code: 302 }),
      known('/e', '/new'),
    ];
    const patternRules = [rule('/p-:id', { pattern: patternOf('/p-:id') })];
    const { rules } = await compile(redirects, ['/new', '/news', '/e/'], patternRules, { anySlash: true });
    const addresses = rules.map(({ path, query }) => path + (query && `?${query}`)).sort();
    expect(addresses).to.deep.equal(
      ['/a', '/a/', '/b', '/b/', '/c', '/c/', '/d/?id=7', '/d?id=7', '/e', '/p-:id', '/p-:id/'].sort(),
    );
    expect(rules.find(({ path }) => path === '/d/')?.code).to.equal(302);
  });
});

describe('a project that makes no difference of case', () => {
  it('has rules without case where a server has them, and a word of it where it has none', () => {
    for (const format of EXPORT_FORMATS) {
      const { text, notes } = writeFormat(format, [rule('/Old')], [], { anyCase: true });
      const says = /~\*|NC\]|,NC|\(\?i[):]| -i |ignoreCase="true"/.test(text) && !text.includes('ignoreCase="false"');
      const isData = ['json', 'csv'].includes(format);
      if (!isData) expect([says, notes.length], format).to.deep.equal(says ? [true, 0] : [false, 1]);
    }
  });
});
