import { expect } from 'chai';
import { pathKey } from '#src/text/paths/plain-path.js';
import { readRedirect, type ParsedRule } from '#src/rule-formats/read-redirect.js';
import { RedirectFile } from '#src/rule-formats/read/redirect-file.js';

const readIn = (file: RedirectFile, line: string): ParsedRule | { refused: string } | undefined => {
  const [rule, ...otherRules] = [...file.push(line), ...file.end()];
  expect(otherRules).to.deep.equal([]);
  return rule && readRedirect(rule);
};
const read = (line: string): ParsedRule | { refused: string } | undefined =>
  readIn(new RedirectFile('redirects.txt'), line);

describe('a line of a file of redirects', () => {
  for (const [line, oldPath, path] of [
    ['{"path": "/old", "expected": "/new"}', '/old', '/new'],
    ['\uFEFF{"path": "/old", "expected": "/new", "kind": "moved", "n": 3}', '/old', '/new'],
    ['{"path": "/old", "expected": "https://shop.example/new?id=1"}', '/old', '/new?id=1'],
    ['{"path": "/$1", "expected": "/price:id"}', '/$1', '/price:id'],
    ['/old /new', '/old', '/new'],
    ['  /old\t\t/new   301  ', '/old', '/new'],
    ['/old /new 301!', '/old', '/new'],
    ['/old?id=7 /new # by hand', '/old?id=7', '/new'],
    ['https://shop.example/old?a=1 https://shop.example/new', '/old?a=1', '/new'],
  ] as const) {
    it(`is read: ${line.trim()}`, () => {
      const redirect = read(line);
      if (!redirect || 'refused' in redirect) expect.fail(redirect?.refused ?? 'nothing');
      if (redirect.kind !== 'exact') expect.fail('of more paths than one');
      expect(redirect).to.include({ action: 'redirect', path: oldPath });
      expect(redirect.target?.path).to.equal(path);
    });
  }

  for (const line of [
    '{"path": "/old", "status": 410}',
    '/old 410',
    'https://shop.example/old gone',
    '/old /404.html 410!',
    'RedirectMatch 410 ^/old$',
    'RewriteRule ^old$ - [G,L]',
    'RewriteRule ^/old/?$ - [L,R=410]',
    'location = /old { return 410; }',
  ]) {
    it(`says that a path is gone: ${line}`, () => {
      const parsedRule = read(line);
      expect(parsedRule).to.include({ kind: 'exact', action: 'gone', target: null });
      expect(parsedRule)
        .to.have.property('path')
        .that.matches(/^\/old\/?$/);
    });
  }

  for (const line of [
    '{"path": "/old/*", "status": 410}',
    '/old/* 410',
    'RedirectMatch gone ^/old/.*$',
    'RewriteRule "^/?old/.*$" "-" [G,L]',
    'location ^~ "/old/" { return 410; }',
  ]) {
    it(`says that all below a path is gone: ${line}`, () => {
      expect(read(line)).to.deep.equal({
        kind: 'wildcard',
        path: '/old/',
        action: 'gone',
        target: null,
        keepsRest: false,
      });
    });
  }

  it('says that a path, or all below one, is not worth a redirect', () => {
    expect(read('{"path": "/wp-login.php", "action": "ignore"}')).to.deep.equal({
      kind: 'exact',
      path: '/wp-login.php',
      action: 'ignore',
      target: null,
    });
    expect(read('{"path": "/wp/*", "action": "ignore"}')).to.deep.include({ kind: 'wildcard', path: '/wp/' });
  });

  it('may have any number in its path, or two', () => {
    for (const line of ['/blog/:number/* /news/:splat', 'rewrite ^/blog/[0-9]+/(.*)$ /news/$1 permanent;'])
      expect(read(line), line).to.deep.include({ kind: 'wildcard', path: '/blog/:number/', keepsRest: true });
    for (const line of ['/blog/:number/:number/* /news', 'RedirectMatch 301 ^/blog/[0-9]+/[0-9]+/.*$ /news'])
      expect(read(line), line).to.deep.include({ kind: 'wildcard', path: '/blog/:number/:number/', keepsRest: false });
  });

  it('of a table is a redirect, gone, or left for review', () => {
    const table = new RedirectFile('map.csv');
    const read = (row: string): unknown => readIn(table, row);
    expect(read('old,new,score,action')).to.equal(undefined);
    expect(read('/a,/b,0.95,redirect')).to.deep.include({ action: 'redirect', path: '/a' });
    expect(read('/c,/b,0.31,gone')).to.deep.equal({ kind: 'exact', action: 'gone', target: null, path: '/c' });
    expect(read('/f,,,ignore')).to.deep.include({ path: '/f', action: 'ignore' });
    expect(read('/d,/b,0.62,review'), 'not decided yet').to.equal(undefined);
    expect(read('/e,,,')).to.have.property('refused').that.includes('without a new address');
    expect(read('nowhere,,,gone')).to.have.property('refused').that.includes('slash');
  });

  for (const line of ['', '   ', '# /old /new', '\uFEFF']) {
    it(`says nothing: ${JSON.stringify(line)}`, () => {
      expect(read(line)).to.equal(undefined);
    });
  }

  for (const [line, words] of [
    ['{"path": "/old"', 'not valid JSON'],
    ['{"path": "/old"}', 'expected'],
    ['{"path": 7, "expected": "/new"}', 'path'],
    ['{"path": "/a\\u0000b", "expected": "/new"}', 'U+0000'],
    ['{"path": "old", "expected": "/new"}', 'slash'],
    ['{"path": "/old", "expected": "new"}', 'slash'],
    ['{"path": "/old", "expected": "ftp://shop.example/new"}', 'slash'],
    [`{"path": "/${'x'.repeat(2_048)}", "expected": "/new"}`, 'path'],
    ['/old', 'neither'],
    ['/old /new y z', '"y z" says nothing'],
    ['/old /new 301 302', '"302" says nothing'],
    ['/old /my new page', '"new page" says nothing'],
    ['/old /new 301 Language=en', 'some visitors only'],
    ['/* 410', 'pattern'],
    ['/old/*/:id 410', 'pattern'],
    ['RedirectMatch gone ^/old', 'pattern'],
    ['{"path": "old", "status": 410}', 'slash'],
    ['{"status": 410}', 'path'],
    ['/old /new 404', 'not a redirect'],
    ['/old/*/x /new/:splat', 'pattern'],
    ['/* /new/:splat', 'pattern'],
    ['/old/$1 /new', 'pattern'],
    ['{"path": "/old/*/x", "expected": "/new"}', 'pattern'],
    ['/a\u0000b /new', 'U+0000'],
    [`/${'x'.repeat(2_048)} /new`, 'path'],
  ] as const) {
    it(`is refused, in words: ${line.slice(0, 60)}`, () => {
      expect(read(line)).to.have.property('refused').that.includes(words);
    });
  }
});

