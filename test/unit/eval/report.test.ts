import { expect } from 'chai';
import type { Asked } from '../../../scripts/eval/ask.js';
import { DEFAULT_THRESHOLD, type SiteResult } from '../../../scripts/eval/evaluate-site.js';
import { measure, outcomesOf, reliabilityOf } from '../../../scripts/eval/measures.js';
import { escapeHtml, html } from '../../../scripts/eval/report/html.js';
import { renderReport } from '../../../scripts/eval/report/page.js';

const HOSTILE = "/<script>alert(1)</script>/\"onload='x'&amp;";

function result(redirects: Asked, name = 'bikes.example'): SiteResult {
  const none: Asked = { cases: [], answers: [] };
  const all = {
    redirects,
    typos: none,
    queries: none,
    meant_paths: none,
    meant_questions: none,
    probes: { cases: [{ input: '/.env', right: [], kind: 'probe' }], answers: [[{ url: '/a', score: 0.75 }]] },
    taken_off: {
      cases: [{ input: '/github', right: [], kind: 'taken off' }],
      answers: [[{ url: '/gitlab', score: 0.94 }]],
    },
    deleted: none,
  };
  const section = ({ cases, answers }: Asked): ReturnType<typeof measure> => measure(cases, answers, DEFAULT_THRESHOLD);
  return {
    site: {
      name,
      pagesFile: '',
      pages: [],
      redirects: [],
      typos: [],
      queries: [],
      meant_paths: [],
      meant_questions: [],
      leftOut: [{ reason: 'a wildcard', count: 3, examples: ['m:1: /a/*'] }],
    },
    searchesByKind: all,
    measures: {
      redirects: {
        ...section(redirects),
        peers: { plain_sum: { n: 1, recall1: 0.5, recall3: 0.75, mrr: 0.6 } },
        by_overlap: {},
        by_kind: {},
      },
      typos: section(none),
      queries: section(none),
      meant_paths: section(none),
      meant_questions: section(none),
      probes: section(all.probes),
      taken_off: section(all.taken_off),
      deleted: section(none),
      reliability: reliabilityOf(outcomesOf(redirects.cases, redirects.answers)),
    },
  };
}

/** So many cases of which the first ones are right, all with the same score. */
function createCases(n: number, right: number, score = 0.8): Asked {
  return {
    cases: Array.from({ length: n }, (_, i) => ({ input: `/old-${i}`, right: [`/new-${i}`], kind: '' })),
    answers: Array.from({ length: n }, (_, i) => [{ url: i < right ? `/new-${i}` : '/wrong', score }]),
  };
}

