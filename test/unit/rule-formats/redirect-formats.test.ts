import { expect } from 'chai';
import fc from 'fast-check';
import { encodeTarget, formatSource, parseSource, type SourceAddress } from '#src/rule-formats/read/source-address.js';
import { RedirectFile } from '#src/rule-formats/read/redirect-file.js';
import type { LocatedRule } from '#src/rule-formats/read/read-rule.js';
import { EXPORT_FORMATS, EXPRESSION_FORMATS, writeFormat, type ExportFormat } from '#src/rule-formats/write/formats.js';
import type { ExportGone, ExportRule } from '#src/rule-formats/write/written-rule.js';
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
  .map(([old, to, rest]) => {
    const path = `${folderOf(`/old-${old}`)}/`;
    const target = encodeTarget(`https://shop.example${to.replace(/[?#]/g, '')}`);
    return { path, query: '', to: rest === 'kept' ? `${target.replace(/\/$/, '')}/` : target, rest };
  });

const pattern = fc
  .tuple(
    hostileSegment,
    fc.constantFrom(':number', ':number/:number'),
    fc.constantFrom('kept' as const, 'dropped' as const),
  )
  .map(([old, numbers, rest]): ExportRule => {
    return { path: `${folderOf(`/old-${old}`)}/${numbers}/`, query: '', to: 'https://shop.example/new/', rest };
  });
const goneBelow = fc.tuple(hostileSegment, fc.constantFrom('/', '/:number/')).map(([old, end]): ExportGone => {
  return { path: folderOf(`/gone-${old}`) + end, query: '', rest: 'dropped' };
});
const PATTERN_FORMATS = [...EXPRESSION_FORMATS, 'json', 'csv'] as const;

/** One path as servers see it that make one of several slashes. */
const merges = new Set<ExportFormat>(['nginx', 'apache', 'caddy', 'iis']);

function comparable(rule: ExportRule, format: ExportFormat): string {
  // Servers look for parameters, and an empty one is none.
  const query = rule.query.replace(/&+/g, '&').replace(/^&|&$/g, '');
  const source = formatSource({ query, path: merges.has(format) ? rule.path.replace(/\/{2,}/g, '/') : rule.path });
  // Parentheses, too, have a meaning in a destination of Vercel, and are encoded.
  const to = format === 'vercel' ? rule.to.replace(/[()+]/g, (one) => `%${one.charCodeAt(0).toString(16)}`) : rule.to;
  return [source, to, rule.rest ?? 'exact'].join(' ').toLowerCase();
}

function goneOf(source: SourceAddress | undefined, format: ExportFormat): string {
  return source ? comparable({ ...source, to: '' }, format) : '?';
}

function readBack(text: string, format: ExportFormat): { rules: ExportRule[]; gone: string[]; others: LocatedRule[] } {
  const file = new RedirectFile(`rules.${format}`, format);
  const read = [...text.split('\n').flatMap((line) => file.push(line)), ...file.end()];
  const rules = read.flatMap((rule): ExportRule[] => {
    if (rule.kind === 'redirect') return [{ ...(parseSource(rule.from) ?? { path: '?', query: '' }), to: rule.to }];
    if (rule.kind !== 'wildcard') return [];
    const { path } = parseSource(rule.from) ?? { path: '?' };
    return [{ path, query: '', to: rule.to, rest: rule.keepsRest ? 'kept' : 'dropped' }];
  });
  const gone = read.flatMap((rule) => (rule.kind === 'gone' ? [goneOf(parseSource(rule.from), format)] : []));
  return { rules, gone, others: read.filter(({ kind }) => kind === 'refused' || kind === 'skipped') };
}

describe('a pattern, and all that is gone below a path, exported and read again', () => {
  for (const format of PATTERN_FORMATS) {
    it(`is the same in ${format}`, () => {
      fc.assert(
        fc.property(
          fc.uniqueArray(pattern, { maxLength: 4, selector: ({ path }) => path }),
          fc.uniqueArray(goneBelow, { maxLength: 3, selector: ({ path }) => path }),
          (rules, gone) => {
            const { text, unfit } = writeFormat(format, rules, gone);
            for (const { rule, reason } of unfit)
              expect(`${rule.path} ${reason}`).to.match(/%00|%2F|not printable|no rule for what is gone/i);
            const left = new Set<unknown>(unfit.map(({ rule }) => rule));
            const file = new RedirectFile(`rules.${format}`, format);
            const read = [...text.split('\n').flatMap((line) => file.push(line)), ...file.end()];
            const plain = (path: string): string =>
              decodeURI(path.replace(/%(?![0-9a-f]{2})/gi, '%25').replace(/%[89a-f]/gi, '_'))
                .toLowerCase()
                .replace(/\/{2,}/g, '/');
            const source = (path: string): string =>
              plain((parseSource(path) ?? { path: '?' }).path.replaceAll('%3Anumber', ':number'));
            const said = read.flatMap((rule) => {
              if (rule.kind === 'wildcard') return [`${source(rule.from)} ${rule.to} ${String(rule.keepsRest)}`];
              return rule.kind === 'bare'
                ? [`${source(rule.from)} ${rule.action}`]
                : rule.kind === 'nothing'
                  ? []
                  : [rule.kind];
            });
            const wanted = [
              ...rules
                .filter((one) => !left.has(one))
                .map(({ path, to, rest }) => `${plain(path)} ${to} ${String(rest === 'kept')}`),
              ...gone.filter((one) => !left.has(one)).map(({ path }) => `${plain(path)} gone`),
            ];
            expect(said.sort()).to.deep.equal(wanted.sort());
          },
        ),
        {
          numRuns: 100,
          examples: ['/gone-%E9/:number/', '/gone-%2F/', '/gone%2Fx/:number/'].map(
            (path): [ExportRule[], ExportGone[]] => [
              [{ path: path.replace('gone', 'old'), query: '', to: 'https://shop.example/new/', rest: 'kept' }],
              [{ path, query: '', rest: 'dropped' }],
            ],
          ),
        },
      );
    });
  }
});

describe('a redirect that is exported and read again', () => {
  for (const format of EXPORT_FORMATS) {
    it(`is the same in ${format}, whatever its path holds`, () => {
      fc.assert(
        fc.property(
          fc.array(fc.oneof(exact, wildcard), { maxLength: 5 }),
          fc.array(exact, { maxLength: 2 }),
          (rules, addresses) => {
            const gone = addresses.map(({ path, query }) => ({ path, query }));
            const { text, unfit } = writeFormat(format, rules, gone);
            const left = new Set<unknown>(unfit.map(({ rule }) => rule));
            const { rules: read, gone: readGone, others } = readBack(text, format);
            expect(others).to.deep.equal([]);
            expect(readGone.sort()).to.deep.equal(
              gone
                .filter((one) => !left.has(one))
                .map((one) => goneOf(one, format))
                .sort(),
            );
            const fitting = rules.filter((rule) => !left.has(rule));
            expect(read.map((rule) => comparable(rule, format)).sort()).to.deep.equal(
              fitting.map((rule) => comparable(rule, format)).sort(),
            );
          },
        ),
        { numRuns: 300 },
      );
    });
  }
});
