import { expect } from 'chai';
import { encodeTarget, parseSource } from '#src/rule-formats/read/source-address.js';
import { compileRules, type Compiled } from '#src/rule-formats/write/compile.js';
import type { KnownRedirect } from '#src/rule-formats/lint-redirects.js';
import type { AnyRule, ExportRule } from '#src/rule-formats/write/written-rule.js';
import { EXPORT_FORMATS, writeFormat } from '#src/rule-formats/write/formats.js';

async function* pagesOf(paths: readonly string[]): AsyncGenerator<string> {
  for (const path of paths) yield await Promise.resolve(`https://shop.example${path}`);
}

const known = (path: string, to: string): KnownRedirect => ({ path, url: `https://shop.example${to}`, active: true });

function compile(
  redirects: readonly KnownRedirect[],
  below: readonly AnyRule[],
  pages: readonly string[],
): Promise<Compiled> {
  return compileRules(redirects, { below, gone: [], pages: new Map() }, pagesOf(pages));
}

describe('compiled redirects', () => {
  it('are one entry for each, and take no path that nobody decided', async () => {
    const paths = ['/old/a', '/old/b', '/old/c', '/old/2016/12/14/d', '/old/e.html', '/merged/1', '/merged/2'];
    const redirects = paths.map((path) => known(path, path.replace(/^\/old/, '/new').replace(/^\/merged.*/, '/new/a')));
    const { rules, notes } = await compile(redirects, [], ['/new/a']);
    expect(rules.map(({ path, rest }) => [path, rest])).to.deep.equal(paths.map((path) => [path, undefined]));
    expect(notes).to.deep.equal([]);
  });

  it('keep a wildcard of the project unless pages stand below it, and let one path overrule it', async () => {
    const wildcards: AnyRule[] = [
      { path: '/old/', query: '', to: '/new/', rest: 'kept' },
      { path: '/news/', query: '', to: '/blog', rest: 'dropped' },
      { path: '/lost/', query: '', rest: 'dropped' },
      { path: '/new/', query: '', rest: 'dropped' },
    ];
    const redirects = [known('/old/a', '/new/a'), known('/old/b', '/about')];
    const { rules, gone, notes } = await compile(redirects, wildcards, ['/new/a', '/about', '/news/today']);
    expect(rules.map(({ path, to, rest = 'exact' }) => `${path} ${to} ${rest}`)).to.deep.equal([
      '/old/a https://shop.example/new/a exact',
      '/old/b https://shop.example/about exact',
      '/old/ https://shop.example/new/ kept',
    ]);
    expect(gone.map(({ path }) => path)).to.deep.equal(['/lost/']);
    expect(notes.map(({ kind, path, detail }) => `${kind} ${path}: ${detail}`)).to.deep.equal([
      'shadows pages /new/*: https://shop.example/new/a is below it',
      'shadows pages /news/*: https://shop.example/news/today is below it',
    ]);
  });

  it('name a wildcard to paths of a site that has no page', async () => {
    const { rules, notes } = await compile([], [{ path: '/old/', query: '', to: '/new/', rest: 'kept' }], []);
    expect([rules, notes.map(({ kind, path }) => [kind, path])]).to.deep.equal([[], [['dead target', '/old/*']]]);
  });

  it('fit the limits of each host, and what does not is named', () => {
    const rules = (count: number, rest?: 'kept'): ExportRule[] =>
      Array.from({ length: count }, (_, at) => ({
        path: rest ? `/w${at}/` : `/p${at}`,
        query: '',
        to: 'https://shop.example/new/',
        ...(rest ? { rest } : {}),
      }));
    const left = (format: 'cloudflare' | 'vercel' | 'iis' | 'nginx', all: ExportRule[]): number =>
      writeFormat(format, all).unfit.length;
    expect(left('cloudflare', [...rules(2_000), ...rules(100, 'kept')])).to.equal(0);
    expect(left('cloudflare', [...rules(2_003), ...rules(104, 'kept')])).to.equal(7);
    expect(left('vercel', [...rules(1_000), ...rules(24, 'kept')])).to.equal(0);
    expect(left('vercel', rules(1_030))).to.equal(6);
    expect(left('nginx', rules(20_000))).to.equal(0);
    const iis = writeFormat('iis', rules(3_000));
    expect(Buffer.byteLength(iis.text)).to.be.at.most(250 * 1024);
    expect(iis.unfit.length + (iis.text.match(/<rule /g)?.length ?? 0)).to.equal(3_000);
    expect(left('cloudflare', [{ path: `/${'x'.repeat(1_000)}`, query: '', to: 'https://shop.example/' }])).to.equal(1);
  });
});

describe('a wildcard with letters that are percent-encoded', () => {
  it('is matched in both cases of hexadecimal digits', () => {
    const rule: ExportRule = { path: '/%C3%BCber/', query: '', to: '/about/', rest: 'kept' };
    for (const format of ['nginx', 'apache', 'caddy', 'traefik'] as const)
      expect(writeFormat(format, [rule]).text, format).to.match(/\[Cc\]3.*\[Bb\]\[Cc\]ber/);
  });
});

describe('a target on a host with other letters than ASCII', () => {
  it('is written as headers have it, and any other as its owner wrote it', () => {
    expect(encodeTarget('https://münchen.example/straße#a')).to.equal('https://xn--mnchen-3ya.example/stra%C3%9Fe#a');
    expect(encodeTarget('https://WWW.example.com:443/A')).to.equal('https://WWW.example.com:443/A');
  });
});

describe('two spellings that are one address to nginx', () => {
  it('are one rule: nginx refuses a file that has it twice', () => {
    const rules = ['/y//z', '/y/z', '/%C3%BC', '/%c3%bc'].map((path): ExportRule => ({ path, query: '', to: '/x' }));
    expect(writeFormat('nginx', rules, []).text.match(/location = .*/g)).to.deep.equal([
      'location = "/ü" { return 301 "/x"; }',
      'location = "/y/z" { return 301 "/x"; }',
    ]);
  });
});

describe('an old path with an encoded slash', () => {
  it('is exported as it is, and never as another path', () => {
    const source = parseSource('/old/%2fslash');
    expect(source).to.deep.equal({ path: '/old/%2Fslash', query: '' });
    for (const format of EXPORT_FORMATS) {
      const { text, unfit } = writeFormat(format, [
        { path: '/old/%2Fslash', query: '', to: 'https://shop.example/about' },
      ]);
      if (format === 'apache' || format === 'iis') expect(unfit[0]?.reason, format).to.include('encoded slash');
      else expect(text, format).to.match(/old\/(?:%|\\x25|\\x\{25\}|\\\\x\{25\})2(?:F|\[Ff\])/);
    }
  });
});