describe('eval: the report', () => {
  it('escapes whatever comes from a site, in text and in attributes', () => {
    const text = renderReport(
      [
        result(
          { cases: [{ input: HOSTILE, right: [HOSTILE], kind: '' }], answers: [[{ url: `${HOSTILE}!`, score: 0.9 }]] },
          HOSTILE,
        ),
      ],
      0.8,
    );
    expect(text).not.to.include('<script');
    expect(text).not.to.include("onload='x'");
    expect(text).to.include('&lt;script&gt;');
    expect(text).to.include('&amp;amp;');
  });

  it('names pages taken off that would be redirected', () => {
    expect(renderReport([result(createCases(60, 50))], 0.8))
      .to.include('Pages that were taken off')
      .and.match(/<code>\/github<\/code>.*<code>\/gitlab<\/code>.*0\.94/s);
  });

  it('escapes values of templates, but not what is HTML already', () => {
    expect(html`<a title="${'"'}">${['<', html`<b>${'&'}</b>`]}</a>`.text).to.equal(
      '<a title="&quot;">&lt;<b>&amp;</b></a>',
    );
    expect(escapeHtml('a\u0000b\u202ec')).to.equal('a\ufffdb\ufffdc');
  });

  it('needs nothing from elsewhere and no script', () => {
    const text = renderReport([result(createCases(60, 50))], 0.8);
    expect(text).not.to.match(/<script|<link|<img|<iframe|url\(|@import|src=|href=/);
    expect(text)
      .to.include('prefers-color-scheme: dark')
      .and.include('name="viewport"')
      .and.include('<html lang="en">');
  });

  it('gives every plot a name and a table that says the same', () => {
    const text = renderReport([result(createCases(60, 50))], 0.8);
    const plots = text.match(/<svg [^>]*>/g) ?? [];
    expect(plots).to.have.length(3);
    for (const plot of plots) expect(plot).to.match(/role="img" aria-label="[^"]+"/);
    for (const part of text.match(/<figure>[\s\S]*?<\/figure>/g) ?? [])
      expect(part).to.include('<figcaption>').and.include('<table>');
  });

  it('closes every element that it opens', () => {
    const open: string[] = [];
    for (const [, end, name = ''] of renderReport(
      [result(createCases(60, 50)), result(createCases(3, 1), 'other')],
      0.8,
    ).matchAll(/<(\/?)([a-z]\w*)(?:\s[^>]*[^/>]|\s?)>/g)) {
      if (end === '/') expect(open.pop()).to.equal(name);
      else if (name !== 'meta') open.push(name);
    }
    expect(open).to.deep.equal([]);
  });

  it('names the threshold that suits, with its interval, and what junk it would answer', () => {
    const text = renderReport([result(createCases(200, 180))], 0.8);
    expect(text)
      .to.include('0.30 suits this site')
      .and.include('180 of 200 answers are right')
      .and.include('at least 0.85');
    expect(text).to.match(/Of 1 junk paths[^<]* 1 would be answered at 0\.30/);
  });

  it('names the threshold for a list beside the one for a redirect', () => {
    const text = renderReport([result(createCases(200, 180))], 0.8);
    expect(text).to.include('Threshold of suggest for a redirect').and.include('Threshold of suggest for a list');
    expect(text).to.include('0.80 suits a list').and.include('in 90 % of 200 cases, with 1.0 links');
  });

  it("takes the threshold from a site's own dead paths, not from mistyped ones beside them", () => {
    const both = result(createCases(100, 90, 0.9));
    both.searchesByKind.typos = createCases(500, 500, 0.35);
    expect(renderReport([both], 0.8)).to.include('90 of 100 answers are right');
  });

  it('says plainly that too few cases say nothing', () => {
    expect(renderReport([result(createCases(12, 12))], 0.8)).to.include('Too little data to say');
  });

  it('shows the worst misses with path, wanted, given and score, highest first', () => {
    const text = renderReport(
      [
        result({
          cases: [
            { input: '/low', right: ['/l'], kind: '' },
            { input: '/high', right: ['/h'], kind: '' },
            { input: '/none', right: ['/n'], kind: '' },
          ],
          answers: [
            [
              { url: '/x', score: 0.31 },
              { url: '/l', score: 0.3 },
            ],
            [{ url: '/y', score: 0.97 }],
            [],
          ],
        }),
      ],
      0.8,
    );
    const rows = (title: string): string[] =>
      (new RegExp(`<h3>${title}</h3>[\\s\\S]*?<tbody>([\\s\\S]*?)</tbody>`).exec(text)?.[1] ?? '')
        .split('</tr>')
        .map((row) =>
          row
            .replace(/<[^>]*>/g, ' ')
            .trim()
            .replace(/\s+/g, ' '),
        )
        .filter(Boolean);
    expect(rows('Wrong answers with the highest scores')).to.deep.equal([
      '/high /h /y 0.97 not found',
      '/low /l /x 0.31 2',
    ]);
    expect(rows('Right pages that are not among the first three')).to.deep.equal([
      '/high /h /y 0.97 not found',
      '/none /n nothing 0.00 not found',
    ]);
  });

  it('says what was left out, and shows peers beside', () => {
    const text = renderReport([result(createCases(60, 50))], 0.8);
    expect(text)
      .to.include('3 rows gave no case')
      .and.include('a wildcard')
      .and.include('plain sum')
      .and.include('0.50 / 0.75');
  });
});
