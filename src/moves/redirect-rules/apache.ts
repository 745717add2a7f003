import { decodeBytes } from '../redirect-files/address.js';
import { bytesExpression, holdsNul, mergedPath } from './escape.js';
import type { ExportRule, RuleFormat } from './rule.js';

/**
 * mod_rewrite. `Redirect` would redirect what is below the path, too, and `RedirectMatch` encodes the new address a
 * second time. A wildcard takes the rest from the request as it was sent: from the path it would be decoded.
 */
export const APACHE: RuleFormat = {
  head: ['# Redirects for a virtual host or .htaccess. Needs mod_rewrite.', 'RewriteEngine On'],
  write: (rule) => {
    if (holdsNul(rule.path)) return { reason: 'Apache refuses requests with %00' };
    if (/%2F/i.test(rule.path)) return { reason: 'Apache answers 404 to an encoded slash, before any rule' };
    if (/[?&]$/.test(rule.to)) return { reason: 'Apache drops a ? or & at the end of the new address' };
    return linesOf(rule);
  },
};

function linesOf({ path, query, to, rest }: ExportRule): string[] {
  const expression = bytesExpression(decodeBytes(mergedPath(path)).subarray(1));
  const target = to.replaceAll('%', '\\%');
  const flags = '[R=301,L,NE,QSD]';
  if (rest) {
    return [
      `RewriteCond "%{THE_REQUEST}" "^\\S+ ${bytesExpression(path)}([^? ]*)"`,
      `RewriteRule "^/?${expression}.*$" "${target}${rest === 'kept' ? '%1' : ''}" ${flags}`,
    ];
  }
  return [
    ...(query === '' ? [] : [`RewriteCond "%{QUERY_STRING}" "^${bytesExpression(query)}$"`]),
    `RewriteRule "^/?${expression}$" "${target}" ${flags}`,
  ];
}
