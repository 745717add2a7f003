import { expect } from 'chai';
import { readExpression } from '#src/rule-formats/read/expressions.js';
import { toMatchedRule } from '#src/rule-formats/read/to-rule.js';
import { spent } from '../../support/growth.js';

/** The rule of an expression, or why it is refused. */
function read(expression: string, target: string, isRaw = false): string {
  const rule = toMatchedRule(expression, readExpression(expression, isRaw), { target });
  if (rule.kind === 'skipped') return rule.text.slice(`${expression} ${target}: `.length);
  if (!('to' in rule)) return rule.kind;
  const to = rule.kind === 'wildcard' && rule.keepsRest ? `${rule.to}*` : (rule.to ?? '');
  return [rule.kind, rule.from, to, ...(rule.terms?.passQuery ? ['passes'] : [])].join(' ');
}

describe('a regular expression that says what a pattern says is read as one', () => {
  for (const [expression, target, rule] of [
    ['^/p-([0-9]+)\\.html$', '/shop/$1/', 'pattern /p-:number.html /shop/:number/'],
    ['^/p-\\d+\\.html$', '/shop', 'pattern /p-:number.html /shop'],
    ['^/a/([^/]+)/(\\d+)/?$', '/n/$2/$1', 'pattern /a/:p1/:number /n/:number/:p1'],
    ['^/a/(?<year>\\d+)/(?P<slug>[^/]+)$', '/n/$slug/${year}', 'pattern /a/:number/:slug /n/:slug/:number'],
    ['^/a/([0-9]+)/([0-9]+)/(.*)$', '/n/$2-$1/$3', 'pattern /a/:number/:number2/* /n/:number2-:number/:splat'],
    ['^/a/([0-9]+)/(.*)$', '/n/$2', 'wildcard /a/:number/ /n/*'],
    ['^/a/(.+)\\.php$', '/n/$1', 'pattern /a/*.php /n/:splat'],
    ['^/a/(.+?)\\.php$', '/n/$1.html', 'pattern /a/*.php /n/:splat.html'],
    ['^/a/(.*)$', '/n/$1', 'wildcard /a/ /n/*'],
    ['^/a/(.*)$', '/n/$1.html', 'pattern /a/* /n/:splat.html'],
    ['^/a/([0-9]+)$', '/n?id=$1', 'pattern /a/:number /n?id=:number'],
    ['^/a/([0-9]+)_x$', '/n/$1_y', 'pattern /a/:number%5Fx /n/:number%5Fy'],
    ['^/a/:id/([0-9]+)$', '/n/:id/$1', 'pattern /a/%3Aid/:number /n/%3Aid/:number'],
  ] as const)
    it(`${expression} ${target}`, () => {
      expect(read(expression, target)).to.equal(rule);
    });

  it('compared with the request as it is sent, it may end before the query string', () => {
    expect(read('^/a/([^?]+)\\.html(?:\\?.*)?$', '/n/$1', true)).to.equal('pattern /a/*.html /n/:splat');
  });
});

describe('a regular expression that says something else is refused with what is not understood of it', () => {
  for (const [expression, target, why] of [
    ['^/a/([a-z]+)$', '/n/$1', '([a-z]+)'],
    ['^/a/(\\d{4})/x$', '/n/$1', '(\\d{4})/x'],
    ['^/a/(b|c)$', '/n/$1', '(b|c)'],
    ['^/a/([^/]+)?$', '/n', '([^/]+)?'],
    ['^/a/([^/]+)', '/n', 'no $ at its end'],
    ['^/a/x(.*?)', '/n', 'no $ at its end'],
    ['/a/([^/]+)$', '/n', 'no ^'],
    ['^/a/(.*)/b$', '/n', 'a star in its last segment alone'],
    ['^/a/([^/]+)-([^/]+)$', '/n', 'one placeholder in a segment'],
    ['^/page([0-9]+)$', '/n/$1', 'behind a letter or digit'],
    ['^/a/([0-9]+)$', '/n/$2', 'no group $2'],
    ['^/a/([0-9]+)$', 'https://$host/$1', 'no group $host'],
    [`^${'/([0-9]+)'.repeat(70)}$`, '/n', 'more than 64 parts'],
  ] as const)
    it(`${expression.slice(0, 40)} ${target}`, () => {
      expect(read(expression, target)).to.include(why);
    });

  it('in time that grows with its length alone', () => {
    const began = process.cpuUsage();
    for (const fragment of [
      '('.repeat(50_000),
      '[^/]+'.repeat(10_000),
      `/${'a'.repeat(100_000)}`,
      '\\d+'.repeat(20_000),
    ])
      read(`^/a/${fragment}$`, `/n/${'$1'.repeat(20_000)}`);
    expect(spent(began)).to.be.below(2_000);
  });
});
