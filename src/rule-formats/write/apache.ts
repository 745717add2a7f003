import { decodeBytes, type SourceAddress } from '../read/source-address.js';
import {
  anyHexCase,
  beginningOf,
  bytesExpression,
  expressionOf,
  holdsNul,
  mergedPath,
  targetOf,
} from './regular-expressions.js';
import type { ExportRule, RuleFormat } from './written-rule.js';

/**
 * mod_rewrite. `Redirect` would redirect what is below the path, too, and `RedirectMatch` encodes the new address a
 * second time. A wildcard takes the rest from the request as it was sent: from the path it would be decoded.
 */
export const APACHE: RuleFormat = {
  head: ['# Redirects for a virtual host or .htaccess. Needs mod_rewrite.', 'RewriteEngine On'],
  write: (rule) => {
    const refused = refusalOf(rule);
    if (refused) return refused;
    if (/[?&]$/.test(rule.to)) return { reason: 'Apache drops a ? or & at the end of the new address' };
    return linesOf(rule);
  },
  writeGone: (source) => {
    const lines = source.below
      ? [`RewriteRule "^/?${decodedBeginning(source.path)}.*$" "-" [G,L]`]
      : exactLines(source, '"-" [G,L]');
    return refusalOf(source) ?? lines;
  },
};

function refusalOf({ path }: SourceAddress): { reason: string } | undefined {
  if (holdsNul(path)) return { reason: 'Apache refuses requests with %00' };
  if (/%2F/i.test(path)) return { reason: 'Apache answers 404 to an encoded slash, before any rule' };
  return undefined;
}

function linesOf(rule: ExportRule): string[] {
  const { path, query } = rule;
  const target = targetOf({ ...rule, to: rule.to.replaceAll('%', '\\%') }, (part) => `%${part}`);
  const flags = '[R=301,L,NE,QSD]';
  if (rule.rest) {
    const asSent = expressionOf(rule, { literal: (text) => anyHexCase(bytesExpression(text)), any: '[^? ]' });
    return [
      `RewriteCond "%{THE_REQUEST}" "^\\S+ ${asSent}${rule.rewriting ? '[? ]' : rule.rest === 'kept' ? '' : '[^? ]*'}"`,
      `RewriteRule "^/?${decodedBeginning(path)}.*$" "${target}" ${flags}`,
    ];
  }
  return exactLines({ path, query }, `"${target}" ${flags}`);
}

function exactLines({ path, query }: SourceAddress, answer: string): string[] {
  return [
    ...(query === '' ? [] : [`RewriteCond "%{QUERY_STRING}" "^${bytesExpression(query)}$"`]),
    `RewriteRule "^/?${decodedExpression(path)}$" ${answer}`,
  ];
}

function decodedBeginning(path: string): string {
  return beginningOf(mergedPath(path), (segment) => bytesExpression(decodeBytes(segment))).slice(1);
}

function decodedExpression(path: string): string {
  return bytesExpression(decodeBytes(mergedPath(path)).subarray(1));
}
