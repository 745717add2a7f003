import { expect } from 'chai';
import fc from 'fast-check';
import { encodeTarget, formatSource, parseSource } from '#src/rule-formats/read/source-address.js';
import { writeFormat } from '#src/rule-formats/write/formats.js';
import type { ExportGone, ExportRule } from '#src/rule-formats/write/written-rule.js';
import { startWebServer, webServerProgram, type WebServer } from '../../support/web-servers.js';
import { hostileAddress } from '../../support/hostile-addresses.js';

const ORDINARY = [
  '/old',
  '/old/',
  '/Old-Case',
  '/old.html',
  '/oldxhtml.html',
  '/a b/c',
  '/"quoted" \'twice\'',
  '/price$10',
  '/100%',
  '/${HOME}',
  '/{$HOME}',
  '/%{ENV:PATH}',
  '/über/straße',
  '/日本/語',
  '/caf%E9',
  '/line%0Abreak',
  '/line%0D%0ALocation:%20https://evil.example/',
  '/a%2Fb',
  '/back\\slash',
  '/semi;colon',
  '/} location = / { return 302 https://evil.example/; }',
  '/"; } location = / { return 302 https://evil.example/; } location = "/x',
  '/x" [R=302]\nRewriteRule ^ https://evil.example/',
  '/x if { always_true }',
  '/star*/(group)/[set]/a|b/^start/end$',
  '/dot.dot/plus+plus',
  '/index.php?id=7',
  '/index.php?id=70&x=a.b',
  '/page?q=a+b%20c',
  '//double//slash',
  '/:splat/:id',
  '/<script>alert(1)</script>',
  '/&amp;&lt;',
];

const WILDCARDS: ExportRule[] = [
  { path: '/manual/', query: '', to: 'https://shop.example/docs/', rest: 'kept' },
  { path: '/the%20blog/', query: '', to: 'https://shop.example/news', rest: 'dropped' },
  { path: '/gr%C3%BC%C3%9Fe/', query: '', to: 'https://shop.example/m%C3%BCnchen/', rest: 'kept' },
];

/** Rules that a server can only state with regular expressions. */
const PATTERNS: ExportRule[] = [
  { path: '/blog/:number/', query: '', to: 'https://shop.example/news/', rest: 'kept' },
  { path: '/th%C3%A8me/:number/:number/', query: '', to: 'https://shop.example/themes', rest: 'dropped' },
];
const GONE_BELOW: ExportGone[] = ['/lost/', '/manual/lost/', '/h%C3%B6hle/a%20b/', '/issue/:number/'].map((path) => ({
  path,
  query: '',
  rest: 'dropped' as const,
}));
/** A page and a redirect that is known below them. */
const INSIDE: ExportRule[] = ['/lost/kept', '/blog/2016/kept'].map((path) => ({
  path,
  query: '',
  to: 'https://shop.example/kept',
}));

const GONE = ['/gone/x', '/gone/"quoted" $1 }', '/gone/%C3%A9t%C3%A9', '/gone/caf%E9', '/gone.php?id=7'].flatMap(
  (text) => parseSource(text) ?? [],
);

/** Makes a rule for each address, and one alone for several that a server takes for the same address. */
function rulesOf(addresses: readonly string[]): ExportRule[] {
  const rules = new Map<string, ExportRule>();
  for (const [at, text] of addresses.entries()) {
    const source = parseSource(text);
    if (!source || source.path === '/') continue;
    const seen = decodeURIComponent(source.path.replace(/%(?=[89A-F])/g, '%25')).replace(/\/{2,}/g, '/');
    rules.set(`${seen}?${source.query}`, {
      ...source,
      to: encodeTarget(`https://shop.example/new/${at}?from=${text}`),
    });
  }
  return [...rules.values()];
}

