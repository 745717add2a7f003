import { expect } from 'chai';
import { parse } from 'yaml';
import { parsePathPattern, type PathPattern } from '#src/rule-formats/path-pattern.js';
import { writeFormat } from '#src/rule-formats/write/formats.js';
import type { ExportGone, ExportRule } from '#src/rule-formats/write/written-rule.js';
import { askTraefik } from '../../support/ask-traefik.js';
import { startWebServer, webServerProgram, type WebServer } from '../../support/web-servers.js';

function patternOf(path: string): PathPattern {
  const pattern = parsePathPattern(path);
  if ('refused' in pattern) throw new Error(pattern.refused);
  return pattern;
}

const HOST = 'old.example';
const to = (path: string): string => `https://shop.example${path}`;
const exact = (path: string, target: string, more: Partial<ExportRule> = {}): ExportRule => ({
  path,
  query: '',
  to: to(target),
  ...more,
});
const ofPattern = (path: string, target: string, more: Partial<ExportRule> = {}): ExportRule =>
  exact(path, target, { pattern: patternOf(path), ...more });

const RULES: ExportRule[] = [
  ...([301, 302, 303, 307, 308] as const).map((code) => exact(`/code/${code}`, '/c', { code })),
  exact('/hosts', '/of-host', { host: HOST }),
  exact('/hosts', '/of-port', { host: `${HOST}:8080` }),
  exact('/hosts', '/of-any'),
  exact('/only', '/only-there', { host: HOST }),
  exact('/item', '/item-7', { query: 'id=7' }),
  exact('/item', '/both', { query: 'lang=de&size=4' }),
  exact('/item', '/caf%C3%A9', { query: 'q=caf%C3%A9' }),
  exact('/item', '/item-of-host', { query: 'id=7', host: HOST }),
  exact('/plain', '/without'),
  exact('/passed', '/all', { passQuery: true }),
  exact('/joined', '/all?a=1', { passQuery: true }),
  exact('/section', '/doc#part-2'),
  exact('/section-query', '/doc?x=1#part-2'),
  exact('/section-passed', '/doc#part-2', { passQuery: true }),
  exact('/some', '/some-7', { query: 'id=7', passQuery: true }),
  { path: '/kept/', query: '', to: to('/k/'), rest: 'kept', passQuery: true, code: 302 },
  { path: '/there/', query: '', to: to('/t/'), rest: 'kept', host: HOST },
  ofPattern('/p-:id.html', '/products/:id'),
  ofPattern('/blog/:number/:slug', '/posts/:slug/:number#top', { code: 302, passQuery: true }),
  ofPattern('/handbook/*.php', '/h/:splat'),
  ofPattern('/f-*', '/files/:splat'),
  ofPattern('/über/:name/', '/about/:name/'),
  ofPattern('/on/:name', '/there/:name', { host: HOST }),
  exact('/blog/2020/kept', '/kept'),
];
const GONE: ExportGone[] = [
  { path: '/gone', query: '' },
  { path: '/law', query: '', code: 451 },
  { path: '/laws/', query: '', code: 451, rest: 'dropped' },
  { path: '/of-host', query: '', host: HOST },
  { path: '/lost-:id.html', query: '', pattern: patternOf('/lost-:id.html') },
];

/** The request, its host, the status, and where it leads. */
const ASKED: readonly (readonly [string, string | undefined, number, string?])[] = [
  ...[301, 302, 303, 307, 308].map((code) => [`/code/${code}`, undefined, code, '/c'] as const),
  ['/hosts', HOST, 301, '/of-host'],
  ['/hosts', 'OLD.example', 301, '/of-host'],
  ['/hosts', `${HOST}:99`, 301, '/of-host'],
  ['/hosts', 'other.example', 301, '/of-any'],
  ['/hosts', 'oldxexample', 301, '/of-any'],
  ['/only', HOST, 301, '/only-there'],
  ['/only', undefined, 404],
  ['/item?id=7', undefined, 301, '/item-7'],
  ['/item?a=b&id=7&c=d', undefined, 301, '/item-7'],
  ['/item?id=7', HOST, 301, '/item-of-host'],
  ['/item?id=70', undefined, 404],
  ['/item?xid=7', undefined, 404],
  ['/item', undefined, 404],
  ['/item?size=4&lang=de', undefined, 301, '/both'],
  ['/item?lang=de&x=1&size=4', undefined, 301, '/both'],
  ['/item?lang=de', undefined, 404],
  ['/item?q=caf%C3%A9', undefined, 301, '/caf%C3%A9'],
  ['/plain?x=1', undefined, 301, '/without'],
  ['/passed?x=1&y=%20', undefined, 301, '/all?x=1&y=%20'],
  ['/passed', undefined, 301, '/all'],
  ['/joined?x=1', undefined, 301, '/all?a=1&x=1'],
  ['/section', undefined, 301, '/doc#part-2'],
  ['/section-query', undefined, 301, '/doc?x=1#part-2'],
  ['/section-passed?x=1', undefined, 301, '/doc?x=1#part-2'],
  ['/some?a=1&id=7', undefined, 301, '/some-7?a=1&id=7'],
  ['/kept/a/b?x=1', undefined, 302, '/k/a/b?x=1'],
  ['/kept/a', undefined, 302, '/k/a'],
  ['/there/x', HOST, 301, '/t/x'],
  ['/there/x', undefined, 404],
  ['/p-42.html', undefined, 301, '/products/42'],
  ['/p-a%20b.html?x=1', undefined, 301, '/products/a%20b'],
  ['/p-.html', undefined, 404],
  ['/p-1/2.html', undefined, 404],
  ['/p-1.htm', undefined, 404],
  ['/blog/2021/first?x=1', undefined, 302, '/posts/first/2021?x=1#top'],
  ['/blog/x/first', undefined, 404],
  ['/blog/2021/first/more', undefined, 404],
  ['/blog/2020/kept', undefined, 301, '/kept'],
  ['/handbook/a/b.php', undefined, 301, '/h/a/b'],
  ['/f-a/b/', undefined, 301, '/files/a/b/'],
  ['/f-', undefined, 404],
  ['/%C3%BCber/x/', undefined, 301, '/about/x/'],
  ['/on/x', HOST, 301, '/there/x'],
  ['/on/x', undefined, 404],
  ['/gone', undefined, 410],
  ['/law', undefined, 451],
  ['/laws/a/b', undefined, 451],
  ['/of-host', HOST, 410],
  ['/of-host', undefined, 404],
  ['/lost-7.html', undefined, 410],
];

