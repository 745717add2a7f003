import { expect } from 'chai';
import { RedirectFile, type RedirectFormat } from '#src/rule-formats/read/redirect-file.js';
import { casesOf } from '../cases.js';

/** Reads a file; returns a text for each of its rules. */
function read(text: string, name = 'rules', format?: RedirectFormat): string[] {
  const file = new RedirectFile(name, format);
  return [...text.split('\n').flatMap((line) => file.push(line)), ...file.end()].flatMap((rule) => {
    if (rule.kind === 'redirect') return [`${rule.from} ${rule.to}`];
    if (rule.kind === 'wildcard') return [`${rule.from}* ${rule.to}${rule.keepsRest ? '*' : ''}`];
    return rule.kind === 'nothing' ? [] : [rule.kind];
  });
}

const WRITTEN = String.raw`
  Netlify => /old/* /new/:splat 301!\n/gone/*  /about\n/shop id=7 /tea 301 => /old/* /new/* | /gone/* /about | /shop?id=7 /tea
  nginx => rewrite ^/old/(.*)$ /new/$1 permanent; => /old/* /new/*
  nginx => location ^~ /old/ {\n  rewrite ^/old/(.*)$ /new/$1? permanent;\n} => /old/* /new/*
  nginx => server {\n  listen 80;\n  location /old/ { return 301 /about; }\n  location = /a { return 301 $scheme://$host/b; }\n} => /old/* /about | /a /b
  nginx => location = "/a b\"c;d}" { return 301 /b; } # a comment } => /a b"c;d} /b
  nginx => location = /z1 { return 301 /new/a; } location = /z2 { return 301 /new/b; } => /z1 /new/a | /z2 /new/b
  nginx => rewrite ^/z6$ /new/a permanent; rewrite ^/z7$ /new/b permanent; rewrite ^/z8$ /c; => /z6 /new/a | /z7 /new/b | skipped
  nginx => rewrite ^/z6$ /new/a permanent => /z6 /new/a
  nginx => map $uri $new { /a /new/a; ~^/b/(.*)$ /c/$1; b.example /x; } => /a /new/a | /b/* /c/* | refused
  nginx => map $uri $new { default ""; /a /new/a;\n"/b c" /new/b\n/d\n  /new/d; } => /a /new/a | /b c /new/b | /d /new/d
  nginx => location = /z4\n\n# here\n{\n  return 301\n    /new/a;\n}\nlocation = /z5\n{ return 301 /b } => /z4 /new/a | /z5 /b
  nginx => map $uri $new\n{\n  /a /b;\n}\nserver\n{\n  if ($new) { return 301 $new; }\n} => /a /b
  nginx => server { if ($new_uri != "") { return 301 $scheme://$host$New_uri; } if ($new_uri) { rewrite ^ $new_uri permanent; } }\nmap $request_uri $new_uri { /a /b; } => /a /b
  nginx => map $uri $new { /a /b; }\nif ($other) { return 301 $other; }\nif ($new) { return 301 /all; } => skipped | /a /b | skipped
  nginx => if ($new) { return 301 https://elsewhere.example$new; }\nmap $uri $new { /a /b; } => skipped | /a /b
  nginx => location /x {\n return 301 /b => refused
  lines => http://old.example/a /b 301\nhttps://old.example/c /d => http://old.example/a /b | https://old.example/c /d
  nginx => location /old { return 301 /about; } => skipped
  nginx => server { return 301 https://$host$request_uri; } => skipped
  nginx => location /old/ { return 301 /new$request_uri; } => skipped
  nginx => map $uri $to {\n  ~^/old/(.*)$ /new/$1;\n} => /old/* /new/*
  Apache => RedirectMatch 301 ^/old/(.*)$ https://x.example/new/$1 => /old/* https://x.example/new/*
  Apache => RewriteEngine On\nRewriteRule ^old/(.*)$ /new/$1 [R=301,L] => /old/* /new/*
  Apache => RewriteCond %{QUERY_STRING} ^id=7$\nRewriteRule ^shop$ /tea? [L,R=301]\nRewriteRule ^b$ /c [R] => /shop?id=7 /tea | /b /c
  Apache => RewriteCond %{HTTPS} off\nRewriteRule ^(.*)$ https://x.example/$1 [R=301,L] => skipped
  Apache => Redirect 301 "/a b" "/c" => /a b /c | /a b/* /c/*
`;

describe('rules as people write them', () => {
  for (const { what, text, rules } of casesOf(WRITTEN)) {
    it(`are read: ${what}, ${JSON.stringify(text.slice(0, 60))}`, () => {
      expect(read(text)).to.deep.equal(rules);
    });
  }

  it('are read from vercel.json', () => {
    const redirects = [
      { source: '/old', destination: '/new', permanent: true },
      { source: '/blog/:path*', destination: '/news/:path*' },
      { source: '/all/(.*)', destination: '/about' },
      { source: '/shop', has: [{ type: 'query', key: 'id', value: '7' }], destination: '/tea' },
      { source: '/de', has: [{ type: 'header', key: 'x-country' }], destination: '/about' },
      { source: '/:year(\\d+)/:slug', destination: '/:slug' },
    ];
    const rules = ['/old /new', '/blog/* /news/*', '/all/* /about', '/shop?id=7 /tea', 'skipped', 'pattern'];
    for (const text of [JSON.stringify({ redirects }, null, 2), JSON.stringify({ redirects })])
      expect(read(text, 'vercel.json')).to.deep.equal(rules);
  });

  it('are read from web.config', () => {
    const config = `<?xml version="1.0"?>
<configuration><system.webServer><rewrite><rules>
  <rule name="a" stopProcessing="true"><match url="^old/(.*)$" /><action type="Redirect" url="/new/{R:1}" /></rule>
  <rule name="b"><match url="^shop$" /><conditions><add input="{QUERY_STRING}" pattern="^id=7$" /></conditions><action type="Redirect" url="/tea?a=1&amp;b=2" /></rule>
  <rule name="c"><match url="(.*)" /><action type="Rewrite" url="index.php" /></rule>
</rules></rewrite></system.webServer></configuration>`;
    expect(read(config, 'web.config')).to.deep.equal(['/old/* /new/*', '/shop?id=7 /tea?a=1&b=2', 'skipped']);
  });

  it('are refused in words where a document is none', () => {
    for (const [name, text] of [
      ['vercel.json', '{"redirects": ['],
      ['vercel.json', '{"rewrites": []}'],
      ['vercel.json', '{\n  "redirects": [],\n}'],
    ] as const)
      expect(() => read(text, name), text).to.throw(new RegExp(`^${name}:\\d+: `));
  });
});
