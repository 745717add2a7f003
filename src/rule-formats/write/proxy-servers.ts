import { decodeBytes, printablePath, type SourceAddress } from '../read/source-address.js';
import {
  anyHexCase,
  beginningOf,
  expressionOf,
  haproxyWord,
  holdsNul,
  mergedPath,
  re2Escape,
  targetOf,
  textExpression,
  type Dialect,
} from './regular-expressions.js';
import { hasNumbers, type ExportGone, type ExportRule, type RuleFormat } from './written-rule.js';

const RE2: Dialect = { literal: (text) => anyHexCase(textExpression(text, re2Escape)) };

/** Regular expressions, because `path` of Caddy makes no difference between cases. `route` keeps the order of lines. */
export const CADDY: RuleFormat = {
  head: ['# Redirects for a site block of a Caddyfile: import this file there.', 'route {'],
  foot: ['}'],
  write: (rule, number) => {
    const { path, query, to, rest, rewriting } = rule;
    const name = `@pathmend${number}`;
    if (rest) {
      const asSent = expressionOf(rule, RE2) + (rewriting ? '(?:\\?.*)?$' : rest === 'kept' ? '' : '.*$');
      const matcher = `${name} vars_regexp pathmend${number} {http.request.uri} ^${asSent}`;
      return [matcher, `redir ${name} ${targetOf(rule, (part) => `{re.pathmend${number}.${part}}`)} 301`];
    }
    return [caddyMatcher(name, { path, query }), `redir ${name} ${to} 301`];
  },
  writeGone: (source, number) => {
    const name = `@pathmend${number}`;
    return [source.below ? caddyBelow(name, source) : caddyMatcher(name, source), `error ${name} 410`];
  },
};

function caddyBelow(name: string, { path }: ExportGone): string {
  const plain = printablePath(mergedPath(path));
  if (plain === undefined) return `${name} vars_regexp {http.request.uri} ^${beginningOf(path, RE2.literal)}.*$`;
  return `${name} path_regexp ^${beginningOf(plain, RE2.literal)}.*$`;
}

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
    const { path, to, rest, rewriting } = rule;
    const begin = 'http-request redirect code 301 location';
    const escaped = { ...rule, to: to.replaceAll('%', '%%') };
    if (!rest) return [`${begin} ${haproxyWord(escaped.to)} if ${haproxyCondition(rule)}`];
    const location = targetOf(escaped, (part) => `%[${haproxyPart(rule, part)}]`);
    const expression = `^${expressionOf(rule, { literal: haproxyLiteral })}`;
    const end = rewriting ? '$' : rest === 'kept' ? '' : '.*';
    const condition =
      rewriting || hasNumbers(path)
        ? `path -m reg ${haproxyWord(expression + end)}`
        : `path -m beg ${haproxyWord(path)}`;
    return [`${begin} ${haproxyTarget(location)} if { ${condition} }`];
  },
  writeGone: (source) => {
    if (holdsNul(source.path)) return { reason: 'HAProxy cannot compare %00' };
    return [`http-request return status 410 if ${source.below ? haproxyBelow(source.path) : haproxyCondition(source)}`];
  },
};

/** HAProxy has no groups: parts have fixed places, or follow so many slashes. */
function haproxyPart({ path, rewriting }: ExportRule, part: number): string {
  if (hasNumbers(path)) return `path,field(${path.split('/').length},/,0)`;
  let at = Buffer.byteLength(path);
  let seen = 0;
  const ending = rewriting?.old.at(-1);
  for (const piece of rewriting?.old ?? []) {
    if (!('text' in piece)) seen++;
    const found = seen === part && !('text' in piece);
    if (found && 'digits' in piece) return `path,bytes(${at},${piece.digits})`;
    if (found) break;
    at += 'text' in piece ? piece.text.length : 'digits' in piece ? piece.digits : 0;
  }
  const rest = `path,bytes(${at})`;
  return ending && 'text' in ending ? `${rest},regsub(${haproxyLiteral(ending.text)}$,)` : rest;
}

function haproxyBelow(path: string): string {
  const isPrintable = printablePath(path) !== undefined;
  if (hasNumbers(path)) {
    if (!isPrintable) return `{ path -m reg ${haproxyWord(`^${beginningOf(path, haproxyLiteral)}.*`)} }`;
    const expression = beginningOf(path, (text) => haproxyLiteral(decodeBytes(text).toString('latin1')));
    return `{ path,url_dec -m reg ${haproxyWord(Buffer.from(`^${expression}.*`, 'latin1'))} }`;
  }
  if (!isPrintable) return `{ path -m beg ${haproxyWord(path)} }`;
  return `{ path,url_dec -m beg ${haproxyWord(decodeBytes(path))} }`;
}

/** Bytes of one character stay side by side: nothing between them, so that they are read back as one. */
function haproxyLiteral(text: string): string {
  return text.replace(/[^\w\s/~\x80-\xff-]/g, '\\$&');
}

/** A word in which what `%[…]` takes from the request stays legible. */
function haproxyTarget(text: string): string {
  return text
    .split(/(%\[path,(?:bytes|field)\([\d,/]+\)\])/)
    .map((part, at) => (at % 2 === 1 ? part : haproxyWord(part)))
    .join('');
}

function haproxyCondition({ path, query }: SourceAddress): string {
  // What begins with a dash would be a flag.
  const ofQuery = query === '' ? '' : ` { query -m str ${query.startsWith('-') ? '-- ' : ''}${haproxyWord(query)} }`;
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
  write: (rule, number) => {
    const { query, rest } = rule;
    const begin = `^https?://[^/]+${expressionOf(rule, RE2)}`;
    const replacement = targetOf({ ...rule, to: rule.to.replaceAll('$', '$$$$') }, (part) => `\${${part}}`);
    const plain = rest === 'dropped' ? '([^?]*)(?:\\?.*)?$' : '(?:\\?.*)?$';
    const end = query === '' ? plain : `\\?${textExpression(query, re2Escape)}$`;
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
