import { expect } from 'chai';
import { OperatorError } from '#src/base/errors.js';
import { RedirectFile, type RedirectFormat } from '#src/rule-formats/read/redirect-file.js';
import { readRules } from '../../support/read-rules.js';
import { casesOf } from '../cases.js';

/** A rule alone is put where web.config has its rules; `{to}` stands for the usual action. */
function toWebConfig(text: string): string {
  const rules = text.replaceAll('{to}', '<action type="Redirect" url="/n" />');
  return /^<(?:rule |!--)/.test(rules)
    ? `<configuration><system.webServer><rewrite><rules>\n${rules}\n</rules></rewrite></system.webServer></configuration>`
    : rules;
}

const vercel = (more: object): string => JSON.stringify({ redirects: [{ source: '/o', destination: '/n', ...more }] });

const IIS = String.raw`
  a comment => <!-- <rule name="a"><match url="^o$" />{to}</rule> --> =>
  enabled => <rule name="a" enabled="true"><match url="^o$" />{to}</rule> => /o /n
  not enabled => <rule name="a" enabled="false"><match url="^o$" />{to}</rule> =>
  a negated match => <rule name="a"><match url="^o$" negate="true" />{to}</rule> => ! 2
  a query => <rule name="a"><match url="^o$" /><conditions><add input="{QUERY_STRING}" pattern="^id=1$" /></conditions>{to}</rule> => /o?id=1 /n
  no query => <rule name="a"><match url="^o$" />\n<conditions><add input="{QUERY_STRING}" pattern="^id=1$" negate="true" /></conditions>{to}</rule> => ! 2
  a query and a host => <rule name="a"><match url="^o$" /><conditions><add input="{QUERY_STRING}" pattern="^id=1$" /><add input="{HTTP_HOST}" pattern="^(www\.)?a\.example$" /></conditions>{to}</rule> => a.example/o?id=1 /n | www.a.example/o?id=1 /n
  MatchAny => <rule name="a"><match url="^o$" /><conditions logicalGrouping="MatchAny"><add input="{QUERY_STRING}" pattern="^id=1$" /><add input="{QUERY_STRING}" pattern="^id=2$" /></conditions>{to}</rule> => /o?id=1 /n | /o?id=2 /n
  codes => <rule name="a"><match url="^o$" /><action type="Redirect" url="/n" redirectType="Found" appendQueryString="true" /></rule><rule name="b"><match url="^p$" /><action type="CustomResponse" statusCode="451" /></rule> => /o /n 302 passes | /p gone 451
  ExactMatch => <rule name="a" patternSyntax="ExactMatch"><match url="o.x" />{to}</rule> => /o.x /n
  Wildcard => <rule name="a" patternSyntax="Wildcard"><match url="o/*" />{to}</rule> => /o/* /n
  a location => <configuration>\n<location path="s"><system.webServer><rewrite><rules><rule name="a"><match url="^o$" />{to}</rule></rules></rewrite></system.webServer></location></configuration> => ! 2
  the location of all => <configuration><location path="." inheritInChildApplications="false"><system.webServer><rewrite><rules><rule name="a"><match url="^o$" />{to}</rule></rules></rewrite></system.webServer></location></configuration> => /o /n
  a map alone => <rewriteMaps><rewriteMap name="M">\n<add key="/o?id=5&amp;l=de" value="/n" /></rewriteMap></rewriteMaps> => /o?id=5&l=de /n
  a map with a rule that obeys it => <configuration><rewriteMaps><rewriteMap name="M"><add key="/o" value="/n" /></rewriteMap></rewriteMaps><rules><rule name="a"><match url=".*" /><conditions><add input="{M:{REQUEST_URI}}" pattern="(.+)" /></conditions><action type="Redirect" url="{C:1}" /></rule></rules></configuration> => /o /n
  a map under a condition => <configuration><rewriteMaps><rewriteMap name="M">\n<add key="/o" value="/n" /></rewriteMap></rewriteMaps>\n<rules><rule name="a"><match url=".*" /><conditions><add input="{M:{REQUEST_URI}}" pattern="(.+)" /><add input="{HTTPS}" pattern="off" /></conditions><action type="Redirect" url="{C:1}" /></rule></rules></configuration> => ! 2 | ! 3
  httpRedirect of a file => <configuration><location path="o.htm"><system.webServer><httpRedirect enabled="true" destination="https://a.example/n" /></system.webServer></location></configuration> => /o.htm https://a.example/n 302
  httpRedirect of a site => <configuration>\n<system.webServer><httpRedirect enabled="true" destination="https://a.example" /></system.webServer></configuration> => ! 2
`;

