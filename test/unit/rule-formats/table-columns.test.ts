import { expect } from 'chai';
import { RedirectFile } from '#src/rule-formats/read/redirect-file.js';
import { casesOf } from '../cases.js';

/** The rules of a table; of what is refused, why. */
function read(text: string, name = 'table.csv'): string[] {
  const file = new RedirectFile(name);
  return [...text.split('\n').flatMap((line) => file.push(line)), ...file.end()].map((rule) => {
    if ('from' in rule) {
      const { host = '', code, passQuery, validFrom, validUntil } = rule.terms ?? {};
      const terms = [
        code,
        passQuery && 'passes',
        validFrom && `from ${validFrom}`,
        validUntil && `until ${validUntil}`,
      ];
      const from = rule.kind === 'wildcard' || (rule.kind === 'bare' && rule.below) ? `${rule.from}*` : rule.from;
      const said = 'to' in rule && rule.to !== undefined ? rule.to : 'action' in rule ? rule.action : rule.kind;
      const to = rule.kind === 'wildcard' && rule.keepsRest ? `${said}*` : said;
      const kind = rule.kind === 'pattern' ? ['as a pattern'] : [];
      return [host + from, to, ...terms.filter((one) => one !== undefined), ...kind].join(' ');
    }
    return rule.kind === 'skipped' ? rule.reason : rule.kind;
  });
}

const TABLES = String.raw`
  Redirection => source,target,regex,code,type,hits,title,status\n/a,/n,0,301,url,0,,active\n/b,/n,0,301,url,0,,disabled\n/c.,/n,1,301,url,0,,active\n^/d/(.*)$,/n/$1,1,302,url,0,,active\n/e,,0,410,error,0,,active\n/f,/n,0,307,url,0,,active => /a /n | switchedOff | pattern | /d/* /n/* 302 | unknown | /f /n 307
  Rank Math => id,source,matching,destination,type,category,status,ignore\n1,/a,exact,/n,301,,active,case\n2,/b,contains,/n,301,,active,\n3,/c/,start,/n,301,,active,\n4,/d,exact,,410,,active,\n5,/e,regex,/n,301,,active,\n6,/f,exact,/n,301,,trashed, => /a /n | pattern | /c/* /n | /d gone | pattern | switchedOff
  Yoast => Origin,Target,Type,Format\n/a,/n,301,plain\n/b,,410,plain\n/c,/n,302,regex => /a /n | /b gone | pattern
  Retour => Legacy URL Pattern,Redirect To,Match Type,HTTP Status,Site ID,Hits\n/a,/n,exactmatch,301,1,0\n/b.*,/n,regexmatch,301,1,0\n/c,/n,exactmatch,404,1,0 => /a /n | pattern | notRedirect
  Shopify => Redirect from,Redirect to\n/a,/n\nhttps://x.example/b,/n => /a /n | https://x.example/b /n
  Umbraco => Url;QueryString;DestinationUrl;IsPermanent\n/a;;/n;True\n/b;id=7;/n;False => /a /n | /b?id=7 /n 302
  Sitecore => Source Url,Target Url,Enabled,Redirect Type\n/a,/n,1,Permanent (301)\n/b,/n,0,301\n/c,/n,true,Found => /a /n | switchedOff | /c /n 302
  others => from,to,type\n/a,/n,200\n/b,/n,308\n/c,/n,article => notRedirect | /b /n 308 | unknown
  dates => from,to,start date,Valid until\n/a,/n,,\n/b,/n,2024-01-01,\n/c,/n,,2024-01-01\n/d,/n,0000-00-00,never\n/e,/n,2024-01-31 10:00,31/01/2024\n/f,/n,01/02/2024,\n/g,/n,2024-02-30,\n/h,/n,2024-01-31T10:00:00+02:00,31.1.2024 9:30\n/i,/n,0001-01-01 00:00:00,9999-12-31 => /a /n | /b /n from 2024-01-01T00:00:00.000Z | /c /n until 2024-01-02T00:00:00.000Z | /d /n | /e /n from 2024-01-31T10:00:00.000Z until 2024-02-01T00:00:00.000Z | date | date | /h /n from 2024-01-31T08:00:00.000Z until 2024-01-31T09:30:00.000Z | /i /n from 0001-01-01T00:00:00.000Z until 9999-12-31T23:59:59.000Z
  our own words => path,target,host,match,query,code,pass_query\n/a/*,/n,,path,,,\n/b-:id.html,/n/:id,,pattern,,308,\n/c/*,/n/:splat,a.example,prefix,,,\n/d,/n,"a.example, b.example",path,id=7,,true\n/e,/n,*.example,path,,,\n/f,/n,,path,ignore,302,\n/g,/n,,pattern,,,\n/h,/n,,path,,temporary, => /a/%2A /n | /b-:id.html /n/:id 308 as a pattern | a.example/c/* /n/* | a.example/d?id=7 /n passes | b.example/d?id=7 /n passes | unknown | /f /n 302 | pattern | /h /n 302
  bare urls of Cloudflare => a.example/o,/n,301,FALSE\na.example/p,https://b.example/,302,FALSE => https://a.example/o /n | https://a.example/p https://b.example/ 302
  conditions => from,to,country,language\n/a,/n,,und\n/b,/n,de,\n/c,/n,,en => /a /n | conditional | conditional
  bulk redirects of Cloudflare => /a,/n,301,TRUE,FALSE,FALSE,TRUE\n/b,/n,301,TRUE,FALSE,TRUE,TRUE\n/c,/n,301,what is this\n/d,/n,200 => /a /n passes | pattern | refused | notRedirect
`;

describe('columns that say more of a row than two addresses', () => {
  for (const { what: tool, text, rules } of casesOf(TABLES)) {
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
      {
        path: '/h',
        host: 'a.example',
        match: 'path',
        query: { id: '7', x: 'ü&' },
        action: 'redirect',
        target: '/n#part',
        code: 307,
        valid_from: '2026-01-01T00:00:00.000Z',
        valid_until: null,
        pass_query: true,
      },
      { path: '/i/:id', host: null, match: 'pattern', query: 'ignore', action: 'gone', code: 451, pass_query: false },
      { path: '/j/', match: 'prefix', query: {}, action: 'ignore' },
    ];
    expect(read(rows.map((row) => JSON.stringify(row)).join('\n'), 'rows.jsonl')).to.deep.equal([
      '/a /n',
      'switchedOff',
      'pattern',
      'notRedirect',
      '/e gone',
      '/f /n until 2024-01-02T00:00:00.000Z',
      '/g /n',
      'a.example/h?id=7&x=%C3%BC%26 /n#part 307 passes from 2026-01-01T00:00:00.000Z',
      '/i/:id gone 451 as a pattern',
      '/j/* ignore',
    ]);
  });
});
