import { escapeDecoded } from './source-address.js';
import { readExpression, readLiteral, type Matched } from './expressions.js';
import { isAddress, skipPattern, toExpressionRule, toGone, toGoneExpression, toRule, type Rule } from './read-rule.js';
import { haproxyWords, splitWords } from './split-words.js';

/** `{re.NAME.1}` and other names of the rest in Caddy. */
const CADDY_REST = /\{(?:http\.)?(?:regexp|re)\.(?:\w+\.)?1\}$/;
/** The rest of the path in HAProxy, without its first bytes. */
const HAPROXY_REST = /%\[path,(?:bytes\(\d+\)|field\(\d+,\/,0\))\]$/;

/** One of the paths or expressions of a matcher. */
interface Alternative {
  text: string;
  matched: Matched | undefined;
}

/** Reads `redir` of Caddy with its matchers, and `redirect` of HAProxy, line by line. */
export class ProxyLines {
  /** Caddy's named matchers: any of their alternatives is enough. */
  readonly #matchers = new Map<string, readonly Alternative[]>();
  /** The matcher whose block is open. */
  #open: string | undefined;

  reads(line: string): boolean {
    return (
      this.#open !== undefined ||
      /^\s*(?:redir|error|respond|@\w+|http-request|redirect\s+(?:location|prefix|scheme))\s/.test(line)
    );
  }

  /** The rules of a line. Each throws an ApiError invalid_request when it is read, if an address is none. */
  push(line: string): (() => Rule)[] {
    if (/^\s*(?:http-request|redirect)\s/.test(line)) return [() => readHaproxy(haproxyWords(line))];
    const words = splitWords(line);
    const [first = '', ...args] = words;
    if (this.#open !== undefined) {
      if (first === '}') this.#open = undefined;
      else if (first !== '') this.#define(this.#open, args, first);
      return [];
    }
    if (first === 'error' || first === 'respond') return this.#readGone(args);
    if (!first.startsWith('@')) return this.#readRedir(args);
    if (args[0] === '{') this.#open = first;
    else this.#define(first, args.slice(1), args[0] ?? '');
    return [];
  }

  #define(name: string, args: readonly string[], kind: string): void {
    const value = args.at(-1) ?? '';
    if (kind === 'path' && args.length > 0) {
      this.#matchers.set(
        name,
        args.map((text) => ({ text, matched: pathOf(text) })),
      );
      return;
    }
    const [before, ...others] = this.#matchers.get(name)?.map((one) => one.matched) ?? [];
    let matched: Matched | undefined;
    if (kind === 'path_regexp') matched = readExpression(value);
    else if (kind === 'vars_regexp' && args.at(-2) === '{http.request.uri}') matched = readExpression(value, true);
    else if (kind === 'vars_regexp' && args.at(-2) === '{http.request.uri.query}' && before && 'path' in before) {
      const query = others.length > 0 ? undefined : readLiteral(value);
      matched = query === undefined ? undefined : { path: `${before.path}?${query}` };
    }
    this.#matchers.set(name, [{ text: value, matched }]);
  }

  #alternativesOf(name: string): readonly Alternative[] {
    return this.#matchers.get(name) ?? [{ text: name, matched: undefined }];
  }

  /** `error @matcher 410` or `respond /path "Gone" 410` */
  #readGone(args: readonly string[]): (() => Rule)[] {
    const [first = ''] = args;
    if (!args.includes('410')) return [() => ({ kind: 'skipped', reason: 'notRedirect', text: args.join(' ') })];
    const gone = first.startsWith('@') ? this.#alternativesOf(first) : [{ text: first, matched: pathOf(first) }];
    return gone.map(
      ({ text, matched }) =>
        () =>
          toGoneExpression(text, matched),
    );
  }

  /** `redir [matcher] target [status]` */
  #readRedir(args: readonly string[]): (() => Rule)[] {
    const [first = '', second] = args;
    if (first.startsWith('@')) {
      const target = (second ?? '').replaceAll('{$', '');
      return this.#alternativesOf(first).map(
        ({ text, matched }) =>
          () =>
            toExpressionRule(text, matched, target, CADDY_REST),
      );
    }
    if (second === undefined || !isAddress(second)) return [() => skipPattern('/*', first)];
    if (/[{}]/.test(second)) return [() => skipPattern(first, second)];
    const matched = pathOf(first);
    return [() => (matched ? toExpressionRule(first, matched, second, CADDY_REST) : skipPattern(first, second))];
  }
}

function pathOf(pattern: string): Matched | undefined {
  if (pattern.endsWith('/*') && !pattern.slice(0, -1).includes('*'))
    return { prefix: pattern.slice(0, -1), joinsSlash: false };
  return pattern.includes('*') ? undefined : { path: pattern };
}

/** `http-request redirect code 301 location /new if { path /old }` */
function readHaproxy(words: readonly string[]): Rule {
  const at = words.indexOf('location');
  const text = words.join(' ');
  const isGone = words[1] === 'return' && words[words.indexOf('status') + 1] === '410';
  if (!isGone && (at < 0 || !words.includes('redirect'))) return { kind: 'skipped', reason: 'notRedirect', text };
  const target = (words[at + 1] ?? '').replace(/%%/g, '%');
  const [matched, query, ...others] = conditionsOf(words.slice(words.indexOf('if') + 1));
  if (others.length > 0 || (query !== undefined && query.name !== 'query') || matched?.name !== 'path')
    return skipPattern(text, '');
  const below = query ? undefined : prefixOf(matched);
  if (below) return isGone ? toGoneExpression(text, below) : toExpressionRule(text, below, target, HAPROXY_REST);
  if (matched.how !== 'str') return skipPattern(text, '');
  const path = matched.isRaw ? matched.value : escapeDecoded(matched.value);
  const address = query ? `${path}?${query.value}` : path;
  return isGone ? toGone(address) : toRule(address, target);
}

/** Of a condition that all paths below one meet. */
function prefixOf({ how, value, isRaw }: Condition): Matched | undefined {
  if (how === 'beg' && value.endsWith('/')) return { prefix: isRaw ? value : escapeDecoded(value), joinsSlash: false };
  const matched = how === 'reg' ? readExpression(value, isRaw) : undefined;
  return matched && 'prefix' in matched ? matched : undefined;
}

interface Condition {
  name: string;
  how: string;
  value: string;
  isRaw: boolean;
}

/** Of `{ path,url_dec -m str /old } { query -m str id=7 }`. */
function conditionsOf(words: readonly string[]): (Condition | undefined)[] {
  const found: (Condition | undefined)[] = [];
  for (let at = 0; at < words.length; at++) {
    if (words[at] !== '{') return [undefined, undefined, undefined];
    const close = words.indexOf('}', at);
    const [name = '', ...rest] = words.slice(at + 1, close < 0 ? words.length : close);
    const how = rest[0] === '-m' ? rest[1] : name.endsWith('_beg') ? 'beg' : 'str';
    const values = rest[0] === '-m' ? rest.slice(2) : rest;
    const [value] = values;
    found.push(
      how === undefined || value === undefined || values.length > 1
        ? undefined
        : { name: name.replace(/,url_dec$|_beg$/, ''), how, value, isRaw: !name.endsWith(',url_dec') },
    );
    at = close < 0 ? words.length : close;
  }
  return found;
}
