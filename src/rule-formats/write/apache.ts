import { decodeBytes } from '../read/source-address.js';
import {
  anyHexCase,
  beginningOf,
  bytesExpression,
  expressionOf,
  holdsNul,
  hostExpression,
  isClosed,
  mergedPath,
  patternBeginning,
  queryExpressions,
  targetOf,
  withQuery,
} from './regular-expressions.js';
import { isDated, isRedirect, type AnyRule, type Lines, type Matching, type RuleFormat } from './written-rule.js';

/**
 * Writes rules of mod_rewrite. `Redirect` would redirect what is below the path, too, and `RedirectMatch` encodes the
 * new address a second time. A wildcard takes the rest from the request as it was sent: from the path it would be
 * decoded.
 */
export function createApache({ anyCase = false }: Matching = {}): RuleFormat {
  const head = ['# Redirects for a virtual host or .htaccess. Needs mod_rewrite.', 'RewriteEngine On'];
  const write = (rule: AnyRule): Lines => {
    if (holdsNul(rule.path)) return { reason: 'Apache refuses requests with %00' };
    if (/%2F/i.test(rule.path)) return { reason: 'Apache answers 404 to an encoded slash, before any rule' };
    if (isRedirect(rule) && /[?&]$/.test(rule.to))
      return { reason: 'Apache drops a ? or & at the end of the new address' };
    if (isDated(rule) && !head.includes(CLOCK)) head.unshift(CLOCK);
    return linesOf(rule, anyCase ? ',NC' : '');
  };
  return { head, hasDates: true, write };
}

const CLOCK = '# Apache compares times with the clock of its own time zone: those below are UTC.';

function linesOf(rule: AnyRule, noCase: string): string[] {
  const { host, path, pattern, rest, validFrom, validUntil } = rule;
  const conditions = [
    ...(host === undefined ? [] : [`RewriteCond "%{HTTP_HOST}" "^${hostExpression(host, bytesExpression)}$" [NC]`]),
    ...queryExpressions(rule.query, bytesExpression).map((text) => `RewriteCond "%{QUERY_STRING}" "${text}"`),
    ...(validFrom === undefined ? [] : [`RewriteCond "%{TIME}" ">=${timeOf(validFrom)}"`]),
    ...(validUntil === undefined ? [] : [`RewriteCond "%{TIME}" "<${timeOf(validUntil)}"`]),
  ];
  const answer = answerOf(rule, noCase);
  if (pattern || (rest && isRedirect(rule))) {
    const asSent = expressionOf(rule, { literal: (text) => anyHexCase(bytesExpression(text)), any: '[^? ]' });
    const end = isClosed(rule) ? '[? ]' : rest === 'kept' ? '' : '[^? ]*';
    const flag = noCase === '' ? '' : ' [NC]';
    const beginning = decodedBeginning(pattern ? patternBeginning(pattern) : path);
    return [
      ...conditions,
      `RewriteCond "%{THE_REQUEST}" "^\\S+ ${asSent}${end}"${flag}`,
      `RewriteRule "^/?${beginning}.*$" ${answer}`,
    ];
  }
  const expression = isClosed(rule)
    ? bytesExpression(decodeBytes(mergedPath(path)).subarray(1))
    : `${decodedBeginning(path)}.*`;
  return [...conditions, `RewriteRule "^/?${expression}$" ${answer}`];
}

function answerOf(rule: AnyRule, noCase: string): string {
  if (!isRedirect(rule)) return `"-" [${rule.code === 451 ? 'R=451' : 'G'},L${noCase}]`;
  const target = targetOf(
    rule,
    (part) => `%${part}`,
    (text) => text.replaceAll('%', '\\%'),
  );
  const flags = `R=${rule.code ?? 301},L,NE`;
  if (!rule.passQuery) return `"${target}" [${flags},QSD${noCase}]`;
  // The flag QSA would append the query string behind the section.
  if (!target.includes('#')) return `"${target}" [${flags},QSA${noCase}]`;
  return `"${withQuery(target, '?%{QUERY_STRING}', '&%{QUERY_STRING}')}" [${flags}${noCase}]`;
}

function timeOf(date: string): string {
  return new Date(date).toISOString().replace(/\D/g, '').slice(0, 14);
}

function decodedBeginning(path: string): string {
  return beginningOf(mergedPath(path), (segment) => bytesExpression(decodeBytes(segment))).slice(1);
}
