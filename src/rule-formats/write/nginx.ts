import { decodeBytes, printablePath } from '../read/source-address.js';
import {
  anyHexCase,
  bytesExpression,
  expressionOf,
  hasPort,
  holdsNul,
  isClosed,
  mergedPath,
  parametersOf,
  targetOf,
  withQuery,
  type Dialect,
} from './regular-expressions.js';
import { hasNumbers, isRedirect, type AnyRule, type Lines, type Matching, type RuleFormat } from './written-rule.js';

/** nginx reads a file in pieces of 4,096 bytes, and no word may be longer. */
const MAX_WORD = 4_000;
/** This directive sets what rules with a host compare, once for all of them. */
const ASKED = 'set $pathmend "$http_host$request_uri";';

/**
 * Writes `location = …` for one path: nginx keeps these in a tree, so that thousands cost no time, and compares them
 * letter for letter. nginx compares the decoded path, but what it puts into an answer from there it does not encode
 * again: a wildcard takes the rest from `$request_uri`, which cannot hold a line break. A rule that only an expression
 * can state is a `location ~`: nginx looks at these last. A host or a query string stands in an `if`, which leaves
 * other requests of the path to the site: nginx looks at these first, one after another. With `anyCase` all locations
 * are expressions, in the order of the rules.
 */
export function createNginx({ anyCase = false }: Matching = {}): RuleFormat {
  const head = ['# Redirects for a server block: include this file there.'];
  const locations = new Map<string, string>();
  const write = (rule: AnyRule): Lines => {
    if (holdsNul(rule.path)) return { reason: 'nginx refuses requests with %00' };
    const lines = linesOf(rule, anyCase);
    if (lines.some((line) => Buffer.byteLength(line) > MAX_WORD)) return { reason: `longer than ${MAX_WORD} bytes` };
    const location = /^location (?:=|\^~) "(?:[^"\\]|\\.)*"/.exec(lines[0] ?? '')?.[0];
    if (location !== undefined) {
      const text = lines.join('\n');
      if ((locations.get(location) ?? text) !== text)
        return { reason: 'nginx has one rule of an address, and another rule is written for it' };
      locations.set(location, text);
    }
    if (rule.host !== undefined && !head.includes(ASKED)) head.push(ASKED);
    return lines;
  };
  return { head, write };
}

/** These dialects compare raw bytes: of the request as it was sent, and of the decoded path. */
const AS_SENT: Dialect = { literal: (text) => anyHexCase(bytesExpression(text)) };
const DECODED: Dialect = { literal: (text) => bytesExpression(decodeBytes(text)), any: '(?s:.)' };

function linesOf(rule: AnyRule, anyCase: boolean): string[] {
  const answer = answerOf(rule);
  const sign = anyCase ? '~*' : '~';
  const isWhole = isClosed(rule);
  const keeps = rule.rest === 'kept';
  const isComposed = rule.pattern !== undefined;
  const inServer = `if (${askedExpression(rule, anyCase)}) { ${answer} }`;
  if (rule.host !== undefined || parametersOf(rule.query).length > 0) return [inServer];
  const plain = rule.pattern ? undefined : printablePath(mergedPath(rule.path));
  const isOfExpression = anyCase || isComposed || hasNumbers(rule.path);
  // No location tells an encoded slash from a slash.
  if (isOfExpression && (plain !== undefined || !isWhole || isComposed) && !/%2F/i.test(rule.path)) {
    const decoded = expressionOf(rule.pattern ? rule : { ...rule, path: mergedPath(rule.path) }, DECODED);
    const open = `location ${sign} "^${decoded}${isWhole ? '$' : keeps ? '' : '.*'}" {`;
    const isBare = !isRedirect(rule) || (isWhole && !isComposed);
    return isBare ? [`${open} ${answer} }`] : [open, `  ${inServer}`, '  return 404;', '}'];
  }
  if (plain === undefined || isOfExpression) return [inServer];
  if (!rule.rest) return [`location = ${quote(plain)} { ${answer} }`];
  const open = `location ^~ ${quote(plain)} {`;
  return isRedirect(rule) ? [open, `  ${inServer}`, '  return 404;', '}'] : [`${open} ${answer} }`];
}

function answerOf(rule: AnyRule): string {
  if (!isRedirect(rule)) return `return ${rule.code ?? 410};`;
  const target = targetOf(rule, (part) => `$${part}`);
  return `return ${rule.code ?? 301} "${rule.passQuery ? withQuery(target, '$is_args$args', '&$args') : target}";`;
}

/** Writes the condition of an `if` on the whole address. */
function askedExpression(rule: AnyRule, anyCase: boolean): string {
  const { host } = rule;
  const parameters = parametersOf(rule.query).map((parameter) => `(?=(?:.*&)?${AS_SENT.literal(parameter)}(?:&|$))`);
  const keeps = rule.rest === 'kept';
  const end = isClosed(rule) ? '(?:\\?|$)' : keeps ? '' : '.*';
  const withParameters = `${isClosed(rule) || keeps ? '' : '[^?]*'}\\?${parameters.join('')}`;
  const compared = expressionOf(rule, AS_SENT);
  const path = (anyCase ? `(?i:${compared})` : compared) + (parameters.length > 0 ? withParameters : end);
  if (host === undefined) return `$request_uri ~ "^${path}"`;
  return `$pathmend ~ "^(?i:${bytesExpression(host)})${hasPort(host) ? '' : '(?:\\x3A[0-9]+)?'}${path}"`;
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
