import { expect } from 'chai';
import type { RedirectFormat } from '#src/rule-formats/read/redirect-file.js';
import { readRules } from '../../support/read-rules.js';
import { casesOf } from '../cases.js';

/** Each construct that can stand around a rule or in it: kept with its meaning, or refused in its line. */
const CONSTRUCTS = {
  nginx: String.raw`
    a server => server {\n  rewrite ^/o$ /n permanent;\n} => /o /n
    http and server => http {\n server {\n location = /o { return 301 /n; }\n }\n} => /o /n
    if of an argument => if ($arg_id = 7) {\n  rewrite ^/o$ /n? permanent;\n} => /o?id=7 /n
    if of a host => if ($host != www.example.com) {\n  rewrite ^/o$ /n permanent;\n} => ! 2
    if with return => if ($http_cookie ~ "a") { return 301 /n; } => ! 1
    if of the request => if ($request_uri ~ "^/o$") { return 301 /n; } => /o /n
    if of the request, rewriting all => if ($request_uri ~ "^/o$") { rewrite ^ /n permanent; } => /o /n
    if of the request, rewriting one => if ($request_uri ~ "^/o$") { rewrite ^/p$ /n permanent; } => ! 1
    location = => location = /o {\n rewrite ^ /n permanent;\n} => /o /n
    location of another path => location = /o {\n rewrite ^/p$ /n permanent;\n} => ! 2
    location of a folder => location /o/ {\n rewrite ^/o/x$ /n permanent;\n} => /o/x /n
    location of another folder => location /p/ {\n rewrite ^/o/x$ /n permanent;\n} => ! 2
    location by expression => location ~ "^/o/" {\n rewrite ^/o/x$ /n permanent;\n} => /o/x /n
    location by an ending => location ~ \.php$ {\n rewrite ^/o\.php$ /n permanent;\n} => ! 2
    location ~* => location ~* ^/o$ {\n rewrite ^/o$ /n permanent;\n} => ! 2
    a named location => location @o {\n rewrite ^/o$ /n permanent;\n} => ! 2
    locations in locations => location /o/ {\n location = /o/x { return 301 /n; }\n} => /o/x /n
    if in a location => location = /o {\n if ($arg_a) { return 301 /n; }\n} => ! 2
    behind an if => location = /o {\n if ($arg_a) { return 403; }\n return 301 /n;\n} => ! 3
    location in an unknown block => server {\n limit_except GET { rewrite ^/o$ /n permanent; }\n} => ! 2
    a map of paths => map $uri $new { /o /n; } => /o /n
    a map of something else => map $http_referer $new {\n https://a.example/ /n;\n} => ! 2
    a map that says no path => map $http_upgrade $connection { default upgrade; "" close; } =>
    a default of a map => map $uri $new {\n default /n;\n} => ! 2
    a file of a map => map $uri $new {\n include old.map;\n} => ! 2
    a map in a location => map $uri $new { /o /n; }\nlocation /x/ {\n if ($new) { return 301 $new; }\n} => ! 3 | /o /n
    a map that is answered by 302 => map $uri $new { /o /n; }\nif ($new) { return 302 $new; } => /o /n 302
    a map of one host => map $uri $new { /o /n; }\nserver {\n server_name a.example;\n if ($new) { return 301 $new; }\n} => a.example/o /n
    a path of a map with a colon => map $uri $new { /o/:id /n; } => /o/%3Aid /n
    302 => location = /o { return 302 /n; }\nrewrite ^/p$ /n redirect;\nrewrite ^/q$ https://a.example/; => /o /n 302 | /p /n 302 | /q https://a.example/ 302
    a url alone => location = /o { return https://a.example/n; } => /o https://a.example/n 302
    308 and 451 => location = /o { return 308 /n; }\nlocation = /p { return 451; } => /o /n 308 | /p gone 451
    names of a server => server {\n server_name a.example b.example;\n location = /o { return 301 /n; }\n}\nrewrite ^/p$ /n permanent; => a.example/o /n | b.example/o /n | /p /n
    a server of any name => server {\n server_name _;\n rewrite ^/o$ /n permanent;\n} => /o /n
    a server by expression => server {\n server_name ~^(www\.)?a\.example$;\n rewrite ^/o$ /n permanent;\n} => a.example/o /n | www.a.example/o /n
    a server of many names => server {\n server_name *.a.example;\n rewrite ^/o$ /n permanent;\n} => ! 3
    a name behind the rules => server {\n rewrite ^/o$ /n permanent;\n server_name a.example;\n} => /o /n | ! 3
    if of one host => if ($host = a.example) {\n rewrite ^/o$ /n permanent;\n} => a.example/o /n
    if of a host of another server => server {\n server_name b.example;\n if ($host = a.example) { rewrite ^/o$ /n permanent; }\n} => ! 3
    an argument in a location => location = /o {\n if ($arg_id = 7) { return 301 /n; }\n return 301 /m;\n} => /o?id=7 /n | /o /m
    two arguments => location = /o {\n if ($args ~ "(^|&)id=7(&|$)") {\n if ($arg_a = 1) { return 301 /n; }\n}\n} => /o?id=7&a=1 /n
    an argument of a folder => location /o/ {\n if ($arg_id = 7) { rewrite ^/o/(.*)$ /n/$1? permanent; }\n} => /o/*?id=7 /n/:splat
    behind an argument that is refused => location = /o {\n if ($arg_id = 7) { return 403; }\n return 301 /m;\n} => ! 2 | ! 3
    arguments that are passed on => location = /o { return 301 /n$is_args$args; }\nlocation = /p { return 301 /n?$args; } => /o /n passes | /p /n passes
    a comment => # rewrite ^/o$ /n permanent; =>
    a status that is none => location = /o { return 404 /n; } => ! 1
    directives around a map => map_hash_bucket_size 256;\nmap_hash_max_size 4096; # for long paths\nabsolute_redirect off;\nmap $uri $to {\n /o /n;\n} => /o /n
`,
  apache: String.raw`
    If => <If "%{HTTP_HOST} == 'a.example'">\nRedirect 301 /o /n\n</If> => ! 2
    Else => <Else>\nRedirect 301 /o /n\n</Else>\nRedirect 301 /p /n => ! 2 | /p /n | /p/* /n/*
    IfModule => <IfModule mod_rewrite.c>\nRewriteRule ^o$ /n [R=301,L]\n</IfModule> => /o /n
    IfModule alias_module => <IfModule alias_module>\nRedirect /o /n\n</IfModule> => /o /n 302 | /o/* /n/* 302
    no module => <IfModule !mod_rewrite.c>\nRedirect /o /n\n</IfModule> => ! 2
    IfDefine => <IfDefine TESTING>\nRedirect 301 /o /n\n</IfDefine> => ! 2
    VirtualHost => <VirtualHost *:80>\nRedirect 301 /o /n\n</VirtualHost> => /o /n | /o/* /n/*
    Location => <Location "/s">\nRedirect 301 /s/o /n\nRedirect 301 /o /n\n</Location> => /s/o /n | /s/o/* /n/* | ! 3
    Location itself => <Location "/s/">\nRedirect 301 /n\n</Location> => /s/ /n | /s/* /n
    Location, RewriteRule => <Location "/s">\nRewriteRule ^o$ /n [R=301,L]\n</Location> => ! 2
    LocationMatch => <LocationMatch "^/s">\nRedirect 301 /s/o /n\n</LocationMatch> => ! 2
    Directory => <Directory "/var/www">\nRewriteRule ^o$ /n [R=301,L]\n</Directory> => ! 2
    Directory of the site => DocumentRoot "/var/www"\n<Directory "/var/www/s">\nRewriteRule ^o$ n [R=301,L]\n</Directory> => /s/o /s/n
    Files => <Files "o.html">\nRedirect 301 /o.html /n\n</Files> => ! 2
    nested => <IfModule mod_alias.c>\n<If "true">\nRedirect /o /n\n</If>\nRedirect /p /n\n</IfModule> => ! 3 | /p /n 302 | /p/* /n/* 302
    RewriteBase => RewriteBase /b/\nRewriteRule ^o$ /n [R=301,L]\nRewriteRule ^p$ q [R,L] => /b/o /n | /b/p /b/q 302
    RewriteBase, all => RewriteBase /b/\nRewriteRule ^(.*)$ /n/$1 [R=301,L] => /b/* /n/*
    RewriteBase, below => RewriteRule ^o$ /n [R=301,L]\nRewriteBase /b/ => /b/o /n
    RewriteBase of a section => <Location /p>\nRewriteBase /b/\n</Location>\nRewriteRule ^o$ /n [R=301,L] => /o /n
    RewriteEngine off => RewriteEngine Off\nRewriteRule ^o$ /n [R=301,L]\nRedirect /p /n => /p /n 302 | /p/* /n/* 302
    RewriteEngine off, below => RewriteEngine On\nRewriteRule ^o$ /n [R=301,L]\nRedirect /p /n\nRewriteEngine off => /p /n 302 | /p/* /n/* 302 | ! 2
    RewriteEngine off, and on again => RewriteEngine Off\nRewriteRule ^o$ /n [R=301,L]\nRewriteEngine On\nRewriteRule ^p$ /n [R=301,L] => /o /n | /p /n
    RewriteEngine off in a host => <VirtualHost *:80>\nRewriteRule ^/o$ /n [R,L]\nRewriteEngine off\n</VirtualHost>\nRewriteRule ^/p$ /n [R,L] => ! 2 | /p /n 302
    RewriteEngine off around IfModule => <IfModule mod_rewrite.c>\nRewriteRule ^o$ /n [R=301,L]\n</IfModule>\nRewriteEngine off => ! 2
    a host => RewriteCond %{HTTP_HOST} ^a\.example$\nRewriteRule ^o$ /n [R=301,L] => a.example/o /n
    a query => RewriteCond %{QUERY_STRING} ^id=1$\nRewriteRule ^o$ /n? [R=301,L] => /o?id=1 /n
    no query => RewriteCond %{QUERY_STRING} !^id=1$\nRewriteRule ^o$ /n? [R=301,L] => ! 2
    OR => RewriteCond %{QUERY_STRING} ^id=1$ [OR]\nRewriteCond %{QUERY_STRING} ^id=2$\nRewriteRule ^o$ /n? [R=301,L] => /o?id=1 /n | /o?id=2 /n
    two at once => RewriteCond %{QUERY_STRING} ^id=1$\nRewriteCond %{HTTPS} off\nRewriteRule ^o$ /n? [R=301,L] => ! 3
    C => RewriteRule ^o$ /p [C,R]\nRewriteRule ^p$ /n [R=301,L]\nRewriteRule ^q$ /n [R] => ! 1 | ! 2 | /q /n 302
    S => RewriteRule ^x - [S=1]\nRewriteRule ^o$ /n [R=301,L]\nRewriteRule ^q$ /n [R] => ! 1 | ! 2 | /q /n 302
    N => RewriteRule ^o$ /n [R=301,N] => ! 1
    F => RewriteRule ^o$ - [F] => ! 1
    G => RewriteRule ^o$ - [G] => /o gone
    P => RewriteRule ^o$ http://b.example/n [P] => ! 1
    308, 451 and temp => RewriteRule ^o$ /n [R=308]\nRewriteRule ^p$ - [R=451]\nRedirect temp /q /n\nRedirect seeother /r /n\nRedirectPermanent /s /n\nRedirect 451 /t => /q /n 302 | /q/* /n/* 302 | /r /n 303 | /r/* /n/* 303 | /s /n | /s/* /n/* | /t gone 451 | /t/* gone 451 | /o /n 308 | /p gone 451
    names of a host => <VirtualHost *:80>\nServerName a.example:80\nServerAlias www.a.example\nRedirect 301 /o /n\nRewriteRule ^/p$ /n [R=301]\n</VirtualHost>\nRedirect 301 /q /n => a.example/o /n | www.a.example/o /n | a.example/o/* /n/* | www.a.example/o/* /n/* | /q /n | /q/* /n/* | a.example/p /n | www.a.example/p /n
    a host of many names => <VirtualHost *:80>\nServerAlias *.a.example\nRedirect 301 /o /n\n</VirtualHost> => ! 3
    with www or without => RewriteCond %{HTTP_HOST} ^(www\.)?a\.example$ [NC]\nRewriteRule ^o$ /n [R=301,L] => a.example/o /n | www.a.example/o /n
    another host => RewriteCond %{HTTP_HOST} !^a\.example$\nRewriteRule ^o$ /n [R=301,L] => ! 2
    a host and a query => RewriteCond %{HTTP_HOST} ^a.example$ [OR]\nRewriteCond %{HTTP_HOST} ^b.example$\nRewriteCond %{QUERY_STRING} (^|&)id=7(&|$)\nRewriteRule ^o$ /n? [R=301,L] => a.example/o?id=7 /n | b.example/o?id=7 /n
    a part of a query => RewriteCond %{QUERY_STRING} id=7\nRewriteRule ^o$ /n? [R=301,L] => ! 2
    a part of a condition => RewriteCond %{QUERY_STRING} ^id=7$\nRewriteRule ^o$ /n/%1? [R=301,L] => ! 2
    dates => RewriteCond %{TIME} >20260101000000\nRewriteCond %{TIME} <20260201000000\nRewriteRule ^o$ /n [R=301] => /o /n from 2026-01-01T00:00:00.000Z until 2026-02-01T00:00:00.000Z
    QSA and QSD => RewriteRule ^o$ /n [R=301,QSA]\nRewriteRule ^p$ /n [R=301,QSD]\nRewriteRule ^q$ /n?%{QUERY_STRING} [R=301] => /o /n passes | /p /n | /q /n passes
    a status that is none => RewriteRule ^o$ /n [R=404]\nRedirect 404 /p /n => ! 2 | ! 1
    a comment => # Redirect 301 /o /n =>
`,
};

describe('what stands around a rule is kept with it, or the rule is refused in its line: nginx, Apache', () => {
  for (const [format, constructs] of Object.entries(CONSTRUCTS))
    for (const { what, text, rules } of casesOf(constructs))
      it(`${format}: ${what}`, () => {
        expect(readRules(format as RedirectFormat, text)).to.deep.equal(rules);
      });
});
