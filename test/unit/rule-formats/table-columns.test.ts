import { expect } from 'chai';
import { RedirectFile } from '#src/rule-formats/read/redirect-file.js';

/** The rules of a table; of what is refused, why. */
function read(text: string, name = 'table.csv'): string[] {
  const file = new RedirectFile(name);
  return [...text.split('\n').flatMap((line) => file.push(line)), ...file.end()].map((rule) => {
    if (rule.kind === 'redirect') return `${rule.from} ${rule.to}`;
    if (rule.kind === 'wildcard') return `${rule.from}* ${rule.to}${rule.keepsRest ? '*' : ''}`;
    return rule.kind === 'skipped' ? rule.reason : rule.kind;
  });
}

describe('columns that say more of a row than two addresses', () => {
  for (const [tool, text, rules] of [
    [
      'Redirection',
      'source,target,regex,code,type,hits,title,status\n/a,/n,0,301,url,0,,active\n/b,/n,0,301,url,0,,disabled\n/c.,/n,1,301,url,0,,active\n^/d/(.*)$,/n/$1,1,302,url,0,,active\n/e,,0,410,error,0,,active\n/f,/n,0,307,url,0,,active',
      ['/a /n', 'switchedOff', 'pattern', '/d/* /n/*', 'unknown', '/f /n'],
    ],
    [
      'Rank Math',
      'id,source,matching,destination,type,category,status,ignore\n1,/a,exact,/n,301,,active,case\n2,/b,contains,/n,301,,active,\n3,/c/,start,/n,301,,active,\n4,/d,exact,,410,,active,\n5,/e,regex,/n,301,,active,\n6,/f,exact,/n,301,,trashed,',
      ['/a /n', 'pattern', '/c/* /n', 'gone', 'pattern', 'switchedOff'],
    ],
    [
      'Yoast',
      'Origin,Target,Type,Format\n/a,/n,301,plain\n/b,,410,plain\n/c,/n,302,regex',
      ['/a /n', 'gone', 'pattern'],
    ],
    [
      'Retour',
      'Legacy URL Pattern,Redirect To,Match Type,HTTP Status,Site ID,Hits\n/a,/n,exactmatch,301,1,0\n/b.*,/n,regexmatch,301,1,0\n/c,/n,exactmatch,404,1,0',
      ['/a /n', 'pattern', 'notRedirect'],
    ],
    ['Shopify', 'Redirect from,Redirect to\n/a,/n\nhttps://x.example/b,/n', ['/a /n', 'https://x.example/b /n']],
    ['Umbraco', 'Url;QueryString;DestinationUrl;IsPermanent\n/a;;/n;True\n/b;id=7;/n;False', ['/a /n', '/b?id=7 /n']],
    [
      'Sitecore',
      'Source Url,Target Url,Enabled,Redirect Type\n/a,/n,1,Permanent (301)\n/b,/n,0,301\n/c,/n,true,Found',
      ['/a /n', 'switchedOff', '/c /n'],
    ],
    ['others', 'from,to,type\n/a,/n,200\n/b,/n,308\n/c,/n,article', ['notRedirect', '/b /n', 'unknown']],
    [
      'dates',
      'from,to,start date,Valid until\n/a,/n,,\n/b,/n,2024-01-01,\n/c,/n,,2024-01-01\n/d,/n,0000-00-00,never',
      ['/a /n', 'conditional', 'conditional', '/d /n'],
    ],
    [
      'conditions',
      'from,to,country,language\n/a,/n,,und\n/b,/n,de,\n/c,/n,,en',
      ['/a /n', 'conditional', 'conditional'],
    ],
    [
      'bulk redirects of Cloudflare',
      '/a,/n,301,TRUE,FALSE,FALSE,TRUE\n/b,/n,301,TRUE,FALSE,TRUE,TRUE\n/c,/n,301,what is this\n/d,/n,200',
      ['/a /n', 'pattern', 'refused', 'notRedirect'],
    ],
  ] as const) {
    it(`are obeyed, or their row is refused: ${tool}`, () => {
      expect(read(text)).to.deep.equal(rules);
    });
  }

  it('are obeyed in rows of JSON, too', () => {
    const rows = [
      { path: '/a', expected: '/n', code: 301, enabled: true },
      { path: '/b', expected: '/n', enabled: false },
      { path: '/c.', expected: '/n', regex: true },
      { path: '/d', expected: '/n', status: 200 },
      { path: '/e', status: '410' },
      { path: '/f', expected: '/n', valid_until: '2024-01-01' },
      { path: '/g', expected: '/n', kind: 'moved', source: 'aliases', n: 3 },
    ];
    expect(read(rows.map((row) => JSON.stringify(row)).join('\n'), 'rows.jsonl')).to.deep.equal([
      '/a /n',
      'switchedOff',
      'pattern',
      'notRedirect',
      'gone',
      'conditional',
      '/g /n',
    ]);
  });
});
