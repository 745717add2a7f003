import { expect } from 'chai';
import fc from 'fast-check';
import { OperatorError } from '#src/base/errors.js';
import { REDIRECT_FORMATS, RedirectFile, type RedirectFormat } from '#src/rule-formats/read/redirect-file.js';
import type { LocatedRule } from '#src/rule-formats/read/read-rule.js';

const WORDS = [
  ...String.raw`/old /new /p-:id.html /a/* /n/:splat /n/$1 https://a.example/x 302 451 410 [R=302,QSA] ^/a/([^/]+)$ ^/(a|b)$
    ^/p-(\d+)\.html$ (^|&)id=7(&|$) ^(www\.)?a\.example$ %{HTTP_HOST} %1 RewriteCond RewriteRule Redirect RedirectMatch
    ServerName server { } ; server_name location = ~ if ($arg_id 7) return rewrite permanent map $uri $new ($new) redir @m
    path host query id=7 handle respond a.example http-request redirect code hdr(host) -i date ge 99999999999 url_param(id)
    ü " ' \ constructor __proto__ {"path":"/a","match":"pattern"}`.split(/\s+/),
  ...['<VirtualHost *:80>', '</VirtualHost>', '\ud800', '\n', '\n', '\n', '\n'],
];
const text = fc.array(fc.oneof(fc.constantFrom(...WORDS), fc.string({ maxLength: 8 })), { maxLength: 60 });

function read(name: string, format: RedirectFormat | undefined, content: string): LocatedRule[] {
  try {
    const file = new RedirectFile(name, format);
    return [...content.split('\n').flatMap((line) => file.push(line)), ...file.end()];
  } catch (error) {
    if (error instanceof OperatorError) return [];
    throw error;
  }
}

describe('a file of rules with any words in any order', () => {
  for (const format of REDIRECT_FORMATS)
    it(`is read or refused in its lines: ${format}`, () => {
      fc.assert(
        fc.property(text, (words) => {
          for (const rule of read(`rules.${format}`, format, words.join(' ')))
            expect(rule.kind === 'refused' ? rule.reason : rule.kind).to.be.a('string');
        }),
        { numRuns: 400 },
      );
    });

  it('of vercel.json is read or refused, whatever its texts hold', () => {
    const value = fc.oneof(fc.constantFrom(...WORDS, true, 7, null), fc.string({ maxLength: 12, unit: 'binary' }));
    const redirect = fc.record(
      {
        source: value,
        destination: value,
        permanent: value,
        statusCode: value,
        has: fc.array(fc.record({ type: fc.constantFrom('host', 'query'), key: value, value })),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(redirect, { maxLength: 4 }), (redirects) => {
        expect(read('vercel.json', undefined, JSON.stringify({ redirects }))).to.be.an('array');
      }),
      { numRuns: 400 },
    );
  });
});
