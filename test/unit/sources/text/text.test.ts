import { expect } from 'chai';
import { htmlText } from '#src/sources/text/html-text.js';
import { markdownText } from '#src/sources/text/markdown-text.js';
import { rstText } from '#src/sources/text/rst-text.js';

describe('the text of Markdown', () => {
  const cases: [string, string, string][] = [
    ['keeps headings, and drops their marks and ids', '# One #\n\n## Two {#two}\n\nThree\n=====\n', 'One\n\nTwo\n\nThree'],
    ['keeps code as it is, and drops its fence', 'Type:\n\n```sh\nls <a> *b* {{ c }}\n```\n\nor `x < y`.', 'Type:\n\nls <a> *b* {{ c }}\n\nor x < y.'],
    ['keeps the cells of tables', '| a | b |\n|---|:-:|\n| 1 | 2 |\n', 'a | b\n1 | 2'],
    ['keeps what links and images say', 'See [the `x` page](/x "t"), ![a cup](cup.png) and [ref][r].\n\n[r]: https://x.example', 'See the x page, a cup and ref.'],
    ['drops marks of emphasis, not underscores of words', '**bold** _it_ *it* ~~no~~ snake_case_name 2 * 3 * 4', 'bold it it no snake_case_name 2 * 3 * 4'],
    ['drops shortcodes of Hugo and keeps what they hold', '{{< note title="x" >}}Mind it.{{< /note >}} {{% p %}}q{{% /p %}}', 'Mind it. q'],
    ['drops tags of Liquid', '{% include a.html %}{{ site.x }}Text {% raw %}kept{% endraw %}{% comment %}not{% endcomment %}.', 'Text kept.'],
    ['drops imports, comments and JSX', 'import A from "./a";\nimport B from\'./b\'\n\n<Tabs\n  value="x">\n<TabItem>One</TabItem>\n</Tabs>\n\n{/* no */}<!-- no\nno -->Two', 'One\n\nTwo'],
    ['keeps the title of admonitions and tabs', ':::tip[Good to know]\n\nA\n\n:::\n\n!!! note "Mind"\n    B\n\n=== "Linux"\n\n    C\n\n> [!NOTE]\n> D', 'Good to know\n\nA\n\nMind\n    B\n\nLinux\n\n    C\n\nD'],
    ['reads entities and HTML', '<p>Fish &amp; chips</p><script>no()</script>', 'Fish & chips'],
    ['takes a list as it stands', '- one\n- two\n  1. three', '- one\n- two\n  1. three'],
  ]; // prettier-ignore
  for (const [name, markdown, text] of cases)
    it(name, () => {
      expect(markdownText(markdown).text).to.equal(text);
    });

  it('has its first heading of level 1 as title', () => {
    expect(markdownText('## Sub\n\n# The *title* of `it`\n').firstHeading).to.equal('The title of it');
    expect(markdownText('Title\n=====\n').firstHeading).to.equal('Title');
    expect(markdownText('## Sub\n').firstHeading).to.equal(undefined);
  });

  it('is read in time that grows with its length, whatever it says', () => {
    const hostile = [
      '[',
      '![',
      '`',
      '*',
      '_',
      '{{',
      '{%',
      '<',
      '<!--',
      '#',
      '|',
      ':::',
      '\\',
      '<a ',
      '[a](',
      '> ',
      '~~~',
      '{#',
    ];
    for (const piece of hostile) {
      const started = performance.now();
      markdownText(piece.repeat(Math.ceil(200_000 / piece.length)));
      expect(performance.now() - started, JSON.stringify(piece)).to.be.below(2_000);
    }
  });
});

describe('the text of HTML', () => {
  it('has blocks and rows on lines of their own, without scripts and navigation', () => {
    const html =
      '<nav>Home</nav><h1>Care &amp; repair</h1><p>Wipe\n it <b>well</b>.<br>Dry it.</p><ul><li>a<li>b</ul>' +
      '<table><tr><td>1</td><td>2</td></tr></table><pre>  x\n  y</pre><script>z</script>';
    expect(htmlText(html)).to.deep.equal({
      text: 'Care & repair\n\nWipe it well.\nDry it.\n\na\n\nb\n\n1 2\n\n  x\n  y',
      firstHeading: 'Care & repair',
    });
  });
});

describe('the text of reStructuredText', () => {
  it('is read in time that grows with its length, whatever it says', () => {
    for (const piece of ['`', ':a:`', '|', '*', '.. ', '<', '=', ':', '[', '.. |', 'a ']) {
      const started = performance.now();
      rstText(piece.repeat(Math.ceil(200_000 / piece.length)));
      expect(performance.now() - started, JSON.stringify(piece)).to.be.below(2_000);
    }
  });

  it('keeps paragraphs, code and titles, and drops directives, roles, targets and comments', () => {
    const rst = [
      '.. _top:', '', '=====', 'Title', '=====', '', '.. toctree::', '   :maxdepth: 1', '', '   a', '',
      'See :doc:`the intro <intro>`, :ref:`x`, `a link <https://x.example>`_, *it* and ``code``.', '',
      '.. note:: Mind it.', '', '.. code-block:: python', '', '   print(1)', '', '.. a comment', '   goes on', '',
      'Sub', '---', '', 'An example::', '', '   ls', '', '.. [1] A footnote.',
    ].join('\n'); // prettier-ignore
    expect(rstText(rst)).to.deep.equal({
      text: 'Title\n\nSee the intro, x, a link, it and code.\n\nMind it.\n\n   print(1)\n\nSub\n\nAn example:\n\n   ls\n\nA footnote.',
      firstHeading: 'Title',
    });
  });
});
