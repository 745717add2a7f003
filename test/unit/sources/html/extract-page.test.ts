import { expect } from 'chai';
import { extractPage, UnreadableHtml } from '#src/sources/html/extract-page.js';
import { spent } from '../../../support/growth.js';

const URL_OF_PAGE = 'https://www.tools.example/docs/saw';
const PROSE =
  'Set the fence square to the blade, lock it, and push the wood through at an even pace, with a stick for the last part. ';

function document(head: string, body: string): string {
  return `<!doctype html><html lang="en-gb"><head>${head}</head><body>
    <header class="site"><a href="/">Zebra Tools</a><nav><ul><li><a href="/shop">zebra shop</a></li></ul></nav></header>
    <div class="sidebar" role="navigation"><a href="/docs/drill">zebra drill</a></div>
    ${body}
    <script>const zebra = "script";</script><style>.zebra { color: red }</style><template>zebra template</template>
    <div hidden>zebra hidden</div><noscript>zebra: please switch JavaScript on</noscript>
    <footer><p>zebra imprint</p><form><input value="zebra"><button>zebra newsletter</button></form></footer></body></html>`;
}

const read = (body: string, head = '<title>Use the saw | Zebra Tools</title>') =>
  extractPage(document(head, body), URL_OF_PAGE);

describe('what is read of a page', () => {
  const kinds: Record<string, [body: string, words: string]> = {
    'a page of documentation': [
      `<main><h1>Use the saw</h1><p>${PROSE.repeat(5)}</p><aside>Note: unplug it</aside></main>`,
      'unplug',
    ],
    'a blog post': [
      `<article><header><h1>Use the saw</h1><p>By the workshop</p></header><p>${PROSE.repeat(9)}</p></article>`,
      'pace',
    ],
    'a short page': ['<div><h1>Use the saw</h1><p>Open on Monday.</p></div>', 'Open on Monday.'],
    'a product': [
      '<div class="p"><h1>Use the saw</h1><p>€ 49</p><table><tr><th>Blade</th><td>210 mm</td></tr></table></div>',
      '| Blade | 210 mm |',
    ],
    'a list of links': [
      `<div><h1>Use the saw</h1><ul>${'<li><a href="/x">A guide to wood</a></li>'.repeat(30)}</ul></div>`,
      'A guide to wood',
    ],
    'a page whose body is a form': [`<form><h1>Use the saw</h1><p>${PROSE}</p></form>`, 'fence square'],
  };
  for (const [kind, [body, words]] of Object.entries(kinds)) {
    it(`is its text and its title alone: ${kind}`, () => {
      const { title, content } = read(body);
      expect(title).to.equal('Use the saw');
      expect(content).to.contain(words);
      expect(content).not.to.match(/zebra/i);
      expect(content).not.to.contain('Use the saw');
    });
  }

  it('keeps headings, lists, tables and code readable', () => {
    const { content } = read(`<main><h1>Use the saw</h1><p>${PROSE.repeat(3)}</p>
      <h2>Steps <a class="headerlink" href="#steps">¶</a></h2>
      <ol><li>Measure<ul><li>the <b>wood</b></li><li>the blade</li></ul></li><li><p>Cut</p></li></ol>
      <table><thead><tr><th>Wood</th><th>Speed</th></tr></thead><tbody><tr><td>Oak</td><td>slow</td></tr></tbody></table>
      <pre><code>saw --wood oak\n  --slow</code></pre><p>first<br>second</p></main>`);
    expect(content).to.equal(
      [
        PROSE.repeat(3).trim(),
        '## Steps',
        '1. Measure\n  - the wood\n  - the blade\n2. Cut',
        '| Wood | Speed |\n| Oak | slow |',
        '```\nsaw --wood oak\n  --slow\n```',
        'first\nsecond',
      ].join('\n\n'),
    );
  });

  it('includes what is written for robots where scripts draw the page', () => {
    const { content } = extractPage(
      `<title>A thread</title><div id="app"></div><noscript><h1>A thread</h1><p>${PROSE.repeat(3)}</p></noscript>`,
      URL_OF_PAGE,
    );
    expect(content).to.contain('fence square');
  });

  it('has the language, canonical url, links and wish not to be indexed that the page says', () => {
    const page = read(
      `<main><h1>Saw</h1><a href="../shop?a=1&amp;b=2#top">shop</a> <a href="mailto:a@b.example">mail</a>
       <a href="/ad" rel="sponsored nofollow">ad</a> <a href="javascript:void(0)">x</a> <a href="https://u:p@x.example/">y</a></main>`,
      '<link rel="canonical" href="/docs/saw/"><meta name="ROBOTS" content="NOINDEX, follow">',
    );
    expect(page).to.include({ language: 'en-GB', canonical: 'https://www.tools.example/docs/saw/', noindex: true });
    expect(page.links).to.include('https://www.tools.example/shop?a=1&b=2');
    expect(page.links.filter((link) => /ad$|mail|script|x\.example/.test(link))).to.deep.equal([]);
    expect(read('<p>x</p>', '<meta name="robots" content="nofollow">').links).to.deep.equal([]);
    expect(read('<p>x</p>', '<base href="https://base.example/a/"><link rel="canonical" href="b">').canonical).to.equal(
      'https://base.example/a/b',
    );
  });

  const titles: [what: string, head: string, body: string, expected: string | null][] = [
    ['the heading that the title repeats', '<title>Saw - Zebra</title>', '<h1>Zebra</h1><h1>Saw</h1>', 'Saw'],
    ['og:title without a heading', '<meta property="og:title" content="The saw"><title>x</title>', '', 'The saw'],
    ['the title without the site', '<title>Saw | Blades | Tools</title>', '', 'Saw | Blades'],
    ['the title without og:site_name', '<meta property="og:site_name" content="Z"><title>Z – Saw</title>', '', 'Saw'],
    ['a title with a dash of its own', '<title>Saw - a guide</title>', '', 'Saw - a guide'],
    ['nothing', '', '', null],
  ];
  for (const [what, head, body, expected] of titles)
    it(`has ${what} as title`, () => {
      expect(extractPage(`${head}${body}<p>${PROSE}</p>`, URL_OF_PAGE).title).to.equal(expected);
    });

  it('takes a bounded time for the strangest page, or is refused', function () {
    this.timeout(100_000);
    const bytes = 50_000;
    const fill = (part: string): string => part.repeat(bytes / part.length);
    const refused = ['<div>', '<b>', '<table><tr><td>', '<svg><g>'].map(fill);
    for (const html of refused) expect(() => extractPage(html, URL_OF_PAGE)).to.throw(UnreadableHtml);
    const deep = '<div>'.repeat(450) + PROSE + '</div>'.repeat(450);
    for (const part of [
      '<',
      '&lt;',
      '</p>',
      '<br>',
      '<p>word',
      '<a href=/x>l</a> ',
      '<li>x',
      '<!--',
      deep,
      ' ',
      '\0',
      '<button aria-controls=x id=x>b</button>',
      '<main><ul><li><a href=/x>l</a><a href=/y>m</a></li></ul></main>',
      '<div hidden>x</div><h3>y</h3>',
    ]) {
      const began = process.cpuUsage();
      extractPage(fill(part), URL_OF_PAGE);
      expect(spent(began), part.slice(0, 20)).to.be.below(10_000);
    }
  });
});