/** Each construct that can stand around a rule or in it: kept with its meaning, or refused in its line. */
const CONSTRUCTS: Partial<Record<RedirectFormat, [what: string, text: string, kept: string[]][]>> = {
  netlify: [
    ['a force', '/o /n 301!', ['/o /n']],
    [
      'codes',
      '/o /n 302\n/p /n 308!\n/q 451\n/r /n temporary\n/s /n [R=303]',
      ['/o /n 302', '/p /n 308', '/q gone 451', '/r /n 302', '/s /n 303'],
    ],
    [
      'placeholders',
      '/o/:id/:number /n/:number/:id\n/p-*.html /n/:splat\n/q-:id 410',
      ['/o/:id/:number /n/:number/:id', '/p-*.html /n/:splat', '/q-:id gone'],
    ],
    ['a name that the old path does not have', '/o/:id /n/:no', ['! 1']],
    ['a host', 'https://a.example/o /n', ['https://a.example/o /n']],
    ['a country', '/o /n 302 Country=de', ['! 1']],
    ['a language', '/o /n Language=en', ['! 1']],
    ['a role', '/o /n 200 Role=admin', ['! 1']],
    ['another page in its place', '/o /n 200', ['! 1']],
    ['an error page', '/o /n 404', ['! 1']],
    ['a query', '/o id=7 /n', ['/o?id=7 /n']],
    ['a query that is taken', '/o id=:id /n/:id', ['! 1']],
    ['a comment', '# /o /n', []],
  ],
  vercel: [
    ['permanent', vercel({ permanent: true }), ['/o /n 308']],
    ['not permanent', vercel({ permanent: false }), ['/o /n 307']],
    ['a status', vercel({ statusCode: 302 }), ['/o /n 302']],
    ['a query', vercel({ has: [{ type: 'query', key: 'id', value: '7' }] }), ['/o?id=7 /n 308']],
    ['any query', vercel({ has: [{ type: 'query', key: 'id' }] }), ['! 1']],
    ['an expression', vercel({ has: [{ type: 'query', key: 'id', value: '.*' }] }), ['! 1']],
    ['a host', vercel({ has: [{ type: 'host', value: 'a.example' }] }), ['a.example/o /n 308']],
    [
      'a pattern',
      vercel({ source: '/o/:id(\\d+)/:name', destination: '/n/:name/:id', statusCode: 301 }),
      ['/o/:number/:name /n/:name/:number'],
    ],
    ['what may be missing', vercel({ source: '/o/:id?', destination: '/n' }), ['! 1']],
    ['missing', vercel({ missing: [{ type: 'query', key: 'id', value: '7' }] }), ['! 1']],
    ['what is not known', vercel({ locale: false }), ['! 1']],
    ['a status that is none', vercel({ statusCode: 200 }), ['! 1']],
  ],
  cloudflare: [
    ['a status', '/o /n 301', ['/o /n']],
    ['no status', '/o /n', ['/o /n 302']],
    ['another page in its place', '/o /n 200', ['! 1']],
    ['a placeholder', '/o/:id /n/:id', ['/o/:id /n/:id 302']],
    ['a splat', '/o/* /n/:splat', ['/o/* /n/* 302']],
  ],
};

describe('a file of a server whose rules are written alone', () => {
  for (const [name, format, text] of [
    ['Caddyfile', undefined, '# rules'],
    ['conf/site.caddyfile', undefined, '# rules'],
    ['haproxy.cfg', undefined, '# rules'],
    ['etc/haproxy.conf', undefined, '# rules'],
    ['dynamic.yml', undefined, '# rules'],
    ['pasted', undefined, '@old path /old\nredir @old /new'],
    ['pasted', undefined, 'a.example {\n  redir /old /new 301\n}'],
    ['pasted', undefined, 'http-request redirect location /new if { path /old }'],
    ['pasted', undefined, 'http:\n  middlewares: {}'],
    ['dynamic.toml', undefined, '[http.middlewares.old.redirectRegex]\nregex = "^/old$"'],
    ['dynamic.json', 'vercel', '{"http": {"middlewares": {}}}'],
  ] as const)
    it(`is refused, and what to bring is said: ${name} ${text.slice(0, 30)}`, () => {
      const file = new RedirectFile(name, format);
      const read = (): unknown => [...text.split('\n').flatMap((line) => file.push(line)), ...file.end()];
      expect(read).to.throw(OperatorError, /written by `redirects export`, and not read: bring them as CSV/);
    });
});

describe('a file with the name of such a server, but the rules of another', () => {
  for (const [name, text] of [
    ['Caddyfile.csv', 'old,new\n/old,/new'],
    ['haproxy.csv', 'old,new\n/redir ,/new'],
    ['haproxy/behind.conf', 'location = /old { return 301 /new; }'],
    ['haproxy-to-nginx.conf', 'location = /old { return 301 /new; }'],
  ] as const)
    it(`is read: ${name}`, () => {
      const file = new RedirectFile(name);
      const kinds = [...text.split('\n').flatMap((line) => file.push(line)), ...file.end()].map(({ kind }) => kind);
      expect(kinds).to.include('redirect').and.not.include('skipped');
    });
});

describe('what stands around a rule is kept with it, or the rule is refused in its line', () => {
  for (const { what, text, rules } of casesOf(IIS))
    it(`iis: ${what}`, () => {
      expect(readRules('iis', toWebConfig(text))).to.deep.equal(rules);
    });

  for (const [format, constructs] of Object.entries(CONSTRUCTS))
    for (const [what, text, kept] of constructs)
      it(`${format}: ${what}`, () => {
        expect(readRules(format as RedirectFormat, text)).to.deep.equal(kept);
      });

  it('netlify.toml: conditions', () => {
    const file = new RedirectFile('netlify.toml');
    const text = `[[redirects]]
from = "/o"
to = "/n"
force = true
[[redirects]]
from = "/p"
to = "/n"
conditions = {Country = ["de"]}
[[redirects]]
from = "/q"
to = "/n"
status = 200`;
    const rules = [...text.split('\n').flatMap((line) => file.push(line)), ...file.end()];
    expect(rules.map(({ kind, line }) => `${kind} ${line}`)).to.deep.equal(['redirect 1', 'skipped 5', 'skipped 9']);
  });
});
