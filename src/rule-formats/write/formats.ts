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

export const EXPORT_FORMATS = [
  'nginx',
  'apache',
  'caddy',
  'traefik',
  'haproxy',
  'iis',
  'netlify',
  'vercel',
  'cloudflare',
  'json',
  'csv',
] as const;
/** Those whose rules are regular expressions. */
export const EXPRESSION_FORMATS = ['nginx', 'apache', 'caddy', 'traefik', 'haproxy', 'iis'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Rules as a server reads them, and those that it cannot have. `gone`: addresses that are gone for good. */
export function writeFormat(
  format: ExportFormat,
  rules: readonly ExportRule[],
  gone: readonly ExportGone[] = [],
): Written {
  switch (format) {
    case 'nginx':
      return writeRules(NGINX, rules, gone);
    case 'apache':
      return writeRules(APACHE, rules, gone);
    case 'caddy':
      return writeRules(CADDY, rules, gone);
    case 'haproxy':
      return writeRules(HAPROXY, rules, gone);
    case 'traefik':
      return writeRules({ ...TRAEFIK, foot: traefikChain(rules.length) }, rules, gone);
    case 'iis':
      return writeRules(createIis(), rules, gone);
    case 'netlify':
      return writeRules(NETLIFY, rules, gone);
    case 'vercel':
      return writeRules(VERCEL, rules, gone);
    case 'cloudflare':
      return writeRules(CLOUDFLARE, rules, gone);
    case 'json':
      return writeRules(JSON_ROWS, rules, gone);
    case 'csv':
      return writeRules(CSV, rules, gone);
  }
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
