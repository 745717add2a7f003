import { decodeBytes, type SourceAddress } from '../redirect-files/address.js';
import { bytesExpression, holdsNul, mergedPath } from './escape.js';
import type { ExportRule, RuleFormat } from './rule.js';

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
  writeGone: (source) => refusalOf(source) ?? exactLines(source, '"-" [G,L]'),
};

function refusalOf({ path }: SourceAddress): { reason: string } | undefined {
  if (holdsNul(path)) return { reason: 'Apache refuses requests with %00' };
  if (/%2F/i.test(path)) return { reason: 'Apache answers 404 to an encoded slash, before any rule' };
  return undefined;
}

function linesOf({ path, query, to, rest }: ExportRule): string[] {
  const target = to.replaceAll('%', '\\%');
  const flags = '[R=301,L,NE,QSD]';
  if (rest) {
    return [
      `RewriteCond "%{THE_REQUEST}" "^\\S+ ${bytesExpression(path)}([^? ]*)"`,
      `RewriteRule "^/?${decodedExpression(path)}.*$" "${target}${rest === 'kept' ? '%1' : ''}" ${flags}`,
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

function decodedExpression(path: string): string {
  return bytesExpression(decodeBytes(mergedPath(path)).subarray(1));
}