describe('the key of a path', () => {
  const same = (a: string, b: string): boolean => pathKey(a).equals(pathKey(b));

  it('is one for all spellings of a path', () => {
    for (const other of `/Help/returns /help/returns/ /help/returns.html /help/returns/index.php
      //help//returns#top https://shop.example/help/returns /help/%72eturns`.split(/\s+/)) {
      expect(same('/help/returns', other), other).to.be.true;
    }
    expect(same('/my_page-', '/my-page')).to.be.true;
    expect(same('/a', 'https://shop.example/a?')).to.be.true;
  });

  it('tells paths and query strings apart', () => {
    for (const other of ['/help', '/help/return', '/helpreturns', '/help/returns?id=1'])
      expect(same('/help/returns', other), other).to.be.false;
    expect(same('/page?id=1', '/page?id=2')).to.be.false;
    expect(same('/Page.php?id=1', '/page?id=1')).to.be.true;
  });
});

describe('lines of Redirect of Apache', () => {
  const kinds = (lines: readonly string[]): Record<string, number> => {
    const file = new RedirectFile('.htaccess');
    const counts: Record<string, number> = {};
    for (const { kind } of [...lines.flatMap((line) => file.push(line)), ...file.end()])
      counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  };
  const lines = (count: number, end: string): string[] =>
    Array.from({ length: count }, (_, at) => `Redirect 301 /old-${at}${end} /new-${at}${end}`);

  it('are one rule where nothing is below a file', () => {
    expect(kinds(lines(1_200, '.html'))).to.deep.equal({ redirect: 1_200 });
  });

  it('take along what is below 500 of them at most, and one word says so of the others', () => {
    expect(kinds(lines(500, ''))).to.deep.equal({ redirect: 500, wildcard: 500 });
    expect(kinds(lines(900, '/'))).to.deep.equal({ redirect: 900, wildcard: 500, skipped: 1 });
  });
});

describe('a wildcard whose target names more of the path than the rest at its end', () => {
  for (const line of [
    '/b/* /guides/:splat/',
    '/b/* /guides/:splat?x=1',
    '/b/* /p-:splat',
    '/b/:number/* /x/:number',
    '{"path": "/b/*", "expected": "/guides/:splat/"}',
    '{"path": "/b/:number/*", "expected": "/x/:number/"}',
    '{"path": "/b/", "match": "prefix", "expected": "/guides/:splat/"}',
  ])
    it(`is a pattern: ${line}`, () => {
      expect(read(line)).to.have.property('kind', 'pattern');
    });
});
