import { expect } from 'chai';
import { readRedirect } from '#src/rule-formats/read-redirect.js';
import { RedirectFile, type RedirectFormat } from '#src/rule-formats/read/redirect-file.js';

/** What is kept of a file; a refused rule is `! LINE`. */
function read(format: RedirectFormat, text: string): string[] {
  const file = new RedirectFile(`rules.${format}`, format);
  return [...text.split('\n').flatMap((line) => file.push(line)), ...file.end()].flatMap((rule) => {
    const says = readRedirect(rule);
    if (!says) return [];
    if ('refused' in says) return [`! ${rule.line}`];
    if ('gonePath' in says) return [`${says.gonePath} gone`];
    if ('barePath' in says) return [`${says.barePath}* ${says.action}`];
    if ('pattern' in says) return [`${says.pattern} ${says.to ?? says.action}`];
    const to = 'href' in says.target ? says.target.href : says.target.path;
    return 'keepsRest' in says ? [`${says.oldPath}* ${to}${says.keepsRest ? '*' : ''}`] : [`${says.oldPath} ${to}`];
  });
}

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
  nginx: [
    ['a server', 'server {\n  rewrite ^/o$ /n permanent;\n}', ['/o /n']],
    ['http and server', 'http {\n server {\n location = /o { return 301 /n; }\n }\n}', ['/o /n']],
    ['if of an argument', 'if ($arg_id = 7) {\n  rewrite ^/o$ /n? permanent;\n}', ['! 2']],
    ['if of a host', 'if ($host != www.example.com) {\n  rewrite ^/o$ /n permanent;\n}', ['! 2']],
    ['if with return', 'if ($http_cookie ~ "a") { return 301 /n; }', ['! 1']],
    ['if of the request', 'if ($request_uri ~ "^/o$") { return 301 /n; }', ['/o /n']],
    ['if of the request, rewriting all', 'if ($request_uri ~ "^/o$") { rewrite ^ /n permanent; }', ['/o /n']],
    ['if of the request, rewriting one', 'if ($request_uri ~ "^/o$") { rewrite ^/p$ /n permanent; }', ['! 1']],
    ['location =', 'location = /o {\n rewrite ^ /n permanent;\n}', ['/o /n']],
    ['location of another path', 'location = /o {\n rewrite ^/p$ /n permanent;\n}', ['! 2']],
    ['location of a folder', 'location /o/ {\n rewrite ^/o/x$ /n permanent;\n}', ['/o/x /n']],
    ['location of another folder', 'location /p/ {\n rewrite ^/o/x$ /n permanent;\n}', ['! 2']],
    ['location by expression', 'location ~ "^/o/" {\n rewrite ^/o/x$ /n permanent;\n}', ['/o/x /n']],
    ['location by an ending', 'location ~ \\.php$ {\n rewrite ^/o\\.php$ /n permanent;\n}', ['! 2']],
    ['location ~*', 'location ~* ^/o$ {\n rewrite ^/o$ /n permanent;\n}', ['! 2']],
    ['a named location', 'location @o {\n rewrite ^/o$ /n permanent;\n}', ['! 2']],
    ['locations in locations', 'location /o/ {\n location = /o/x { return 301 /n; }\n}', ['/o/x /n']],
    ['if in a location', 'location = /o {\n if ($arg_a) { return 301 /n; }\n}', ['! 2']],
    ['behind an if', 'location = /o {\n if ($arg_a) { return 403; }\n return 301 /n;\n}', ['! 3']],
    ['location in an unknown block', 'server {\n limit_except GET { rewrite ^/o$ /n permanent; }\n}', ['! 2']],
    ['a map of paths', 'map $uri $new { /o /n; }', ['/o /n']],
    ['a map of something else', 'map $http_referer $new {\n https://a.example/ /n;\n}', ['! 2']],
    ['a map that says no path', 'map $http_upgrade $connection { default upgrade; "" close; }', []],
    ['a default of a map', 'map $uri $new {\n default /n;\n}', ['! 2']],
    ['a file of a map', 'map $uri $new {\n include old.map;\n}', ['! 2']],
    [
      'a map in a location',
      'map $uri $new { /o /n; }\nlocation /x/ {\n if ($new) { return 301 $new; }\n}',
      ['/o /n', '! 3'],
    ],
    ['a comment', '# rewrite ^/o$ /n permanent;', []],
    ['a status that is none', 'location = /o { return 404 /n; }', ['! 1']],
  ],
  apache: [
    ['If', '<If "%{HTTP_HOST} == \'a.example\'">\nRedirect 301 /o /n\n</If>', ['! 2']],
    ['Else', '<Else>\nRedirect 301 /o /n\n</Else>\nRedirect 301 /p /n', ['! 2', '/p /n']],
    ['IfModule', '<IfModule mod_rewrite.c>\nRewriteRule ^o$ /n [R=301,L]\n</IfModule>', ['/o /n']],
    ['IfModule alias_module', '<IfModule alias_module>\nRedirect /o /n\n</IfModule>', ['/o /n']],
    ['no module', '<IfModule !mod_rewrite.c>\nRedirect /o /n\n</IfModule>', ['! 2']],
    ['IfDefine', '<IfDefine TESTING>\nRedirect 301 /o /n\n</IfDefine>', ['! 2']],
    ['VirtualHost', '<VirtualHost *:80>\nRedirect 301 /o /n\n</VirtualHost>', ['/o /n']],
    ['Location', '<Location "/s">\nRedirect 301 /s/o /n\nRedirect 301 /o /n\n</Location>', ['/s/o /n', '! 3']],
    ['Location itself', '<Location "/s/">\nRedirect 301 /n\n</Location>', ['/s/ /n']],
    ['Location, RewriteRule', '<Location "/s">\nRewriteRule ^o$ /n [R=301,L]\n</Location>', ['! 2']],
    ['LocationMatch', '<LocationMatch "^/s">\nRedirect 301 /s/o /n\n</LocationMatch>', ['! 2']],
    ['Directory', '<Directory "/var/www">\nRewriteRule ^o$ /n [R=301,L]\n</Directory>', ['! 2']],
    [
      'Directory of the site',
      'DocumentRoot "/var/www"\n<Directory "/var/www/s">\nRewriteRule ^o$ n [R=301,L]\n</Directory>',
      ['/s/o /s/n'],
    ],
    ['Files', '<Files "o.html">\nRedirect 301 /o.html /n\n</Files>', ['! 2']],
    [
      'nested',
      '<IfModule mod_alias.c>\n<If "true">\nRedirect /o /n\n</If>\nRedirect /p /n\n</IfModule>',
      ['! 3', '/p /n'],
    ],
    ['RewriteBase', 'RewriteBase /b/\nRewriteRule ^o$ /n [R=301,L]\nRewriteRule ^p$ q [R,L]', ['/b/o /n', '/b/p /b/q']],
    ['RewriteBase, all', 'RewriteBase /b/\nRewriteRule ^(.*)$ /n/$1 [R=301,L]', ['/b/* /n/*']],
    ['RewriteBase, below', 'RewriteRule ^o$ /n [R=301,L]\nRewriteBase /b/', ['/b/o /n']],
    [
      'RewriteBase of a section',
      '<Location /p>\nRewriteBase /b/\n</Location>\nRewriteRule ^o$ /n [R=301,L]',
      ['/o /n'],
    ],
    ['RewriteEngine off', 'RewriteEngine Off\nRewriteRule ^o$ /n [R=301,L]\nRedirect /p /n', ['/p /n']],
    [
      'RewriteEngine off, below',
      'RewriteEngine On\nRewriteRule ^o$ /n [R=301,L]\nRedirect /p /n\nRewriteEngine off',
      ['/p /n', '! 2'],
    ],
    [
      'RewriteEngine off, and on again',
      'RewriteEngine Off\nRewriteRule ^o$ /n [R=301,L]\nRewriteEngine On\nRewriteRule ^p$ /n [R=301,L]',
      ['/o /n', '/p /n'],
    ],
    [
      'RewriteEngine off in a host',
      '<VirtualHost *:80>\nRewriteRule ^/o$ /n [R,L]\nRewriteEngine off\n</VirtualHost>\nRewriteRule ^/p$ /n [R,L]',
      ['! 2', '/p /n'],
    ],
    [
      'RewriteEngine off around IfModule',
      '<IfModule mod_rewrite.c>\nRewriteRule ^o$ /n [R=301,L]\n</IfModule>\nRewriteEngine off',
      ['! 2'],
    ],
    ['a host', 'RewriteCond %{HTTP_HOST} ^a\\.example$\nRewriteRule ^o$ /n [R=301,L]', ['! 2']],
    ['a query', 'RewriteCond %{QUERY_STRING} ^id=1$\nRewriteRule ^o$ /n? [R=301,L]', ['/o?id=1 /n']],
    ['no query', 'RewriteCond %{QUERY_STRING} !^id=1$\nRewriteRule ^o$ /n? [R=301,L]', ['! 2']],
    [
      'OR',
      'RewriteCond %{QUERY_STRING} ^id=1$ [OR]\nRewriteCond %{QUERY_STRING} ^id=2$\nRewriteRule ^o$ /n? [R=301,L]',
      ['/o?id=1 /n', '/o?id=2 /n'],
    ],
    [
      'two at once',
      'RewriteCond %{QUERY_STRING} ^id=1$\nRewriteCond %{HTTPS} off\nRewriteRule ^o$ /n? [R=301,L]',
      ['! 3'],
    ],
    ['C', 'RewriteRule ^o$ /p [C,R]\nRewriteRule ^p$ /n [R=301,L]\nRewriteRule ^q$ /n [R]', ['! 1', '! 2', '/q /n']],
    ['S', 'RewriteRule ^x - [S=1]\nRewriteRule ^o$ /n [R=301,L]\nRewriteRule ^q$ /n [R]', ['! 1', '! 2', '/q /n']],
    ['N', 'RewriteRule ^o$ /n [R=301,N]', ['! 1']],
    ['F', 'RewriteRule ^o$ - [F]', ['! 1']],
    ['G', 'RewriteRule ^o$ - [G]', ['/o gone']],
    ['P', 'RewriteRule ^o$ http://b.example/n [P]', ['! 1']],
    ['a status that is none', 'RewriteRule ^o$ /n [R=404]\nRedirect 404 /p /n', ['! 2', '! 1']],
    ['a comment', '# Redirect 301 /o /n', []],
  ],
  caddy: [
    ['a site', 'a.example, www.a.example {\n redir /o /n 301\n}', ['/o /n']],
    ['handle', 'a.example {\n handle {\n  redir /o /n\n }\n encode gzip\n}', ['/o /n']],
    ['handle of a folder', 'handle /o/* {\n redir /o/x /n\n redir /p /n\n}', ['/o/x /n', '! 3']],
    ['handle of a matcher', '@h host a.example\nhandle @h {\n redir /o /n\n}', ['! 3']],
    ['handle_path', 'handle_path /s/* {\n redir /o /n 301\n redir /p/* /n\n}', ['/s/o /n', '/s/p/* /n']],
    ['handle_errors', 'handle_errors {\n redir /o /n\n}', ['! 2']],
    ['route', 'route {\n redir /o /n\n}', ['/o /n']],
    ['route behind another path', 'route {\n uri strip_prefix /s\n redir /o /n\n}', ['! 3']],
    ['a snippet', '(old) {\n redir /o /n\n}', ['! 2']],
    ['nested', 'handle_path /s/* {\n handle_path /t/* {\n redir /o /n\n}\n}', ['/s/t/o /n']],
    ['paths', '@m path /o /p\nredir @m /n', ['/o /n', '/p /n']],
    ['paths and a host', '@m {\n path /o\n host a.example\n}\nredir @m /n', ['! 5']],
    ['a host and paths', '@m {\n host a.example\n path /o\n}\nredir @m /n', ['! 5']],
    ['not', '@m not path /o\nredir @m /n', ['! 2']],
    ['two expressions', '@m {\n path /o\n query id=7\n}\nredir @m /n', ['! 5']],
    ['a block of something else', 'a.example {\n log {\n  output file /o\n }\n redir /o /n\n}', ['/o /n']],
    ['gone in a block', 'handle_path /s/* {\n respond /o 410\n}', ['/s/o gone']],
    ['a status that is none', 'redir /o /n 200', ['! 1']],
    ['a comment', '# redir /o /n', []],
  ],
  haproxy: [
    ['a path', 'http-request redirect location /n if { path /o }', ['/o /n']],
    ['paths', 'http-request redirect location /n if { path /o /p }', ['/o /n', '/p /n']],
    ['a host too', 'http-request redirect location /n if { path /o } { hdr(host) -i a.example }', ['! 1']],
    ['a query', 'http-request redirect location /n if { path /o } { query -m str id=7 }', ['/o?id=7 /n']],
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
    ['no router', traefik(''), ['/o /n']],
    ['options in lower case', traefik('').replaceAll('redirectRegex', 'redirectregex'), ['/o /n']],
    [
      'options in upper case',
      traefik('').replace(/http:|middlewares|redirectRegex|regex|replacement/g, upper),
      ['/o /n'],
    ],
    [
      'a router in other letters',
      traefik(router('Host(`a.example`) && PathPrefix(`/s`)')).replace(/routers|rule:|middlewares|Regex/g, upper),
      ['! 4'],
    ],
    ['a router of hosts', traefik(router('Host(`a.example`) || Host(`b.example`)')), ['/o /n']],
    ['a router of a path', traefik(router('Host(`a.example`) && PathPrefix(`/s`)')), ['! 4']],
    ['a router of what is not', traefik(router('!Host(`a.example`)')), ['! 4']],
    ['a router of a chain', traefik(router('Headers(`a`, `b`)', 'c@file')), ['! 4']],
    ['a comment', `${traefik('')}#    old:\n#      redirectRegex: { regex: "^/p$", replacement: "/n" }\n`, ['/o /n']],
    [
      'TOML',
      '# old\n[http.middlewares.alt.redirectRegex]\n  regex = "^https?://[^/]+/o/(.*)"\n  replacement = "/n/${1}"',
      ['/o/* /n/*'],
    ],
    [
      'TOML in other letters',
      '[HTTP.middlewares.a.redirectregex]\nRegex = "^https?://[^/]+/o$"\nreplacement = "/n"\n[http2]\nx = 1',
      ['/o /n'],
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
        `<rule name="a"><match url="^o$" /><conditions><add input="{QUERY_STRING}" pattern="^id=1$" /><add input="{HTTP_HOST}" pattern="^a$" /></conditions>${IIS_TO}</rule>`,
      ),
      ['! 2'],
    ],
    [
      'MatchAny',
      iis(
        `<rule name="a"><match url="^o$" /><conditions logicalGrouping="MatchAny"><add input="{QUERY_STRING}" pattern="^id=1$" /><add input="{QUERY_STRING}" pattern="^id=2$" /></conditions>${IIS_TO}</rule>`,
      ),
      ['/o?id=1 /n', '/o?id=2 /n'],
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
      ['/o.htm https://a.example/n'],
    ],
    [
      'httpRedirect of a site',
      '<configuration>\n<system.webServer><httpRedirect enabled="true" destination="https://a.example" /></system.webServer></configuration>',
      ['! 2'],
    ],
  ],
  netlify: [
    ['a force', '/o /n 301!', ['/o /n']],
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
    ['permanent', vercel({ permanent: true }), ['/o /n']],
    ['a query', vercel({ has: [{ type: 'query', key: 'id', value: '7' }] }), ['/o?id=7 /n']],
    ['any query', vercel({ has: [{ type: 'query', key: 'id' }] }), ['! 1']],
    ['an expression', vercel({ has: [{ type: 'query', key: 'id', value: '.*' }] }), ['! 1']],
    ['a host', vercel({ has: [{ type: 'host', value: 'a.example' }] }), ['! 1']],
    ['missing', vercel({ missing: [{ type: 'query', key: 'id', value: '7' }] }), ['! 1']],
    ['what is not known', vercel({ locale: false }), ['! 1']],
    ['a status that is none', vercel({ statusCode: 200 }), ['! 1']],
  ],
  cloudflare: [
    ['a status', '/o /n 302', ['/o /n']],
    ['another page in its place', '/o /n 200', ['! 1']],
    ['a placeholder', '/o/:id /n/:id', ['! 1']],
    ['a splat', '/o/* /n/:splat', ['/o/* /n/*']],
  ],
};

describe('what stands around a rule is kept with it, or the rule is refused in its line', () => {
  for (const [format, constructs] of Object.entries(CONSTRUCTS))
    for (const [what, text, kept] of constructs)
      it(`${format}: ${what}`, () => {
        expect(read(format as RedirectFormat, text)).to.deep.equal(kept);
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
