import { escapeDecoded } from './source-address.js';
import { NUMBER, type Matched } from './read-rule.js';

/** What may follow the beginning that all matches share. */
const END = new Set(['$']);
/** With or without a query string, where the request is compared as it is sent. */
const RAW_END = new Set(['$', '(?:\\?|$)', '(\\?|$)', '(?:\\?.*)?$', '(\\?.*)?$']);
const REST = /^(?:\(\.[*+]\)|\.[*+]|\(\[\^\?(?: |\\s)?\]\*\)|\[\^\?(?: |\\s)?\]\*)(?:\(\?:\\\?\.\*\)\?)?\$?$/;
const SLASH_AND_REST = new Set(['(/.*)?$', '(/.*)$', '(/.*)?', '(/.*)']);

/**
 * What an expression of nginx, Apache, Caddy, Traefik or IIS matches (`^/old\.html$`, `^/?old/?$`, `^/old/(.*)$`);
 * undefined if it is neither. Without `$` an expression matches all longer paths, too. `isRaw`: it is compared with the
 * request as it is sent, percent-encoded and with its query string; else with the decoded path.
 */
export function readExpression(expression: string, isRaw = false): Matched | undefined {
  // Our own exports match the digits of an escape in both cases.
  const oneCase = expression.replace(/\[([A-F])([a-f])\]/g, (all, upper: string, lower: string) =>
    upper.toLowerCase() === lower ? upper : all,
  );
  const begun = /^\^(?:\/\?)?(.*)$/s.exec(oneCase)?.[1];
  if (begun === undefined) return undefined;
  // A segment that may be any number is not literal.
  const parts = (begun.startsWith('/') ? begun : `/${begun}`).split(/\/\[0-9\]\+(?=\/)/).map(readBeginning);
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
  const { literal, rest } = readBeginning(expression.replace(/^\^/, ''));
  return expression.startsWith('^') && rest === '$' ? literal.toString() : undefined;
}

const SLASH = 0x2f;

/** The literal beginning of an expression as bytes, and what follows it. */
function readBeginning(expression: string): { literal: Buffer; rest: string } {
  const bytes: Buffer[] = [];
  // A quantifier makes the character before it optional or repeated.
  const unit =
    /(?:\\x\{([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})|\\u([0-9a-f]{4})|\\([^\w\s])|([^\\.*+?()[\]{}|^$]+))(?![*+?{])/iuy;
  let at = 0;
  for (let match = unit.exec(expression); match; match = unit.exec(expression)) {
    const [, point, byte, code, escaped, plain] = match;
    const codePoint = Number.parseInt(point ?? code ?? '0', 16);
    if (codePoint > 0x10ffff) break;
    at = unit.lastIndex;
    if (byte !== undefined) bytes.push(Buffer.from(byte, 'hex'));
    else bytes.push(Buffer.from(escaped ?? plain ?? String.fromCodePoint(codePoint)));
  }
  return { literal: Buffer.concat(bytes), rest: expression.slice(at) };
}
