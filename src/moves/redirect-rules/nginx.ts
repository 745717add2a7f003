import { printablePath, type SourceAddress } from '../redirect-files/address.js';
import { bytesExpression, holdsNul, mergedPath } from './escape.js';
import type { ExportRule, RuleFormat } from './rule.js';

/** nginx reads a file in pieces of 4,096 bytes, and no word may be longer. */
const MAX_WORD = 4_000;

/**
 * `location = …` for one path: a tree, so that thousands cost no time, and compared letter for letter. nginx compares
 * the decoded path, but what it puts into an answer from there it does not encode again: a wildcard takes the rest
 * from `$request_uri`, which cannot hold a line break.
 */
export const NGINX: RuleFormat = {
  head: ['# Redirects for a server block: include this file there.'],
  write: (rule) => checked(rule, linesOf(rule)),
  writeGone: (source) => checked(source, [exactLine(source, 'return 410;')]),
};

function checked({ path }: SourceAddress, lines: string[]): string[] | { reason: string } {
  if (holdsNul(path)) return { reason: 'nginx refuses requests with %00' };
  if (lines.some((line) => Buffer.byteLength(line) > MAX_WORD)) return { reason: `longer than ${MAX_WORD} bytes` };
  return lines;
}

function linesOf({ path, query, to, rest }: ExportRule): string[] {
  const target = `return 301 "${to}${rest === 'kept' ? '$1' : ''}";`;
  if (rest) {
    const asSent = bytesExpression(path);
    const plain = printablePath(mergedPath(path));
    const inside = `if ($request_uri ~ "^${asSent}${rest === 'kept' ? '([^?]*)' : '.*'}") { ${target} }`;
    if (plain === undefined) return [inside];
    return [`location ^~ ${quote(plain)} {`, `  ${inside}`, '  return 404;', '}'];
  }
  return [exactLine({ path, query }, target)];
}

function exactLine({ path, query }: SourceAddress, answer: string): string {
  const asSent = bytesExpression(path);
  const plain = printablePath(mergedPath(path));
  if (query !== '') return `if ($request_uri ~ "^${asSent}\\x3F${bytesExpression(query)}$") { ${answer} }`;
  if (plain !== undefined) return `location = ${quote(plain)} { ${answer} }`;
  return `if ($request_uri ~ "^${asSent}(?:\\?|$)") { ${answer} }`;
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
