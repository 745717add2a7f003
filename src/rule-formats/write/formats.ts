import { formatSource } from '../read/source-address.js';
import { APACHE } from './apache.js';
import { CLOUDFLARE, createIis, NETLIFY, VERCEL } from './hosting-services.js';
import { NGINX } from './nginx.js';
import { CADDY, HAPROXY, TRAEFIK, traefikChain } from './proxy-servers.js';
import {
  wildcardOf,
  writeRules,
  type ExportGone,
  type ExportRule,
  type RuleFormat,
  type Written,
} from './written-rule.js';

const JSON_ROWS: RuleFormat = {
  head: ['['],
  separator: ',\n',
  foot: [']'],
  write: (rule) => [JSON.stringify({ path: sourceOf(rule), expected: wildcardOf(rule).to })],
  writeGone: (source) => [
    JSON.stringify({ path: bareSource(source), ...(source.ignored ? { action: 'ignore' } : { status: 410 }) }),
  ],
};

/** RFC 4180. */
const CSV: RuleFormat = {
  head: ['old,new,status'],
  write: (rule) => [[sourceOf(rule), wildcardOf(rule).to, '301'].map(csvCell).join(',')],
  writeGone: (source) => [[bareSource(source), '', source.ignored ? 'ignore' : '410'].map(csvCell).join(',')],
};

interface ExportedFormat {
  /** Of so many rules. */
  rules: RuleFormat | ((rules: number) => RuleFormat);
  /** For docs/redirects.md, as `limits` are. */
  what: string;
  limits?: string;
  /** Whether its rules are regular expressions. */
  isExpression?: true;
}

const FORMATS = {
  nginx: { rules: NGINX, what: '`location = …` for a `server` block', isExpression: true },
  apache: {
    rules: APACHE,
    what: '`RewriteRule` for a virtual host or `.htaccess`',
    limits: 'no `%2F` in an old path',
    isExpression: true,
  },
  caddy: { rules: CADDY, what: '`redir` for a site block', isExpression: true },
  traefik: {
    rules: (rules) => ({ ...TRAEFIK, foot: traefikChain(rules) }),
    what: 'dynamic configuration: middlewares `redirectRegex`, and a chain `pathmend` of them',
    isExpression: true,
  },
  haproxy: { rules: HAPROXY, what: '`http-request redirect` for a frontend', isExpression: true },
  iis: {
    rules: () => createIis(),
    what: '`web.config` with URL Rewrite',
    limits: '240 KB; no `%2F` in an old path',
    isExpression: true,
  },
  netlify: { rules: NETLIFY, what: '`_redirects`', limits: 'no slash as the only difference' },
  vercel: { rules: VERCEL, what: '`vercel.json`', limits: '1,024; 4,096 characters' },
  cloudflare: {
    rules: CLOUDFLARE,
    what: '`_redirects` of Pages and Workers',
    limits: '2,000 of one path, 100 wildcards, 1,000 characters; no query strings',
  },
  json: { rules: JSON_ROWS, what: 'rows for programs' },
  csv: { rules: CSV, what: 'rows for people' },
} satisfies Record<string, ExportedFormat>;

export type ExportFormat = keyof typeof FORMATS;
export const EXPORT_FORMATS = Object.keys(FORMATS) as ExportFormat[];

export function formatOf(format: ExportFormat): ExportedFormat {
  return FORMATS[format];
}

/** Those whose rules are regular expressions. */
export const EXPRESSION_FORMATS = EXPORT_FORMATS.filter((format) => formatOf(format).isExpression);

/** Rules as a server reads them, and those that it cannot have. `gone`: addresses that are gone for good. */
export function writeFormat(
  format: ExportFormat,
  rules: readonly ExportRule[],
  gone: readonly ExportGone[] = [],
): Written {
  const { rules: written } = formatOf(format);
  return writeRules(typeof written === 'function' ? written(rules.length) : written, rules, gone);
}

export function csvCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function bareSource(one: ExportGone): string {
  return one.below ? `${one.path}*` : formatSource(one);
}

function sourceOf(rule: ExportRule): string {
  return rule.rest ? wildcardOf(rule).from : formatSource(rule);
}
