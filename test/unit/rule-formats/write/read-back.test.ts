import { expect } from 'chai';
import { parsePathPattern, type PathPattern } from '#src/rule-formats/path-pattern.js';
import type { LocatedRule, RuleTerms } from '#src/rule-formats/read/read-rule.js';
import { RedirectFile } from '#src/rule-formats/read/redirect-file.js';
import { writeFormat } from '#src/rule-formats/write/formats.js';
import type { ExportGone, ExportRule } from '#src/rule-formats/write/written-rule.js';

function patternOf(path: string): PathPattern {
  const pattern = parsePathPattern(path);
  if ('refused' in pattern) throw new Error(pattern.refused);
  return pattern;
}

const TO = 'https://shop.example/new';
const rule = (path: string, more: Partial<ExportRule> = {}): ExportRule => ({ path, query: '', to: TO, ...more });
const RULES: readonly (ExportRule | ExportGone)[] = [
  ...([302, 303, 307, 308] as const).map((code) => rule(`/code-${code}`, { code })),
  rule('/host', { host: 'old.example' }),
  rule('/one', { query: 'id=7' }),
  rule('/two', { query: 'id=7&q=a%20b' }),
  rule('/passed', { passQuery: true }),
  rule('/passed-on', { passQuery: true, to: `${TO}?a=1#part` }),
  rule('/section', { to: `${TO}#part-2` }),
  rule('/all', { host: 'old.example', query: 'id=7', passQuery: true, code: 302, to: `${TO}#part` }),
  rule('/dates', { validFrom: '2026-01-01T00:00:00.000Z', validUntil: '2099-01-01T00:00:00.000Z' }),
  rule('/kept/', { rest: 'kept', to: `${TO}/`, host: 'old.example', code: 302 }),
  rule('/kept-passed/', { rest: 'kept', to: `${TO}/`, passQuery: true }),
  rule('/p-:p1', { pattern: patternOf('/p-:p1'), to: `${TO}/:p1` }),
  rule('/n/:number/:p1', { pattern: patternOf('/n/:number/:p1'), to: `${TO}/:p1/:number`, code: 302 }),
  rule('/r-*', { pattern: patternOf('/r-*'), to: `${TO}/:splat`, host: 'old.example' }),
  rule('/handbook/*.php', { pattern: patternOf('/handbook/*.php'), to: `${TO}/:splat` }),
  rule('/manual/v-*.html', { pattern: patternOf('/manual/v-*.html'), to: `${TO}/:splat/x`, code: 302 }),
  { path: '/law', query: '', code: 451 },
  { path: '/laws/', query: '', code: 451, rest: 'dropped', host: 'old.example' },
  { path: '/lost-:p1', query: '', pattern: patternOf('/lost-:p1') },
];

/** Formats that no server of the tests reads, and those that promise to come back. */
const READ_BACK = ['iis', 'netlify', 'vercel', 'cloudflare', 'json', 'csv'] as const;
type ReadBack = (typeof READ_BACK)[number];

/** Without what a server cannot hold: its file says it by a note. */
function termsIn(format: ReadBack, { host, code, passQuery, validFrom, validUntil }: RuleTerms): string {
  const hasDates = ['json', 'csv'].includes(format);
  const saysPassing = !['netlify', 'vercel', 'cloudflare'].includes(format);
  const dates = hasDates ? [validFrom, validUntil] : [];
  return JSON.stringify([host, code, saysPassing && passQuery, ...dates]);
}

function readBack(text: string, format: ReadBack): LocatedRule[] {
  const file = new RedirectFile(`rules.${format}`, format);
  return [...text.split('\n').flatMap((line) => file.push(line)), ...file.end()].filter(
    ({ kind }) => kind !== 'nothing',
  );
}

function describeRule(locatedRule: LocatedRule, format: ReadBack): string {
  if (!('from' in locatedRule)) return JSON.stringify(locatedRule);
  const address = locatedRule.from.replace(/^https?:\/\/([^/]+)/, '');
  const host = /^https?:\/\/([^/]+)/.exec(locatedRule.from)?.[1];
  const star = locatedRule.kind === 'wildcard' || (locatedRule.kind === 'bare' && locatedRule.below) ? '*' : '';
  const splat = locatedRule.kind === 'wildcard' && locatedRule.keepsRest ? ':splat' : '';
  const to = 'to' in locatedRule ? `${locatedRule.to ?? ''}${splat}` : '';
  return `${address}${star} ${to} ${termsIn(format, { ...locatedRule.terms, ...(host === undefined ? {} : { host }) })}`;
}

function wanted(exported: ExportRule | ExportGone, format: ReadBack): string {
  const isOpen = !exported.pattern && exported.rest !== undefined;
  const to = 'to' in exported ? exported.to + (exported.rest === 'kept' ? ':splat' : '') : '';
  const address = `${exported.path}${isOpen ? '*' : ''}${exported.query === '' ? '' : `?${exported.query}`}`;
  return `${address} ${to} ${termsIn(format, exported)}`;
}

/** Parameters in one order. */
const inOrder = (text: string): string =>
  text.replace(/\?(\S*?)(?=[# ])/g, (_, query: string) => `?${query.split('&').sort().join('&')}`);

describe('a rule with its terms, exported and read again', () => {
  for (const format of READ_BACK)
    it(`is the same in ${format}`, () => {
      const failed = RULES.flatMap((exported) => {
        const [rules, gone] = 'to' in exported ? [[exported], []] : [[], [exported]];
        const { text, unfit } = writeFormat(format, rules, gone);
        if (unfit.length > 0) return [];
        const read = readBack(text, format).map((locatedRule) => inOrder(describeRule(locatedRule, format)));
        const expected = inOrder(wanted(exported, format));
        return read.length === 1 && read[0] === expected ? [] : [{ wanted: expected, read }];
      });
      expect(failed).to.deep.equal([]);
    });
});
