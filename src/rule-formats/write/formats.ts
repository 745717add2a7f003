import { createApache } from './apache.js';
import { createCaddy } from './caddy.js';
import { createHaproxy } from './haproxy.js';
import { CLOUDFLARE, NETLIFY, VERCEL } from './hosting-services.js';
import { createIis } from './iis.js';
import { createNginx } from './nginx.js';
import { createCsv, JSON_ROWS } from './rows.js';
import { createTraefik } from './traefik.js';
import { writeRules, type WriteOptions, type Written } from './write-rules.js';
import type { AnyRule, ExportGone, ExportRule, Matching, RuleFormat } from './written-rule.js';

interface ExportedFormat {
  /** The format of the rules, or a function that makes it for the way in which a project's paths are compared. */
  rules: RuleFormat | ((matching: Matching, rules: readonly AnyRule[]) => RuleFormat);
  /** A text for docs/reference/formats.md; so is `limits`. */
  what: string;
  limits?: string;
}

const FORMATS = {
  nginx: { rules: createNginx, what: '`location = …` for a `server` block' },
  apache: {
    rules: createApache,
    what: '`RewriteRule` for a virtual host or `.htaccess`',
    limits: 'no `%2F` in an old path',
  },
  caddy: { rules: createCaddy, what: '`redir` for a site block' },
  traefik: {
    rules: createTraefik,
    what: 'dynamic configuration: `redirectRegex` middlewares in a chain named `pathmend`',
    limits: 'only 301 and 302; at most two query parameters',
  },
  haproxy: { rules: createHaproxy, what: '`http-request redirect` for a frontend' },
  iis: { rules: createIis, what: '`web.config` with URL Rewrite', limits: '240 KB; no 308; no `%2F` in an old path' },
  netlify: {
    rules: NETLIFY,
    what: '`_redirects`',
    limits: 'only 301 and 302; ignores a final slash; always passes query strings on',
  },
  vercel: {
    rules: VERCEL,
    what: '`vercel.json`',
    limits: '1,024 rules of 4,096 characters; always passes query strings on',
  },
  cloudflare: {
    rules: CLOUDFLARE,
    what: '`_redirects` of Pages and Workers',
    limits:
      '2,000 single paths, 100 wildcards, 1,000 characters a rule; no hosts; no query conditions; always passes query strings on',
  },
  json: { rules: JSON_ROWS, what: 'rows for programs' },
  csv: { rules: (_, rules) => createCsv(rules), what: 'rows for people' },
} satisfies Record<string, ExportedFormat>;

export type ExportFormat = keyof typeof FORMATS;
export const EXPORT_FORMATS = Object.keys(FORMATS) as ExportFormat[];

export function formatOf(format: ExportFormat): ExportedFormat {
  return FORMATS[format];
}

/**
 * Writes rules as a server reads them, and lists those that it cannot have. `gone`: addresses that are gone for good.
 */
export function writeFormat(
  format: ExportFormat,
  rules: readonly ExportRule[],
  gone: readonly ExportGone[] = [],
  options: WriteOptions = {},
): Written {
  const { rules: written } = formatOf(format);
  const ruleFormat = typeof written === 'function' ? written(options, [...rules, ...gone]) : written;
  return writeRules(ruleFormat, rules, gone, options);
}
