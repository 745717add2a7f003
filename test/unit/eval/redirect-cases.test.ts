import { expect } from 'chai';
import { OperatorError } from '#src/base/errors.js';
import { parseRules, toCases } from '../../../scripts/eval/own/redirect-cases.js';
import type { SitePage } from '../../../scripts/eval/site-data.js';

const pages: SitePage[] = ['/', '/new/', '/docs/setup', '/blog/2024/post', '/about'].map((path) => ({
  url: `https://www.site.example${path}`,
  path,
  title: '',
  content: 'text',
}));

function read(text: string, file = 'redirects.map'): { cases: [string, string][]; left: Record<string, number> } {
  const { cases, leftOut } = toCases(parseRules(text, file), pages, file);
  return {
    cases: cases.map(({ input, right }) => [input, right[0] ?? '']),
    left: Object.fromEntries(leftOut.map(({ reason, count }) => [reason, count])),
  };
}

describe('eval: a redirect map as cases', () => {
  it('reads JSON lines, with other right answers', () => {
    const text =
      '{"path": "/old", "expected": "/new/", "also_ok": ["/about"]}\n\n{"path": "https://site.example/b", "expected": "https://www.site.example/docs/setup"}\n';
    const { cases } = toCases(parseRules(text, 'r.jsonl'), pages, 'r.jsonl');
    expect(cases.map(({ input, right }) => [input, right])).to.deep.equal([
      ['/old', ['/new/', '/about']],
      ['/b', ['/docs/setup']],
    ]);
  });

  it('reads CSV with and without a header, quoted, and with semicolons; and TSV', () => {
    const expected = [
      ['/old,page', '/new/'],
      ['/b', '/about'],
    ];
    expect(read('id,Redirect from,Redirect to\r\n1,"/old,page",/new/\r\n2,/b,/about\r\n', 'r.csv').cases).to.deep.equal(
      expected,
    );
    expect(read('"/old,page",/new/\n/b,/about', 'r.csv').cases).to.deep.equal(expected);
    expect(read('from;to\n/old,page;/new/\n/b;/about\n', 'r.csv').cases).to.deep.equal(expected);
    expect(read('from,to\n"/old,page",/new/\n/gone,\n/b,/about\n', 'r.csv')).to.deep.equal({
      cases: expected,
      left: { 'without a new address in a field such as expected, to or target': 1 },
    });
    expect(read('path\texpected\n/old,page\t/new/\n/b\t/about\n', 'r.tsv').cases).to.deep.equal(expected);
  });

  it('reads lines of old and new address, with status and comments', () => {
    const text =
      '# moved in spring\n/a /new/\n\n/b   /docs/setup [301]\n/c /about 302 # for now\nhttps://site.example/d https://www.site.example/about 301\n';
    expect(read(text).cases).to.deep.equal([
      ['/a', '/new/'],
      ['/b', '/docs/setup'],
      ['/c', '/about'],
      ['/d', '/about'],
    ]);
  });

  it('follows a target that is itself redirected, to the end, and leaves circles out', () => {
    const { cases, left } = read('/a /b\n/b /c\n/c /about\n/x /y\n/y /x\n');
    expect(cases).to.deep.equal([
      ['/a', '/about'],
      ['/b', '/about'],
      ['/c', '/about'],
    ]);
    expect(Object.entries(left)).to.have.length(1);
    expect(Object.entries(left)[0]?.[0]).to.include('circle');
    expect(Object.values(left)).to.deep.equal([2]);
  });

  it('finds a target whose closing slash, index file, query string or fragment differs', () => {
    const { cases } = read('/a /new\n/b /docs/setup/\n/c /about?from=c\n/d /new/index.html#top\n');
    expect(cases.map(([, page]) => page)).to.deep.equal(['/new/', '/docs/setup', '/about', '/new/']);
  });

  it('counts what leads to another site or to no page, begins at a live page, or comes twice, and says on which lines', () => {
    const text =
      '/a https://elsewhere.example/about\n/b //elsewhere.example/about\n/c /nowhere\n/about /new/\n/d /new/\n/d /about\nhttps://elsewhere.example/e /new/\n';
    const { cases, leftOut } = toCases(parseRules(text, 'm.txt'), pages, 'm.txt');
    expect(cases.map(({ input }) => input)).to.deep.equal(['/d']);
    const summaries = Object.fromEntries(
      leftOut.map(({ reason, count, examples }) => [
        reason,
        `${count} ${examples.map((example) => example.split(' ')[0]).join()}`,
      ]),
    );
    expect(summaries).to.deep.equal({
      'of another site': '1 m.txt:7:',
      'the same old path again': '1 m.txt:6:',
      'leads to another site': '2 m.txt:1:,m.txt:2:',
      'leads to no page of the pages file': '1 m.txt:3:',
      'the old path is a live page': '1 m.txt:4:',
    });
  });

  it('leaves out a page that twenty old paths lead to, and keeps one with nineteen', () => {
    const lines = (n: number, to: string): string => Array.from({ length: n }, (_, i) => `${to}x${i} ${to}`).join('\n');
    const { cases, left } = read(`${lines(20, '/about')}\n${lines(19, '/docs/setup')}\n`);
    expect(cases).to.have.length(19);
    expect(Object.values(left)).to.deep.equal([20]);
  });

  it('says how much the words of old and new path agree', () => {
    const { cases } = toCases(
      parseRules('/docs/setup.html /docs/setup\n/docs/install-setup /docs/setup\n/faq /about\n', 'm'),
      pages,
      'm',
    );
    expect(cases.map(({ overlap }) => overlap)).to.deep.equal([1, 2 / 3, 0]);
  });

  it('names the file and line of what it does not understand', () => {
    const faults: [string, string, string][] = [
      ['/a /b\nwhat is this\n', 'm.conf', 'm.conf:2: neither a JSON object, nor'],
      ['/a\n', 'm', 'm:1: '],
      ['{"path": "/a", "expected": "/b"}\n\n{broken\n', 'm.jsonl', 'm.jsonl:3: not valid JSON'],
      ['{"path": "a", "expected": "/b"}\n', 'm.jsonl', 'm.jsonl:1: path must be a path'],
      ['from,to\n/a,/b\n"/c\n",/d\nx,/y\n', 'm.csv', 'm.csv:5: from must be'],
      ['from,to\n/a,/b\n/c,d\n', 'm.csv', 'm.csv:3: to must be'],
      ['one,two\n/a,/b\n', 'm.csv', 'm.csv:1: neither'],
      ['from,to\n"/a,/b\n', 'm.csv', 'm.csv:2: a quote'],
    ];
    for (const [text, file, message] of faults)
      expect(() => parseRules(text, file), text).to.throw(OperatorError, message);
  });
});
