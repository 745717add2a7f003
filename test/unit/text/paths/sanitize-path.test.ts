import { expect } from 'chai';
import { makeTitle, sanitizePath } from '#src/text/paths/sanitize-path.js';

function wordsOf(path: string): string {
  return sanitizePath(path).words.join(' ');
}

describe('sanitizePath', () => {
  const rules: Record<string, [string, string][]> = {
    'splits segments, case and camelCase': [
      ['/Docs/getStarted.html', 'docs get started'],
      ['/SHOP/Red_Shoes', 'shop red shoes'],
      ['/api/HTTPServer', 'api http server'],
      ['/node.js/basics', 'node js basics'],
    ],
    'drops scheme, host, query and fragment': [
      ['https://shop.example/pens/blue?sort=price#top', 'pens blue'],
      ['//shop.example/pens', 'pens'],
      ['shop.example:8080/pens', 'pens'],
      ['www.shop.example/pens', 'pens'],
      ['https%3A%2F%2Fshop.example%2Fpens', 'pens'],
      ['//pens/blue', 'pens blue'],
      ['/pens%3Futm_source=mail', 'pens'],
      ['/pens&utm_source=mail', 'pens'],
      ['/?p=123', ''],
    ],
    'decodes percent-encoding, nested and malformed': [
      ['/blue%20ink%2Dpens', 'blue ink pens'],
      ['/blue+ink', 'blue ink'],
      ['/pens%2Fblue', 'pens blue'],
      ['/blue%2520ink', 'blue ink'],
      ['/blue%252520ink', 'blue ink'],
      ['/caf%C3%A9', 'café'],
      ['/caf%E9-bar', 'caf bar'],
      ['/100%-wool', '100 wool'],
      ['/wool%', 'wool'],
      ['/wool%2', 'wool'],
      ['/wool%zz', 'wool zz'],
      ['/%E2%82', ''],
      ['/%C0%AFetc', 'etc'],
      ['/pens%00/blue', 'pens blue'],
    ],
    'drops file endings and index files': [
      ['/pens/blue.HTM', 'pens blue'],
      ['/pens/blue.aspx', 'pens blue'],
      ['/pens/catalogue.tar.gz', 'pens catalogue'],
      ['/pens/index.html', 'pens'],
      ['/pens/Default.aspx', 'pens'],
      ['/pens/index', 'pens'],
      ['/pens/home.html', 'pens'],
      ['/index.php/pens', 'pens'],
      ['/home/garden', 'home garden'],
      ['/index.html', ''],
    ],
    'drops dates': [
      ['/blog/2012/08/12/new-pens', 'blog new pens'],
      ['/blog/2021-10-11-new-pens', 'blog new pens'],
      ['/blog/2021_10_11_new_pens', 'blog new pens'],
      ['/blog/20210131-new-pens', 'blog new pens'],
      ['/blog/20210131newpens', 'blog newpens'],
      ['/blog/2021-10-11', 'blog'],
      ['/blog/11-10-2021-new-pens', 'blog new pens'],
      ['/blog/new-pens-2021-10-11', 'blog new pens'],
      ['/blog/2016-W50', 'blog'],
      ['/blog/2016-w50-3-new-pens', 'blog new pens'],
      ['/blog/2016W503-new-pens.html', 'blog new pens'],
      ['/blog/new-pens-2016-W50', 'blog new pens'],
      ['/blog/2016-w54-new-pens', 'blog 2016 w54 new pens'],
      ['/2021/pens', 'pens'],
      ['/blog/pens/page/3/', 'blog pens'],
    ],
    'drops ids and hashes': [
      ['/pens/12345', 'pens'],
      ['/pens/7/blue', 'pens blue'],
      ['/pens/p=123', 'pens'],
      ['/pens/blue-ink-48213', 'pens blue ink'],
      ['/pens/blue-ink_12345.html', 'pens blue ink'],
      ['/pens/48213-blue-ink', 'pens blue ink'],
      ['/pens/123e4567-e89b-12d3-a456-426614174000/blue', 'pens blue'],
      ['/assets/pens.3f2a9c1b77de0012.pdf', 'assets pens'],
      ['/watch/aB3dE5fG7hJ', 'watch'],
    ],
    'keeps numbers that mean something': [
      ['/releases/web-3', 'releases web 3'],
      ['/plans/fy20q3', 'plans fy20q3'],
      ['/2024-budget', '2024 budget'],
      ['/forms/form-1040', 'forms form 1040'],
      ['/mp3-players', 'mp3 players'],
      ['/covid19', 'covid19'],
      ['/covid-19-rules', 'covid 19 rules'],
    ],
    'drops a locale in front of other segments only': [
      ['/en/pens', 'pens'],
      ['/en-us/pens', 'pens'],
      ['/de_DE/pens', 'pens'],
      ['/zh-hans/文具', '文具'],
      ['/zh-Hant-TW/pens', 'pens'],
      ['/es-419/pens', 'pens'],
      ['/pens/en', 'pens en'],
      ['/hr/leave', 'hr leave'],
      ['/go-to/pens', 'go to pens'],
      ['/en/', 'en'],
      ['/en/index.html', 'en'],
    ],
    'cleans what links pick up on their way': [
      ['/pens/./ink/../blue//', 'pens blue'],
      ['/../../pens', 'pens'],
      ['/pens;jsessionid=1A2B3C/blue;v=1', 'pens blue'],
      ['/pens\\blue', 'pens blue'],
      ['/pens/blue.html).', 'pens blue'],
      ['/pens/blue.html%3E', 'pens blue'],
      ['/pens/blue%22', 'pens blue'],
      ['/pens/%E2%80%8B', 'pens'],
      ['/pens/&nbsp;', 'pens'],
      ['/pens&amp;ink', 'pens ink'],
      ['/editor&#39;s-pens', 'editors pens'],
      ['/what%27s-new', 'whats new'],
      ['  /pens  ', 'pens'],
    ],
    'leaves nothing of a path without words': [
      ['/', ''],
      ['', ''],
      ['///', ''],
      ['/2021/', ''],
      ['/../..', ''],
      ['/🎉', ''],
    ],
    'reads any script': [
      ['/文档/安装指南', '文档 安装指南'],
      ['/%D7%A9%D7%9C%D7%95%D7%9D', 'שלום'],
      ['/Übersicht/Öffnungszeiten', 'übersicht öffnungszeiten'],
      ['/🎉/party', 'party'],
    ],
    'treats names of object members as words': [['/__proto__/constructor', 'proto constructor']],
  };
  for (const [rule, cases] of Object.entries(rules)) {
    it(rule, () => {
      for (const [path, words] of cases) expect(wordsOf(path), path).to.equal(words);
    });
  }

  it('names the page by the last segment that has words', () => {
    expect(sanitizePath('/pens/blue-ink/12345/').slug).to.deep.equal(['blue', 'ink']);
    expect(sanitizePath('/pens/2021-10-11').slug).to.deep.equal(['pens']);
    expect(sanitizePath('/pens/index.html').slug).to.deep.equal(['pens']);
    expect(sanitizePath('/').slug).to.deep.equal([]);
  });

  it('ends the words with the slug, always', () => {
    for (const path of ['/a/b-c', '/en/pens', '/x/2021/', `/${'a-'.repeat(1000)}`, '/de/home', '/a/b/index.php']) {
      const { words, slug } = sanitizePath(path);
      expect(words.slice(words.length - slug.length), path).to.deep.equal(slug);
    }
  });

  it('reads a clean path as it reads its own words again', () => {
    const { words } = sanitizePath('/Shop/redShoes_for-kids.html');
    expect(sanitizePath(`/${words.join('-')}`).words).to.deep.equal(words);
  });

  it('takes any text of 2,048 characters quickly, without a throw', () => {
    const parts = [
      ...`% %25 %2 25 a- aB / a/ /.. .html & &a ;a=b = a= 1 1- 2021 ' a' + \u0000 \u202e \u0301\u0323 \ufdfa %f0%9f %ff %ed%a0%80
        🎉 文 é [ - _ 0a ? # : :// \\`.split(/\s+/),
      ...[' ', '\n', '\ud800', '\udc00'],
    ];
    for (const part of parts) {
      for (const start of ['/', '', 'http://', '/%']) {
        const path = (start + part.repeat(2048)).slice(0, 2048);
        const { words } = sanitizePath(path);
        expect(makeTitle(path)).to.be.a('string').that.is.not.empty;
        expect(words.length).to.be.at.most(128);
        for (const word of words) expect(word).to.match(/^[\p{L}\p{N}\p{M}]{1,64}$/u);
      }
    }
  });
});

describe('makeTitle', () => {
  const titles: [string, string][] = [
    ['/help/return-an-item.html', 'Return an item'],
    ['/help/', 'Help'],
    ['/help/index.html', 'Help'],
    ['/plans/FY20Q3-roadmap', 'FY20Q3 roadmap'],
    ['/blog/2021/10/11/new_pens/', 'New pens'],
    ['/caf%C3%A9', 'Café'],
    ['/bulletins/018/', 'Bulletins 018'],
    ['/安装', '安装'],
    ['/', '/'],
    ['', '/'],
    ['/2021/', '/2021/'],
    ['/🎉', '/🎉'],
  ];
  for (const [path, title] of titles) {
    it(`calls ${JSON.stringify(path)} ${title}`, () => {
      expect(makeTitle(path)).to.equal(title);
    });
  }

  it('cuts endless titles', () => {
    expect(makeTitle(`/${'word-'.repeat(400)}`)).to.have.length.below(202);
  });
});
