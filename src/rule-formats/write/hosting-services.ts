import { parseSource, printablePath, type SourceAddress } from '../read/source-address.js';
import { expressionOf, mergedPath, targetOf, textExpression, xmlText } from './regular-expressions.js';
import { hasNumbers, wildcardOf, type ExportGone, type ExportRule, type RuleFormat } from './written-rule.js';

const NO_PATTERNS = { reason: 'this host compares no patterns; pathmend answers it' };

function isPattern({ path, rewriting }: ExportRule): boolean {
  return rewriting !== undefined || hasNumbers(path);
}

/** `301!`: Netlify serves a file of that path first, unless it is told not to. */
export const NETLIFY: RuleFormat = {
  head: ['# _redirects of Netlify'],
  write: (rule) => {
    if (isPattern(rule)) return NO_PATTERNS;
    const { from, to } = wildcardOf(rule);
    if (!rule.isAway && withoutSlash(rule.path) === withoutSlash(parseSource(rule.to)?.path ?? ''))
      return { reason: 'Netlify makes no difference between a path with and without a slash at its end: a loop' };
    if (rule.query === '') return [`${from} ${to} 301!`];
    const parameters = rule.query.split('&');
    if (parameters.some((one) => !/^[\w.-]+=[^=]+$/.test(one)))
      return { reason: 'Netlify compares parameters of the form name=value only' };
    return [`${from} ${parameters.join(' ')} ${to} 301!`];
  },
};

const CLOUDFLARE_LENGTH = 1_000;

/** developers.cloudflare.com/pages/configuration/redirects: 2,000 of one path, 100 wildcards, 1,000 characters. */
export const CLOUDFLARE: RuleFormat = {
  head: ['# _redirects of Cloudflare Pages and Workers'],
  max: {
    exact: 2_000,
    wildcards: 100,
    reason: 'Cloudflare takes 2,000 redirects of one path and 100 wildcards',
  },
  write: (rule) => {
    if (isPattern(rule)) return NO_PATTERNS;
    const { from, to } = wildcardOf(rule);
    const line = `${from} ${to} 301`;
    if (rule.query !== '') return { reason: 'Cloudflare compares no query strings' };
    return line.length > CLOUDFLARE_LENGTH ? { reason: `longer than ${CLOUDFLARE_LENGTH} characters` } : [line];
  },
};

const VERCEL_LENGTH = 4_096;

/** Its guides name 1,024 redirects, its reference 2,048: the smaller holds. path-to-regexp's characters are escaped. */
export const VERCEL: RuleFormat = {
  head: ['{', '  "redirects": ['],
  separator: ',\n',
  foot: ['  ]', '}'],
  max: { exact: 1_024, wildcards: 1_024, all: 1_024, reason: 'Vercel takes 1,024 redirects' },
  write: (rule) => {
    if (isPattern(rule)) return NO_PATTERNS;
    const { path, query, to, rest } = rule;
    const source = path.replace(/[():*+?{}.\\]/g, '\\$&') + (rest ? ':rest(.*)' : '');
    const origin = /^https?:\/\/[^/?#]*/i.exec(to)?.[0] ?? '';
    const destination =
      origin + to.slice(origin.length).replace(/[():*+{}]/g, percent) + (rest === 'kept' ? ':rest' : '');
    if (source.length > VERCEL_LENGTH || destination.length > VERCEL_LENGTH)
      return { reason: `longer than ${VERCEL_LENGTH} characters` };
    const has = query.split('&').map((one) => {
      const [key = '', ...value] = one.split('=');
      return { type: 'query', key, value: value.join('=') };
    });
    // A value is a regular expression.
    if (query !== '' && has.some(({ key, value }) => !/^[\w-]+$/.test(key) || !/^[\w-]+$/.test(value)))
      return { reason: 'Vercel compares plain parameters of the form name=value only' };
    const written = { source, ...(query === '' ? {} : { has }), destination, statusCode: 301 };
    return [`    ${JSON.stringify(written)}`];
  },
};

/** IIS reads no web.config of more than 250 KB, unless the registry says so. What else it holds needs room. */
const IIS_BYTES = 240 * 1024;

export function createIis(): RuleFormat {
  let bytes = 0;
  const fitting = (path: string, linesFor: (plain: string) => string[]): string[] | { reason: string } => {
    const plain = printablePath(mergedPath(path));
    if (/%2F/i.test(path)) return { reason: 'IIS compares the decoded path: an encoded slash is a slash there' };
    if (plain === undefined) return { reason: 'IIS cannot tell this path apart: it is not printable' };
    const lines = linesFor(plain);
    const length = Buffer.byteLength(lines.join('\n')) + 1;
    if (bytes + length > IIS_BYTES) return { reason: 'IIS reads no web.config of more than 250 KB' };
    bytes += length;
    return lines;
  };
  return {
    head: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<configuration>',
      '  <system.webServer>',
      '    <rewrite>',
      '      <rules>',
    ],
    foot: ['      </rules>', '    </rewrite>', '  </system.webServer>', '</configuration>'],
    write: (rule, number) =>
      fitting(rule.path, (plain) => {
        const target = xmlText(targetOf(rule, (part) => `{R:${part}}`));
        const action = `type="Redirect" url="${target}" redirectType="Permanent" appendQueryString="false"`;
        return iisLines(rule, { plain, number, action });
      }),
    writeGone: (source, number) =>
      fitting(source.path, (plain) => {
        const action = 'type="CustomResponse" statusCode="410" statusReason="Gone"';
        return iisLines(source, { plain, number, action });
      }),
  };
}

function iisLines(
  { query, rest, rewriting, below }: Partial<ExportRule & ExportGone> & SourceAddress,
  { plain, number, action }: { plain: string; number: number; action: string },
): string[] {
  const rule = { path: plain.slice(1), ...(rest ? { rest } : {}), ...(rewriting ? { rewriting } : {}) };
  const begun = expressionOf(rule, { literal: (text) => textExpression(text, dotNetEscape), any: '.' });
  const expression = `^${begun}${below || rest === 'dropped' ? '.*' : ''}$`;
  return [
    `        <rule name="pathmend ${number}" stopProcessing="true">`,
    `          <match url="${xmlText(expression)}" ignoreCase="false" />`,
    ...(query === ''
      ? []
      : [
          `          <conditions><add input="{QUERY_STRING}" pattern="^${xmlText(textExpression(query, dotNetEscape))}$" ignoreCase="false" /></conditions>`,
        ]),
    `          <action ${action} />`,
    '        </rule>',
  ];
}

function dotNetEscape(codePoint: number): string {
  return codePoint > 0x7f
    ? String.fromCodePoint(codePoint)
    : `\\x${codePoint.toString(16).toUpperCase().padStart(2, '0')}`;
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
