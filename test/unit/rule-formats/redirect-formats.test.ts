import { expect } from 'chai';
import fc from 'fast-check';
import { encodeTarget, formatSource, parseSource } from '#src/rule-formats/read/source-address.js';
import { RedirectFile } from '#src/rule-formats/read/redirect-file.js';
import type { LocatedRule } from '#src/rule-formats/read/read-rule.js';
import { writeFormat } from '#src/rule-formats/write/formats.js';
import type { ExportGone, ExportRule } from '#src/rule-formats/write/written-rule.js';
import { askTraefik } from '../../support/ask-traefik.js';
import { hostileAddress, hostileSegment } from '../../support/hostile-addresses.js';

const exact = fc
  .tuple(hostileAddress, fc.option(hostileSegment, { nil: undefined }), hostileAddress)
  .map(([path, query, to]): ExportRule => {
    const source = parseSource(
      path.replace(/[?#]/g, '') + (query === undefined ? '' : `?${query.replaceAll('#', '')}`),
    );
    if (!source) throw new Error(path);
    return { ...source, to: encodeTarget(`https://shop.example${to}`) };
  });
/** Without a slash at its end. `/old/..` is the root, of which no rule is made. */
function folderOf(text: string): string {
  return (parseSource(text.replace(/[?#]/g, ''))?.path ?? '').replace(/\/+$/, '') || '/old';
}

const wildcard = fc
  .tuple(hostileSegment, hostileAddress, fc.constantFrom('kept' as const, 'dropped' as const))
  .map(([old, to, rest]): ExportRule => {
    const path = `${folderOf(`/old-${old}`)}/`;
    const target = encodeTarget(`https://shop.example${to.replace(/[?#]/g, '')}`);
    return { path, query: '', to: rest === 'kept' ? `${target.replace(/\/$/, '')}/` : target, rest };
  });
const below = fc
  .tuple(hostileSegment, fc.constantFrom('/', '/:number/', '/:number/:number/'), fc.boolean())
  .map(([old, end, isGone]): ExportRule | ExportGone => {
    const rule = { path: folderOf(`/${isGone ? 'gone' : 'old'}-${old}`) + end, query: '', rest: 'dropped' as const };
    return isGone ? rule : { ...rule, to: 'https://shop.example/new/', rest: 'kept' };
  });

/** Formats that no server of the tests reads: what a file says is read back. IIS makes one of several slashes. */
const READ_BACK = ['iis', 'netlify', 'vercel', 'cloudflare', 'json', 'csv'] as const;
type ReadBack = (typeof READ_BACK)[number];

function comparable(rule: ExportRule | ExportGone, format: ReadBack): string {
  // Servers look for parameters, and an empty one is none.
  const query = rule.query.replace(/&+/g, '&').replace(/^&|&$/g, '');
  const source = formatSource({ query, path: format === 'iis' ? rule.path.replace(/\/{2,}/g, '/') : rule.path });
  const to = 'to' in rule ? rule.to : 'gone';
  // Parentheses, too, have a meaning in a destination of Vercel, and are encoded.
  const target =
    format === 'vercel' ? to.replace(/[()+]/g, (character) => `%${character.charCodeAt(0).toString(16)}`) : to;
  return [source, target, rule.rest ?? 'exact'].join(' ').toLowerCase();
}

function readBack(text: string, format: ReadBack): string[] {
  const file = new RedirectFile(`rules.${format}`, format);
  const read = [...text.split('\n').flatMap((line) => file.push(line)), ...file.end()];
  const toText = (rule: LocatedRule): string => {
    if (!('from' in rule)) return rule.kind;
    const source = parseSource(rule.from) ?? { path: '?', query: '' };
    const path = source.path.replaceAll('%3Anumber', ':number');
    const isBelow = rule.kind === 'wildcard' || (rule.kind === 'bare' && rule.below);
    const rest = rule.kind === 'wildcard' && rule.keepsRest ? 'kept' : 'dropped';
    const destination = 'to' in rule && rule.to !== undefined ? { to: rule.to } : {};
    return comparable({ ...source, path, ...destination, ...(isBelow && { rest }) }, format);
  };
  return read.filter(({ kind }) => kind !== 'nothing').map(toText);
}

describe('rules that are written and read again', () => {
  for (const format of READ_BACK)
    it(`are the same in ${format}, whatever their paths hold`, () => {
      fc.assert(
        fc.property(
          fc.array(fc.oneof(exact, wildcard), { maxLength: 5 }),
          fc.array(exact, { maxLength: 2 }),
          fc.uniqueArray(below, { maxLength: 3, selector: ({ path }) => path }),
          (rules, addresses, more) => {
            const gone: ExportGone[] = addresses.map(({ path, query }) => ({ path, query }));
            // The letters of such an escape are compared in both cases, which the reader does not know.
            const all = [...rules, ...gone, ...more].filter(
              ({ query }) => format !== 'iis' || !/%(?:\d?[A-F])/i.test(query),
            );
            const { text, unfit } = writeFormat(
              format,
              all.filter((rule): rule is ExportRule => 'to' in rule),
              all.filter((rule) => !('to' in rule)),
            );
            const left = new Set<unknown>(unfit.map(({ rule }) => rule));
            const wanted = all.filter((rule) => !left.has(rule)).map((rule) => comparable(rule, format));
            const plain = (lines: string[]): string[] => [...new Set(lines)].sort();
            expect(plain(readBack(text, format))).to.deep.equal(plain(wanted));
          },
        ),
        { numRuns: 300 },
      );
    });
});

describe('rules that are written for Traefik', () => {
  it('answer their own path with their own target, whatever both hold', () => {
    fc.assert(
      fc.property(exact, (rule) => {
        const { text, unfit } = writeFormat('traefik', [rule]);
        if (unfit.length > 0) return;
        expect(askTraefik(text, formatSource(rule))).to.deep.equal({ status: 301, location: rule.to });
      }),
      { numRuns: 300 },
    );
  });
});
