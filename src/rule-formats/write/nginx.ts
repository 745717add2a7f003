import { decodeBytes, printablePath, type SourceAddress } from '../read/source-address.js';
import {
  anyHexCase,
  beginningOf,
  bytesExpression,
  expressionOf,
  holdsNul,
  mergedPath,
  targetOf,
  type Dialect,
} from './regular-expressions.js';
import { hasNumbers, type ExportRule, type RuleFormat } from './written-rule.js';

/** nginx reads a file in pieces of 4,096 bytes, and no word may be longer. */
const MAX_WORD = 4_000;

/**
 * `location = …` for one path: a tree, so that thousands cost no time, and compared letter for letter. nginx compares
 * the decoded path, but what it puts into an answer from there it does not encode again: a wildcard takes the rest
 * from `$request_uri`, which cannot hold a line break. What only an expression says is a `location ~`: nginx looks at
 * these last.
 */
export const NGINX: RuleFormat = {
  head: ['# Redirects for a server block: include this file there.'],
  write: (rule) => checked(rule, linesOf(rule)),
  writeGone: (source) => checked(source, [source.below ? goneBelow(source) : exactLine(source, 'return 410;')]),
};

function checked({ path }: SourceAddress, lines: string[]): string[] | { reason: string } {
  if (holdsNul(path)) return { reason: 'nginx refuses requests with %00' };
  if (lines.some((line) => Buffer.byteLength(line) > MAX_WORD)) return { reason: `longer than ${MAX_WORD} bytes` };
  return lines;
}

/** Raw bytes of the request, and of the decoded path. */
const AS_SENT: Dialect = { literal: (text) => anyHexCase(bytesExpression(text)) };
const DECODED: Dialect = { literal: (text) => bytesExpression(decodeBytes(text)), any: '(?s:.)' };

function linesOf(rule: ExportRule): string[] {
  const { path, query, rest, rewriting } = rule;
  const target = `return 301 "${targetOf(rule, (part) => `$${part}`)}";`;
  if (!rest) return [exactLine({ path, query }, target)];
  const asSent = expressionOf(rule, AS_SENT) + (rewriting ? '(?:\\?|$)' : rest === 'kept' ? '' : '.*');
  const inside = `if ($request_uri ~ "^${asSent}") { ${target} }`;
  const plain = printablePath(mergedPath(path));
  if ((rewriting || hasNumbers(path)) && !holdsSlash(path)) {
    const decoded = expressionOf({ ...rule, path: mergedPath(path) }, DECODED) + (rewriting ? '$' : '');
    return [`location ~ "^${decoded}" {`, `  ${inside}`, '  return 404;', '}'];
  }
  return plain === undefined ? [inside] : [`location ^~ ${quote(plain)} {`, `  ${inside}`, '  return 404;', '}'];
}

function goneBelow({ path }: SourceAddress): string {
  const plain = printablePath(mergedPath(path));
  if (plain !== undefined && !hasNumbers(path)) return `location ^~ ${quote(plain)} { return 410; }`;
  if (holdsSlash(path)) return `if ($request_uri ~ "^${beginningOf(path, AS_SENT.literal)}.*") { return 410; }`;
  return `location ~ "^${beginningOf(mergedPath(path), DECODED.literal)}.*" { return 410; }`;
}

function exactLine({ path, query }: SourceAddress, answer: string): string {
  const asSent = AS_SENT.literal(path);
  const plain = printablePath(mergedPath(path));
  if (query !== '') return `if ($request_uri ~ "^${asSent}\\x3F${bytesExpression(query)}$") { ${answer} }`;
  if (plain !== undefined) return `location = ${quote(plain)} { ${answer} }`;
  return `if ($request_uri ~ "^${asSent}(?:\\?|$)") { ${answer} }`;
}

/** No location tells an encoded slash from a slash. */
function holdsSlash(path: string): boolean {
  return /%2F/i.test(path);
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
