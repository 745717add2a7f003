import { escapeDecoded } from './source-address.js';
import { readBeginning, readPattern } from './pattern-expressions.js';
import { NUMBER, type Matched } from './read-rule.js';

/** What may follow the beginning that all matches share. */
const END = new Set(['$']);
/** With or without a query string, where the request is compared as it is sent. */
const RAW_END = new Set(['$', '(?:\\?|$)', '(\\?|$)', '(?:\\?.*)?$']);
const REST = /^(?:\(\.[*+]\)|\.[*+]|\(\[\^\?(?: |\\s)?\]\*\)|\[\^\?(?: |\\s)?\]\*)(?:\(\?:\\\?\.\*\)\?)?\$?$/;
const SLASH_AND_REST = new Set(['(/.*)?$', '(/.*)$', '(/.*)?', '(/.*)']);

/**
 * What an expression of nginx, Apache, Caddy, Traefik or IIS matches (`^/old\.html$`, `^/?old/?$`, `^/old/(.*)$`,
 * `^/p-([0-9]+)\.html$`). Without `$` an expression matches all longer paths, too. `isRaw`: it is compared with the
 * request as it is sent, percent-encoded and with its query string; else with the decoded path.
 */
export function readExpression(expression: string, isRaw = false): Matched {
  const begun = /^\^(?:\/\?)?(.*)$/s.exec(isRaw ? plainEnd(inOneCase(expression)) : inOneCase(expression))?.[1];
  if (begun === undefined) return { refused: 'it has no ^ at its beginning' };
  const rooted = begun.startsWith('/') ? begun : `/${begun}`;
  return readSimple(rooted, isRaw) ?? readPattern(rooted, isRaw);
}

/** Our own exports match the digits of an escape in both cases. */
function inOneCase(expression: string): string {
  return expression.replace(/\[([A-F])([a-f])\]/g, (all, upper: string, lower: string) =>
    upper.toLowerCase() === lower ? upper : all,
  );
}

/** Ends that say the same: in `%{THE_REQUEST}` of Apache, and with a group of the query string alone. */
function plainEnd(expression: string): string {
  return expression.replace(/\[\? \]$/, '(?:\\?|$)').replace(/\(\?:\\\?\(\.\*\)\)\?\$$/, '(\\?.*)?$');
}

/** One path, or all below one. */
function readSimple(rooted: string, isRaw: boolean): Matched | undefined {
  // A segment that may be any number is not literal.
  const parts = rooted.split(/\/\[0-9\]\+(?=\/)/).map(readBeginning);
  const { literal = Buffer.of(), rest = '' } = parts.at(-1) ?? {};
  if (parts.slice(0, -1).some((part) => part.rest !== '')) return undefined;
  const text = parts
    .map((part) => (isRaw ? part.literal.toString('latin1') : escapeDecoded(part.literal)))
    .join(`/${NUMBER}`);
  if ((isRaw ? RAW_END : END).has(rest)) return { path: text };
  if (rest === '/?$') return { path: `${text}/` };
  if (literal.at(-1) === SLASH && REST.test(rest)) return { prefix: text, joinsSlash: false };
  return SLASH_AND_REST.has(rest) ? { prefix: `${text}/`, joinsSlash: true } : undefined;
}

/** The one text that an expression matches. */
export function readLiteral(expression: string): string | undefined {
  const { literal, rest } = readBeginning(inOneCase(expression).replace(/^\^/, ''));
  return expression.startsWith('^') && rest === '$' ? literal.toString() : undefined;
}

const SLASH = 0x2f;
