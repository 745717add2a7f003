import { expect } from 'chai';
import { RedirectFile, type RedirectFormat } from '#src/rule-formats/read/redirect-file.js';
import { readRules } from '../../support/read-rules.js';

const iis = (...rules: string[]): string => `<configuration><system.webServer><rewrite><rules>
${rules.join('\n')}
</rules></rewrite></system.webServer></configuration>`;
const IIS_TO = '<action type="Redirect" url="/n" />';
const vercel = (more: object): string => JSON.stringify({ redirects: [{ source: '/o', destination: '/n', ...more }] });
const traefik = (routers: string): string => `http:
  middlewares:
    m:
      redirectRegex: { regex: "^https?://[^/]+/o$", replacement: "/n" }
    c:
      chain: { middlewares: [m] }
${routers}`;
const upper = (name: string): string => name.toUpperCase();
const router = (rule: string, middleware = 'm'): string =>
  `  routers:\n    r: { rule: "${rule}", middlewares: [${middleware}] }\n`;

/** Each construct that can stand around a rule or in it: kept with its meaning, or refused in its line. */
const CONSTRUCTS: Partial<Record<RedirectFormat, [what: string, text: string, kept: string[]][]>> = {
  caddy: [
    ['a site', 'a.example, www.a.example {\n redir /o /n 301\n}', ['a.example/o /n', 'www.a.example/o /n']],
    ['handle', 'a.example {\n handle {\n  redir /o /n\n }\n encode gzip\n}', ['a.example/o /n 302']],
    ['handle of a folder', 'handle /o/* {\n redir /o/x /n\n redir /p /n\n}', ['/o/x /n 302', '! 3']],
    ['handle of a matcher', '@h host a.example\nhandle @h {\n redir /o /n\n}', ['a.example/o /n 302']],
    ['handle_path', 'handle_path /s/* {\n redir /o /n 301\n redir /p/* /n\n}', ['/s/o /n', '/s/p/* /n 302']],
    ['handle_errors', 'handle_errors {\n redir /o /n\n}', ['! 2']],
    ['route', 'route {\n redir /o /n\n}', ['/o /n 302']],
    ['route behind another path', 'route {\n uri strip_prefix /s\n redir /o /n\n}', ['! 3']],
    ['a snippet', '(old) {\n redir /o /n\n}', ['! 2']],
    ['nested', 'handle_path /s/* {\n handle_path /t/* {\n redir /o /n\n}\n}', ['/s/t/o /n 302']],
    ['paths', '@m path /o /p\nredir @m /n', ['/o /n 302', '/p /n 302']],
    ['paths and a host', '@m {\n path /o\n host a.example\n}\nredir @m /n', ['a.example/o /n 302']],
    ['a host and paths', '@m {\n host a.example\n path /o\n}\nredir @m /n', ['a.example/o /n 302']],
    ['not', '@m not path /o\nredir @m /n', ['! 2']],
    ['a path and a query', '@m {\n path /o\n query id=7 a=1\n}\nredir @m /n', ['/o?id=7&a=1 /n 302']],
    ['one of two values', '@m {\n path /o\n query id=7 id=8\n}\nredir @m /n', ['! 5']],
    ['a host without a path', '@m host a.example\nredir @m /n', ['! 2']],
    [
      'too many hosts',
      `@m {\n path /o\n host ${Array.from({ length: 21 }, (_, at) => `h${at}.example`).join(' ')}\n}\nredir @m /n`,
      ['! 5'],
    ],
    [
      'codes',
      'redir /o /n permanent\nredir /p /n temporary\nredir /q /n 308\nredir /r /n html\nrespond /s 451',
      ['/o /n', '/p /n 302', '/q /n 308', '/r /n 302', '/s gone 451'],
    ],
    ['a query that is passed on', 'redir /o /n?{query} 301', ['/o /n passes']],
    ['a beginning', 'redir /p-* /n 301\nredir /o/:id /n 301', ['/p-* /n', '/o/%3Aid /n']],
    ['a block of something else', 'a.example {\n log {\n  output file /o\n }\n redir /o /n\n}', ['a.example/o /n 302']],
    ['gone in a block', 'handle_path /s/* {\n respond /o 410\n}', ['/s/o gone']],
    ['a status that is none', 'redir /o /n 200', ['! 1']],
    ['a comment', '# redir /o /n', []],
  ],
  haproxy: [
    ['a path', 'http-request redirect location /n if { path /o }', ['/o /n 302']],
    ['paths', 'http-request redirect location /n if { path /o /p }', ['/o /n 302', '/p /n 302']],
    [
      'a host too',
      'http-request redirect location /n if { path /o } { hdr(host) -i a.example }',
      ['a.example/o /n 302'],
    ],
    ['a query', 'http-request redirect location /n if { path /o } { query -m str id=7 }', ['/o?id=7 /n 302']],
    [
      'codes',
      'http-request redirect location /n code 308 if { path /o }\nhttp-request return status 451 if { path /p }',
      ['/o /n 308', '/p gone 451'],
    ],
    [
      'parameters, a host before the path',
      'http-request redirect code 301 location /n if { hdr(host) -i a.example b.example } { path /o } { url_param(id) 7 } { url_param(a) -m str 1 }',
      ['a.example/o?id=7&a=1 /n', 'b.example/o?id=7&a=1 /n'],
    ],
    [
      'dates',
      'http-request redirect code 301 location /n if { path /o } { date ge 1767225600 } { date() lt 1769904000 }',
      ['/o /n from 2026-01-01T00:00:00.000Z until 2026-02-01T00:00:00.000Z'],
    ],
    [
      'a query that is passed on',
      'http-request redirect code 301 location /n?%[query] if { path /o }',
      ['/o /n passes'],
    ],
    ['queries', 'http-request redirect location /n if { path /o } { query -m str id=7 id=8 }', ['! 1']],
    ['unless', 'http-request redirect location /n unless { path /o }', ['! 1']],
    ['no path', 'http-request redirect location /n if !{ path /o }', ['! 1']],
    ['not too', 'http-request redirect location /n if { path /o } !{ ssl_fc }', ['! 1']],
    ['or', 'http-request redirect location /n if { path /o } or { path /p }', ['! 1']],
    ['a name', 'http-request redirect location /n if is_old', ['! 1']],
    ['a name too', 'http-request redirect location /n if { path /o } is_old', ['! 1']],
    ['flags', 'http-request redirect location /n if { path -i /o }', ['! 1']],
    ['a file', 'http-request redirect location /n if { path -f old.lst }', ['! 1']],
    ['an ending', 'http-request redirect location /n if { path_end /o }', ['! 1']],
    ['all', 'http-request redirect location /n', ['! 1']],
    ['a comment', '# http-request redirect location /n if { path /o }', []],
  ],
  traefik: [
    ['no router', traefik(''), ['/o /n 302']],
    ['options in lower case', traefik('').replaceAll('redirectRegex', 'redirectregex'), ['/o /n 302']],
    [
      'options in upper case',
      traefik('').replace(/http:|middlewares|redirectRegex|regex|replacement/g, upper),
      ['/o /n 302'],
    ],
    [
      'a router in other letters',
      traefik(router('Host(`a.example`) && PathPrefix(`/s`)')).replace(/routers|rule:|middlewares|Regex/g, upper),
      ['! 4'],
    ],
    [
      'a router of hosts',
      traefik(router('Host(`a.example`) || Host(`b.example`)')),
      ['a.example/o /n 302', 'b.example/o /n 302'],
    ],
    ['permanent', traefik('').replace('regex:', 'permanent: true, regex:'), ['/o /n']],
    [
      'a host in the expression',
      traefik('').replace('[^/]+/o', '(www\\\\.)?a\\\\.example/(.*)').replace('"/n"', '"/n/${2}"'),
      ['! 4'],
    ],
    [
      'a host in the expression, and a folder',
      traefik('').replace('[^/]+/o', '(www\\\\.)?a\\\\.example/o/(.*)').replace('"/n"', '"/n/${2}"'),
      ['a.example/o/* /n/* 302', 'www.a.example/o/* /n/* 302'],
    ],
    [
      'a query that is passed on',
      traefik('').replace('/o$', '/o(\\\\?.*)?$').replace('"/n"', '"/n${1}"'),
      ['/o /n 302 passes'],
    ],
    ['a router of a path', traefik(router('Host(`a.example`) && PathPrefix(`/s`)')), ['! 4']],
    ['a router of what is not', traefik(router('!Host(`a.example`)')), ['! 4']],
    ['a router of a chain', traefik(router('Headers(`a`, `b`)', 'c@file')), ['! 4']],
    [
      'a comment',
      `${traefik('')}#    old:\n#      redirectRegex: { regex: "^/p$", replacement: "/n" }\n`,
      ['/o /n 302'],
    ],
    [
      'TOML',
      '# old\n[http.middlewares.alt.redirectRegex]\n  regex = "^https?://[^/]+/o/(.*)"\n  replacement = "/n/${1}"',
      ['/o/* /n/* 302'],
    ],
    [
      'TOML in other letters',
      '[HTTP.middlewares.a.redirectregex]\nRegex = "^https?://[^/]+/o$"\nreplacement = "/n"\n[http2]\nx = 1',
      ['/o /n 302'],
    ],
    [
      'a router in TOML',
      '[http.routers.r]\nrule = "Path(`/s`)"\nmiddlewares = ["m"]\n[http.middlewares.m.redirectRegex]\nregex = "^https?://[^/]+/o$"\nreplacement = "/n"',
      ['! 4'],
    ],
  ],
  iis: [
    ['a comment', iis(`<!-- <rule name="a"><match url="^o$" />${IIS_TO}</rule> -->`), []],
    ['enabled', iis(`<rule name="a" enabled="true"><match url="^o$" />${IIS_TO}</rule>`), ['/o /n']],
    ['not enabled', iis(`<rule name="a" enabled="false"><match url="^o$" />${IIS_TO}</rule>`), []],
    ['a negated match', iis(`<rule name="a"><match url="^o$" negate="true" />${IIS_TO}</rule>`), ['! 2']],
    [
      'a query',
      iis(
        `<rule name="a"><match url="^o$" /><conditions><add input="{QUERY_STRING}" pattern="^id=1$" /></conditions>${IIS_TO}</rule>`,
      ),
      ['/o?id=1 /n'],
    ],
    [
      'no query',
      iis(
        `<rule name="a"><match url="^o$" />\n<conditions><add input="{QUERY_STRING}" pattern="^id=1$" negate="true" /></conditions>${IIS_TO}</rule>`,
      ),
      ['! 2'],
    ],
    [
      'a query and a host',
      iis(
        `<rule name="a"><match url="^o$" /><conditions><add input="{QUERY_STRING}" pattern="^id=1$" /><add input="{HTTP_HOST}" pattern="^(www\\.)?a\\.example$" /></conditions>${IIS_TO}</rule>`,
      ),
      ['a.example/o?id=1 /n', 'www.a.example/o?id=1 /n'],
    ],
    [
      'MatchAny',
      iis(
        `<rule name="a"><match url="^o$" /><conditions logicalGrouping="MatchAny"><add input="{QUERY_STRING}" pattern="^id=1$" /><add input="{QUERY_STRING}" pattern="^id=2$" /></conditions>${IIS_TO}</rule>`,
      ),
      ['/o?id=1 /n', '/o?id=2 /n'],
    ],
    [
      'codes',
      iis(
        `<rule name="a"><match url="^o$" /><action type="Redirect" url="/n" redirectType="Found" appendQueryString="true" /></rule><rule name="b"><match url="^p$" /><action type="CustomResponse" statusCode="451" /></rule>`,
      ),
      ['/o /n 302 passes', '/p gone 451'],
    ],
    ['ExactMatch', iis(`<rule name="a" patternSyntax="ExactMatch"><match url="o.x" />${IIS_TO}</rule>`), ['/o.x /n']],
    ['Wildcard', iis(`<rule name="a" patternSyntax="Wildcard"><match url="o/*" />${IIS_TO}</rule>`), ['/o/* /n']],
    [
      'a location',
      `<configuration>\n<location path="s"><system.webServer><rewrite><rules><rule name="a"><match url="^o$" />${IIS_TO}</rule></rules></rewrite></system.webServer></location></configuration>`,
      ['! 2'],
    ],
    [
      'the location of all',
      `<configuration><location path="." inheritInChildApplications="false"><system.webServer><rewrite><rules><rule name="a"><match url="^o$" />${IIS_TO}</rule></rules></rewrite></system.webServer></location></configuration>`,
      ['/o /n'],
    ],
    [
      'a map alone',
      '<rewriteMaps><rewriteMap name="M">\n<add key="/o?id=5&amp;l=de" value="/n" /></rewriteMap></rewriteMaps>',
      ['/o?id=5&l=de /n'],
    ],
    [
      'a map with a rule that obeys it',
      `<configuration><rewriteMaps><rewriteMap name="M"><add key="/o" value="/n" /></rewriteMap></rewriteMaps><rules><rule name="a"><match url=".*" /><conditions><add input="{M:{REQUEST_URI}}" pattern="(.+)" /></conditions><action type="Redirect" url="{C:1}" /></rule></rules></configuration>`,
      ['/o /n'],
    ],
    [
      'a map under a condition',
      `<configuration><rewriteMaps><rewriteMap name="M">\n<add key="/o" value="/n" /></rewriteMap></rewriteMaps>\n<rules><rule name="a"><match url=".*" /><conditions><add input="{M:{REQUEST_URI}}" pattern="(.+)" /><add input="{HTTPS}" pattern="off" /></conditions><action type="Redirect" url="{C:1}" /></rule></rules></configuration>`,
      ['! 2', '! 3'],
    ],
    [
      'httpRedirect of a file',
      '<configuration><location path="o.htm"><system.webServer><httpRedirect enabled="true" destination="https://a.example/n" /></system.webServer></location></configuration>',
      ['/o.htm https://a.example/n 302'],
    ],
    [
      'httpRedirect of a site',
      '<configuration>\n<system.webServer><httpRedirect enabled="true" destination="https://a.example" /></system.webServer></configuration>',
      ['! 2'],
    ],
  ],
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

describe('what stands around a rule is kept with it, or the rule is refused in its line', () => {
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
