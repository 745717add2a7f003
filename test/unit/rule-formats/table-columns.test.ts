import { expect } from 'chai';
import { RedirectFile } from '#src/rule-formats/read/redirect-file.js';
import { parseColumnNames } from '#src/rule-formats/read/file-columns.js';
import { casesOf } from '../cases.js';

/** The rules of a table; of what is refused, why. */
function read(text: string, name = 'table.csv', columns = ''): string[] {
  const file = new RedirectFile(name, undefined, parseColumnNames(columns));
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
      const outcome = 'to' in rule && rule.to !== undefined ? rule.to : 'action' in rule ? rule.action : rule.kind;
      const to = rule.kind === 'wildcard' && rule.keepsRest ? `${outcome}*` : outcome;
      const kind = rule.kind === 'pattern' ? ['as a pattern'] : [];
      return [host + from, to, ...terms.filter((term) => term !== undefined), ...kind].join(' ');
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
  TYPO3 => uid,pid,updatedon,deleted,disabled,starttime,endtime,source_host,source_path,force_https,respect_query_parameters,keep_query_parameters,target,target_statuscode,hitcount,is_regexp,protected\n1,0,1700000000,0,0,0,0,*,/a,0,0,0,/n,302,4,0,0\n2,0,1700000000,1,0,0,0,*,/b,0,0,0,/n,301,0,0,0\n3,0,1700000000,0,0,0,1700000000,*,/c,0,0,0,/n,301,0,0,1\n4,0,1700000000,0,0,0,0,*,/d,0,0,0,t3://page?uid=12,301,0,0,0\n5,0,1700000000,0,0,0,0,a.example,/e,0,0,1,/n,307,0,0,0\n6,0,1700000000,0,0,0,0,*,#^/f-(\d+)$#,0,0,0,/n,301,0,1,0\n7,0,1700000000,0,0,1900000000,0,*,/g,0,0,0,/n,301,0,0,0 => /a /n 302 | switchedOff | /c /n until 2023-11-14T22:13:20.000Z | refused | a.example/e /n 307 passes | /f-:number /n as a pattern | /g /n from 2030-03-17T17:46:40.000Z
  states by other names => from,to,is_deleted,deleted_at,visible,online,hidden,archived\n/a,/n,0,,1,1,0,false\n/b,/n,1,,1,1,0,\n/c,/n,0,2024-01-31 10:00,1,1,0,\n/d,/n,,1700000000,1,1,0,\n/e,/n,,,0,1,0,\n/f,/n,,,1,no,0,\n/g,/n,,,1,1,1,\n/h,/n,,0000-00-00,1,1,0,yes => /a /n | switchedOff | switchedOff | switchedOff | switchedOff | switchedOff | switchedOff | switchedOff
  more names => from,to,end_time,expiration_time,is_wildcard,redirect_http_code\n/a,/n,1900000000,,0,302\n/b/*,/n/:splat,,0,1,301\n/c,/n,,,1,301\n/d,/n,1900000000000,,0,200 => /a /n 302 until 2030-03-17T17:46:40.000Z | /b/* /n/* | pattern | notRedirect
  Drupal => rid,type,source,destination,language,status_code,enabled,created,count\n1,redirect,/a,/n,und,301,1,1700000000,3\n2,redirect,/b,/n,und,302,0,1700000000,3\n3,redirect,/c,/n,de,301,1,1700000000,3 => /a /n | switchedOff | conditional
  Joomla => id,old_url,new_url,referer,comment,hits,published,created_date,modified_date,header\n1,/a,/n,,x,3,1,2024-01-01,2024-01-01,301\n2,/b,/n,,x,3,0,2024-01-01,2024-01-01,301\n3,/c,/n,,x,3,-2,2024-01-01,2024-01-01,302\n4,/d,/n,,x,3,1,2024-01-01,2024-01-01,307 => /a /n | switchedOff | unknown | /d /n 307
  Magento => url_rewrite_id,entity_type,entity_id,request_path,target_path,redirect_type,store_id,description,is_autogenerated\n1,custom,0,/a,/n,301,1,,0\n2,custom,0,/b,/n,302,1,,0\n3,product,7,/c,/n,0,1,,1 => /a /n | /b /n 302 | switchedOff
  HubSpot => id,routePrefix,destination,redirectStyle,precedence,isMatchFullUrl,isMatchQueryString,isOnlyAfterNotFound,isPattern,isTrailingSlashOptional,isProtocolAgnostic,isActive,note\n1,/a,/n,301,9,false,false,true,false,true,true,true,\n2,/b,/n,302,9,false,false,true,false,true,true,false,\n3,/c,/n,305,9,false,false,true,false,true,true,true,\n4,/d/{x},/n,301,9,false,false,true,true,true,true,true, => /a /n | switchedOff | notRedirect | pattern
  Craft => redirectSrcUrl,redirectDestUrl,redirectMatchType,redirectHttpCode,redirectSrcMatch,enabled,siteId,hitCount,hitLastTime,dateCreated,uid\n/a,/n,exactmatch,301,pathonly,1,1,3,2024-01-01 10:00:00,2024-01-01 10:00:00,x\n/b,/n,exactmatch,302,pathonly,0,1,3,2024-01-01 10:00:00,2024-01-01 10:00:00,x => /a /n | switchedOff
  October => id,match_type,from_url,to_url,status_code,hits,from_date,to_date,sort_order,is_enabled,keep_querystring\n1,exact,/a,/n,302,3,2024-01-01,2030-01-01,1,1,1\n2,placeholders,/b/{x},/n,301,3,,,2,1,0\n3,exact,/c,/n,301,3,,,3,0,0 => /a /n 302 passes from 2024-01-01T00:00:00.000Z until 2030-01-02T00:00:00.000Z | unknown | switchedOff
  bulk redirects of Cloudflare => /a,/n,301,TRUE,FALSE,FALSE,TRUE\n/b,/n,301,TRUE,FALSE,TRUE,TRUE\n/c,/n,301,what is this\n/d,/n,200 => /a /n passes | pattern | refused | notRedirect
`;

describe('columns that say more of a row than two addresses', () => {
  for (const { what: tool, text, rules } of casesOf(TABLES)) {
    it(`are obeyed, or their row is refused: ${tool}`, () => {
      expect(read(text)).to.deep.equal(rules);
    });
  }

  const UNKNOWN = String.raw`
    a state by name => path,target,moderation_state\n/a,/n,x => moderation_state
    a state by values => path,target,zustand\n/a,/n,aus\n/b,/n,1 => 
    words of a state => path,target,gelöscht\n/a,/n,0\n/b,/n,1 => gelöscht
    a date by values => path,target,bis\n/a,/n,\n/b,/n,31.12.2023 => bis
    a time of Unix => path,target,ablauf\n/a,/n,1700000000 => ablauf
    a code by values => path,target,antwort\n/a,/n,302\n/b,/n,301 => antwort
    kinds of match => path,target,vergleich\n/a,/n,exact\n/b,/n,regex => vergleich
    more than one site => path,target,siteId\n/a,/n,1\n/b,/n,2 => siteId
    one site => path,target,siteId\n/a,/n,1\n/b,/n,1 => 
    empty and harmless ones => path,target,foo_status,note,created_at,hits\n/a,/n,,x,2024-01-01,301 => `;

  for (const { what, text, rules } of casesOf(UNKNOWN)) {
    it(`that are not known stop the import if they may change its rules, and are named: ${what}`, () => {
      const [column = ''] = rules;
      if (column === '') expect(() => read(text)).to.not.throw();
      else
        expect(() => read(text)).to.throw(
          `columns that are not known and may change what its redirects do: ${column} (`,
        );
    });
  }

  it('are read by the names that they are given', () => {
    const text = 'alt;neu;gelöscht;bis;antwort;bemerkung\n/a;/n;1;;;first\n/b;/n;0;31.12.2029;302;second';
    const names = 'alt=path, neu=target, Gelöscht=disabled, bis=valid_until, antwort=status';
    expect(read(text, 'table.csv', names)).to.deep.equal(['switchedOff', '/b /n 302 until 2030-01-01T00:00:00.000Z']);
    expect(read('path,target,gelöscht\n/a,/n,1', 'table.csv', 'gelöscht=ignore')).to.deep.equal(['/a /n']);
    expect(read('{"path":"/a","target":"/n","weg":true}', 'rows.jsonl', 'weg=disabled')).to.deep.equal(['switchedOff']);
    expect(() => read('path,target\n/a,/n', 'table.csv', 'geloescht=disabled')).to.throw('has no column geloescht');
    for (const wrong of ['gelöscht', '=disabled', 'gelöscht=weg', 'a=disabled,b'])
      expect(() => parseColumnNames(wrong), wrong).to.throw('columns must be pairs such as deleted=disabled');
  });

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
      { path: '/k', target: '/n', query: { half: '\ud800' } },
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
      '/k?half=%EF%BF%BD /n',
    ]);
  });
});