describe('the terms of rules exported for Traefik, as its expressions match', () => {
  it('are obeyed: code, host, query in any order and passed on, section and pattern; the others are named', () => {
    const { text, unfit } = writeFormat('traefik', RULES, GONE);
    const codes = unfit.map(({ rule }) => rule.code ?? 0).sort();
    expect(codes).to.deep.equal([0, 0, 0, 303, 307, 308, 451, 451]);
    expect(unfit.every(({ reason }) => /answers no 30\d|no rule for what is gone/.test(reason))).to.equal(true);
    const wrong = ASKED.flatMap(([path, host, status, target]) => {
      if (status > 404 || path.startsWith('/code/30') !== (status === 301 && path === '/code/301')) return [];
      const answer = askTraefik(text, path, host);
      const location = target === undefined ? undefined : to(target);
      return answer.status === status && answer.location === location
        ? []
        : [`${host ?? ''}${path}: ${answer.location}`];
    });
    expect(wrong).to.deep.equal([]);
    const names = Object.keys((parse(text) as { http: { middlewares: object } }).http.middlewares);
    expect(text.match(/- pathmend\d+/g)).to.have.length(names.length - 1);
  });
});

const SERVERS = [
  ['nginx', 'nginx'],
  ['apache2', 'apache'],
  ['caddy', 'caddy'],
  ['haproxy', 'haproxy'],
] as const;

for (const [name, format] of SERVERS) {
  describe(`the terms of rules exported for ${format}, in the real server`, function () {
    this.timeout(60_000);
    let server: WebServer | undefined;

    before(function () {
      // .ci/run fetches the servers; elsewhere they are asked of who has them.
      if (webServerProgram(name) === undefined && process.env['CI'] !== 'true') this.skip();
    });
    afterEach(async () => {
      await server?.stop();
      server = undefined;
    });

    const wrongAnswers = async (expectations: typeof ASKED): Promise<string[]> => {
      const wrong: string[] = [];
      for (const [path, host, status, target] of expectations) {
        const answer = await server?.ask(path, host);
        const location = target === undefined ? undefined : to(target);
        if (answer?.status !== status || answer.location !== location)
          wrong.push(
            `${host ?? ''}${path}: ${String(answer?.status)} ${String(answer?.location)}, not ${status} ${String(location)}`,
          );
      }
      return wrong;
    };

    it('are obeyed: code, host, query in any order and passed on, section and pattern', async () => {
      const { text, unfit, notes } = writeFormat(format, RULES, GONE);
      expect([unfit, notes]).to.deep.equal([[], []]);
      server = await startWebServer(name, text);
      expect(await wrongAnswers(ASKED)).to.deep.equal([]);
    });

    it('hold in any case of letters, where the project makes no difference', async () => {
      const { text } = writeFormat(
        format,
        [exact('/Old/Page', '/page'), { path: '/Dir/', query: '', to: to('/d/'), rest: 'kept' }, ...RULES],
        GONE,
        { anyCase: true },
      );
      server = await startWebServer(name, text);
      const expectations = [
        ['/OLD/page', undefined, 301, '/page'],
        ['/dIR/Kept', undefined, 301, '/d/Kept'],
        ['/P-x.HTML', undefined, 301, '/products/x'],
        ['/LAWS/a', undefined, 451],
        ['/ITEM?id=7', undefined, 301, '/item-7'],
        ['/item?ID=7', undefined, 404],
      ] as const;
      expect(await wrongAnswers([...expectations, ...ASKED])).to.deep.equal([]);
    });

    it('end and begin at their time, where the server has a clock for it', async () => {
      const now = Date.now();
      const at = (days: number): string => new Date(now + days * 86_400_000).toISOString();
      const dated = [
        exact('/now', '/now', { validFrom: at(-2), validUntil: at(2) }),
        exact('/later', '/later', { validFrom: at(2) }),
        exact('/before', '/before', { validUntil: at(-2) }),
      ];
      const { text, notes } = writeFormat(format, dated, []);
      server = await startWebServer(name, text);
      const expectations = [
        ['/now', undefined, 301, '/now'],
        ['/later', undefined, 404],
        ['/before', undefined, 404],
      ] as const;
      expect(await wrongAnswers(expectations)).to.deep.equal([]);
      const kinds = notes.map(({ kind }) => kind).sort();
      expect(kinds).to.deep.equal(format === 'nginx' ? ['ended', 'not said', 'not yet'] : ['ended']);
      // Written three days ago, the file still ends what has ended since.
      await server.stop();
      server = await startWebServer(name, writeFormat(format, dated, [], { now: new Date(at(-3)) }).text);
      if (format !== 'nginx') expect(await wrongAnswers(expectations)).to.deep.equal([]);
    });
  });
}
