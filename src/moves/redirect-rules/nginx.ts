import { printablePath } from '../redirect-files/address.js';
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
  write: (rule) => {
    const lines = linesOf(rule);
    if (holdsNul(rule.path)) return { reason: 'nginx refuses requests with %00' };
    if (lines.some((line) => Buffer.byteLength(line) > MAX_WORD)) return { reason: `longer than ${MAX_WORD} bytes` };
    return lines;
  },
};

function linesOf({ path, query, to, rest }: ExportRule): string[] {
  const target = `return 301 "${to}${rest === 'kept' ? '$1' : ''}";`;
  const asSent = bytesExpression(path);
  const plain = printablePath(mergedPath(path));
  if (rest) {
    const inside = `if ($request_uri ~ "^${asSent}${rest === 'kept' ? '([^?]*)' : '.*'}") { ${target} }`;
    if (plain === undefined) return [inside];
    return [`location ^~ ${quote(plain)} {`, `  ${inside}`, '  return 404;', '}'];
  }
  if (query !== '') return [`if ($request_uri ~ "^${asSent}\\x3F${bytesExpression(query)}$") { ${target} }`];
  if (plain !== undefined) return [`location = ${quote(plain)} { ${target} }`];
  return [`if ($request_uri ~ "^${asSent}(?:\\?|$)") { ${target} }`];
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
