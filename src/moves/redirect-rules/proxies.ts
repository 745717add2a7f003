import { decodeBytes, printablePath } from '../redirect-files/address.js';
import { haproxyWord, holdsNul, mergedPath, re2Escape, textExpression } from './escape.js';
import type { RuleFormat } from './rule.js';

/** Regular expressions, because `path` of Caddy makes no difference between cases. */
export const CADDY: RuleFormat = {
  head: ['# Redirects for a site block of a Caddyfile: import this file there.'],
  write: ({ path, query, to, rest }, number) => {
    const name = `@pathmend${number}`;
    const asSent = textExpression(path, re2Escape);
    const plain = printablePath(mergedPath(path));
    if (rest) {
      const matcher = `${name} vars_regexp pathmend${number} {http.request.uri} ^${asSent}${rest === 'kept' ? '([^?]*)' : '.*$'}`;
      return [matcher, `redir ${name} ${to}${rest === 'kept' ? `{re.pathmend${number}.1}` : ''} 301`];
    }
    const redirect = `redir ${name} ${to} 301`;
    if (query !== '')
      return [`${name} vars_regexp {http.request.uri} ^${textExpression(`${path}?${query}`, re2Escape)}$`, redirect];
    if (plain === undefined) return [`${name} vars_regexp {http.request.uri} ^${asSent}(?:\\?|$)`, redirect];
    return [`${name} path_regexp ^${textExpression(plain, re2Escape)}$`, redirect];
  },
};

/** The path is compared decoded; every byte that has a meaning is written as `\x20`. */
export const HAPROXY: RuleFormat = {
  head: ['# Redirects for a frontend of HAProxy.'],
  write: (rule) => {
    if (holdsNul(rule.path)) return { reason: 'HAProxy cannot compare %00' };
    const { path, query, to, rest } = rule;
    const location = haproxyWord(to.replaceAll('%', '%%'));
    const fetch = 'http-request redirect code 301 location';
    if (rest) {
      const kept = rest === 'kept' ? `%[path,bytes(${Buffer.byteLength(path)})]` : '';
      return [`${fetch} ${location}${kept} if { path -m beg ${haproxyWord(path)} }`];
    }
    const ofQuery = query === '' ? '' : ` { query -m str ${haproxyWord(query)} }`;
    const compared =
      printablePath(path) === undefined
        ? `path -m str ${haproxyWord(path)}`
        : `path,url_dec -m str ${haproxyWord(decodeBytes(path))}`;
    return [`${fetch} ${location} if { ${compared} }${ofQuery}`];
  },
};

/** JSON, which is YAML, too. Middlewares in one chain, which routers name. */
export const TRAEFIK: RuleFormat = {
  head: [
    '# Dynamic configuration of Traefik: add the middlewares to your routers, as in the chain `pathmend` at the end.',
    'http:',
    '  middlewares:',
  ],
  write: ({ path, query, to, rest }, number) => {
    const begin = `^https?://[^/]+${textExpression(path, re2Escape)}`;
    const replacement = to.replaceAll('$', '$$$$') + (rest === 'kept' ? '${1}' : '');
    const end =
      rest !== undefined
        ? '([^?]*)(?:\\?.*)?$'
        : query === ''
          ? '(?:\\?.*)?$'
          : `\\?${textExpression(query, re2Escape)}$`;
    return [
      `    pathmend${number}:`,
      '      redirectRegex:',
      `        regex: ${JSON.stringify(begin + end)}`,
      `        replacement: ${JSON.stringify(replacement)}`,
      '        permanent: true',
    ];
  },
};

/** The chain of all middlewares of a text. */
export function traefikChain(rules: number): string[] {
  if (rules === 0) return [];
  const names = Array.from({ length: rules }, (_, at) => `            - pathmend${at + 1}`);
  return ['    pathmend:', '      chain:', '        middlewares:', ...names];
}
