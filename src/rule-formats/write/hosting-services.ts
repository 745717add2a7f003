import { parseSource } from '../read/source-address.js';
import { hexOf, patternPath, targetOf } from './regular-expressions.js';
import { hasNumbers, wildcardOf, type ExportRule, type RuleFormat } from './written-rule.js';

/** Hosts pass the query string of a request on, and no rule can change it. */
const OWN_QUERY = 'the query string of the request is not passed on: the new address has one of its own';
const BY_CASE = 'this host may tell upper and lower case apart: no rule of it says otherwise';

const NO_PATTERNS = { reason: 'this host compares no patterns; pathmend answers it' };

/** Writes a pattern of whole segments, `/blog/:slug/*`, which is all that these hosts compare. */
function wholeSegments(rule: ExportRule): { from: string; to: string } | { reason: string } {
  const { pattern } = rule;
  if (!pattern) return hasNumbers(rule.path) ? NO_PATTERNS : wildcardOf(rule);
  if (pattern.segments.some(({ placeholder }) => placeholder?.takes === 'number'))
    return { reason: 'a placeholder of this host takes any text, not digits alone' };
  if (pattern.segments.some(({ before, placeholder, after }) => placeholder && before + after !== ''))
    return { reason: 'a placeholder of this host takes a whole segment' };
  return {
    from: patternPath(pattern, String, ({ name, takes }) => (takes === 'rest' ? '*' : `:${name}`)),
    to: targetOf(rule, (_, name = '') => `:${name}`),
  };
}

/** The code has an exclamation mark, `301!`: without it, Netlify serves a file of that path first. */
export const NETLIFY: RuleFormat = {
  head: ['# _redirects of Netlify'],
  redirectsAlone: true,
  codes: [301, 302],
  keepsOwnQuery: OWN_QUERY,
  byCase: BY_CASE,
  write: (rule) => {
    const whole = wholeSegments(rule);
    if ('reason' in whole) return whole;
    const from = rule.host === undefined ? whole.from : `https://${rule.host}${whole.from}`;
    const code = `${rule.code ?? 301}!`;
    const isSlashAlone = withoutSlash(rule.path) === withoutSlash(parseSource(rule.to)?.path ?? '');
    if (!rule.isAway && rule.host === undefined && isSlashAlone)
      return { reason: 'Netlify makes no difference between a path with and without a slash at its end: a loop' };
    const parameters = partsOfQuery(rule);
    if (parameters.some((parameter) => !/^[\w.-]+=[^=]+$/.test(parameter)))
      return { reason: 'Netlify compares parameters of the form name=value only' };
    return [[from, ...parameters, whole.to, code].join(' ')];
  },
};

const CLOUDFLARE_LENGTH = 1_000;

/**
 * Cloudflare takes 2,000 redirects of one path and 100 wildcards, each of at most 1,000 characters
 * (developers.cloudflare.com/pages/configuration/redirects).
 */
export const CLOUDFLARE: RuleFormat = {
  head: ['# _redirects of Cloudflare Pages and Workers'],
  redirectsAlone: true,
  noHosts: 'Cloudflare compares no hosts in this file',
  keepsOwnQuery: OWN_QUERY,
  byCase: BY_CASE,
  max: { exact: 2_000, wildcards: 100, reason: 'Cloudflare takes 2,000 redirects of one path and 100 wildcards' },
  write: (rule) => {
    const whole = wholeSegments(rule);
    if ('reason' in whole) return whole;
    const line = `${whole.from} ${whole.to} ${rule.code ?? 301}`;
    if (rule.query !== '') return { reason: 'Cloudflare compares no query strings' };
    return line.length > CLOUDFLARE_LENGTH ? { reason: `longer than ${CLOUDFLARE_LENGTH} characters` } : [line];
  },
};

const VERCEL_LENGTH = 4_096;

/**
 * Vercel's guides name 1,024 redirects, its reference 2,048: the smaller limit holds. path-to-regexp's characters are
 * escaped.
 */
export const VERCEL: RuleFormat = {
  head: ['{', '  "redirects": ['],
  redirectsAlone: true,
  separator: ',\n',
  foot: ['  ]', '}'],
  max: { exact: 1_024, wildcards: 1_024, all: 1_024, reason: 'Vercel takes 1,024 redirects' },
  byCase: BY_CASE,
  write: (rule) => {
    if (!rule.pattern && hasNumbers(rule.path)) return NO_PATTERNS;
    const { source, destination } = vercelPaths(rule);
    if (source.length > VERCEL_LENGTH || destination.length > VERCEL_LENGTH)
      return { reason: `longer than ${VERCEL_LENGTH} characters` };
    const parameters = partsOfQuery(rule).map((parameter) => {
      const [key = '', ...value] = parameter.split('=');
      return { type: 'query', key, value: value.join('=') };
    });
    // A value is a regular expression.
    if (parameters.some(({ key, value }) => !/^[\w-]+$/.test(key) || !/^[\w-]+$/.test(value)))
      return { reason: 'Vercel compares plain parameters of the form name=value only' };
    const has = [...(rule.host === undefined ? [] : [{ type: 'host', value: rule.host }]), ...parameters];
    const written = { source, ...(has.length === 0 ? {} : { has }), destination, statusCode: rule.code ?? 301 };
    return [`    ${JSON.stringify(written)}`];
  },
};

function vercelPaths(rule: ExportRule): { source: string; destination: string } {
  const { path, rest, pattern } = rule;
  const escape = (text: string): string => {
    const origin = /^https?:\/\/[^/?#]*/i.exec(text)?.[0] ?? '';
    return origin + text.slice(origin.length).replace(/[():*+{}]/g, (sign) => `%${hexOf(sign.charCodeAt(0))}`);
  };
  const literal = (text: string): string => text.replace(/[():*+?{}.\\]/g, '\\$&');
  const kinds = { text: '', number: '(\\d+)', rest: '(.+)' };
  return {
    source: pattern
      ? patternPath(pattern, literal, ({ name, takes }) => `:${name}${kinds[takes]}`)
      : literal(path) + (rest ? ':rest(.*)' : ''),
    destination: targetOf(rule, (_, name = 'rest') => `:${name}`, escape),
  };
}

/** Lists the parameters with the empty ones, which no rule of a host compares. */
function partsOfQuery({ query }: ExportRule): string[] {
  return query === '' ? [] : query.split('&');
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}