for (const [name, format] of [
  ['nginx', 'nginx'],
  ['apache2', 'apache'],
  ['caddy', 'caddy'],
  ['haproxy', 'haproxy'],
] as const) {
  describe(`redirects exported for ${format}, in the real server`, function () {
    this.timeout(60_000);
    let server: WebServer | undefined;
    const ask: WebServer['ask'] = async (path) => {
      if (!server) throw new Error('the server has not started');
      return server.ask(path);
    };
    let rules: ExportRule[];
    let unfit: Set<unknown>;

    before(async function () {
      // .ci/run fetches the servers; elsewhere the tests run where they are installed.
      if (webServerProgram(name) === undefined && process.env['CI'] !== 'true') this.skip();
      rules = [
        ...rulesOf([...ORDINARY, ...fc.sample(hostileAddress, { numRuns: 400, seed: 7 })]),
        ...WILDCARDS,
        ...PATTERNS,
        ...INSIDE,
      ];
      const written = writeFormat(format, rules, [...GONE, ...GONE_BELOW, { path: '/manual/gone', query: '' }]);
      unfit = new Set(written.unfit.map(({ rule }) => rule));
      server = await startWebServer(name, written.text, ['/blog/about']);
    });

    after(() => server?.stop());

    it('answers every old path with its page, whatever the path holds', async () => {
      const wrong: string[] = [];
      let ruleCount = 0;
      for (const rule of rules) {
        if (rule.rest || unfit.has(rule)) continue;
        ruleCount++;
        const { status, location } = await ask(formatSource(rule));
        if (status !== 301 || location !== rule.to)
          wrong.push(`${formatSource(rule)}: ${status} ${String(location)}, not ${rule.to}`);
      }
      expect(wrong).to.deep.equal([]);
      expect(ruleCount).to.be.greaterThan(300);
    });

    it('answers what is below a wildcard with the same rest, encoded as it was asked', async () => {
      for (const [path, location] of [
        ['/manual/install', 'https://shop.example/docs/install'],
        ['/manual/a/b%20c%C3%A9/%22d%22?x=1', 'https://shop.example/docs/a/b%20c%C3%A9/%22d%22'],
        ['/manual/x%0D%0ASet-Cookie:%20a=b', 'https://shop.example/docs/x%0D%0ASet-Cookie:%20a=b'],
        ['/manual/', 'https://shop.example/docs/'],
        ['/the%20blog/2016/post', 'https://shop.example/news'],
        ['/gr%C3%BC%C3%9Fe/an', 'https://shop.example/m%C3%BCnchen/an'],
      ] as const)
        expect(await ask(path), path).to.deep.equal({ status: 301, location });
    });

    it('answers what a pattern is for, one path before it, and nothing beside it', async () => {
      for (const [path, location] of [
        ['/blog/2016/a/b%20c?x=1', 'https://shop.example/news/a/b%20c'],
        ['/blog/2016/kept', 'https://shop.example/kept'],
        ['/th%C3%A8me/1/22/x', 'https://shop.example/themes'],
      ] as const)
        expect(await ask(path), path).to.deep.equal({ status: 301, location });
      for (const path of ['/blog/x/a', '/blog/2016', '/th%C3%A8me/1/x/y'])
        expect(await ask(path), path).to.deep.equal({ status: 404, location: undefined });
      if (format === 'haproxy') return;
      expect((await ask('/blog/about/')).status).to.equal(200);
    });

    it('answers 410 to all below what is gone, but for the redirects that are known there', async () => {
      for (const path of `/lost/ /lost/a/b?x=1 /manual/lost/x /manual/gone /h%C3%B6hle/a%20b/c /issue/12/x`.split(
        /\s+/,
      ))
        expect(await ask(path), path).to.deep.equal({ status: 410, location: undefined });
      expect(await ask('/lost/kept')).to.deep.equal({ status: 301, location: 'https://shop.example/kept' });
      for (const path of ['/lost', '/lostx/', '/LOST/x', '/issue/x/y'])
        expect(await ask(path), path).to.deep.equal({ status: 404, location: undefined });
    });

    it('answers 410 to what is gone, and to nothing else', async () => {
      for (const source of GONE)
        expect(await ask(formatSource(source)), formatSource(source)).to.deep.equal({
          status: 410,
          location: undefined,
        });
      for (const path of ['/gone', '/gone/x/y', '/gone.php?id=8', '/GONE/x'])
        expect(await ask(path), path).to.deep.equal({ status: 404, location: undefined });
    });

    it('redirects no other path', async () => {
      for (const path of ['/', '/new', '/OLD', '/old2', '/older/', '/oldxhtml', '/manualx', '/index.php?id=8', '/x'])
        expect(await ask(path), path).to.deep.equal({ status: 404, location: undefined });
    });

    it('leaves out only what the server refuses itself', () => {
      for (const rule of unfit as Set<ExportRule>) expect(`${rule.path} ${rule.to}`).to.match(/%00|%2F|[?&]$/i);
    });
  });
}
