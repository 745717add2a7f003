import { decodeBytes, printablePath, type SourceAddress } from '../redirect-files/address.js';
import { haproxyWord, holdsNul, mergedPath, re2Escape, textExpression } from './escape.js';
import type { RuleFormat } from './rule.js';

/** Regular expressions, because `path` of Caddy makes no difference between cases. */
export const CADDY: RuleFormat = {
  head: ['# Redirects for a site block of a Caddyfile: import this file there.'],
  write: ({ path, query, to, rest }, number) => {
    const name = `@pathmend${number}`;
    if (rest) {
      const asSent = textExpression(path, re2Escape);
      const matcher = `${name} vars_regexp pathmend${number} {http.request.uri} ^${asSent}${rest === 'kept' ? '([^?]*)' : '.*$'}`;
      return [matcher, `redir ${name} ${to}${rest === 'kept' ? `{re.pathmend${number}.1}` : ''} 301`];
    }
    return [caddyMatcher(name, { path, query }), `redir ${name} ${to} 301`];
  },
  writeGone: (source, number) => {
    const name = `@pathmend${number}`;
    return [caddyMatcher(name, source), `error ${name} 410`];
  },
};

function caddyMatcher(name: string, { path, query }: SourceAddress): string {
  const plain = printablePath(mergedPath(path));
  if (query !== '') return `${name} vars_regexp {http.request.uri} ^${textExpression(`${path}?${query}`, re2Escape)}$`;
  if (plain === undefined) return `${name} vars_regexp {http.request.uri} ^${textExpression(path, re2Escape)}(?:\\?|$)`;
  return `${name} path_regexp ^${textExpression(plain, re2Escape)}$`;
}

/** The path is compared decoded; every byte that has a meaning is written as `\x20`. */
export const HAPROXY: RuleFormat = {
  head: ['# Redirects for a frontend of HAProxy.'],
  write: (rule) => {
    if (holdsNul(rule.path)) return { reason: 'HAProxy cannot compare %00' };
    const { path, to, rest } = rule;
    const location = haproxyWord(to.replaceAll('%', '%%'));
    const fetch = 'http-request redirect code 301 location';
    if (rest) {
      const kept = rest === 'kept' ? `%[path,bytes(${Buffer.byteLength(path)})]` : '';
      return [`${fetch} ${location}${kept} if { path -m beg ${haproxyWord(path)} }`];
    }
    return [`${fetch} ${location} if ${haproxyCondition(rule)}`];
  },
  writeGone: (source) =>
    holdsNul(source.path)
      ? { reason: 'HAProxy cannot compare %00' }
      : [`http-request return status 410 if ${haproxyCondition(source)}`],
};

function haproxyCondition({ path, query }: SourceAddress): string {
  const ofQuery = query === '' ? '' : ` { query -m str ${haproxyWord(query)} }`;
  const compared =
    printablePath(path) === undefined
      ? `path -m str ${haproxyWord(path)}`
      : `path,url_dec -m str ${haproxyWord(decodeBytes(path))}`;
  return `{ ${compared} }${ofQuery}`;
}

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
