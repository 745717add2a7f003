import { readExpression, readLiteral } from './expressions.js';
import {
  isAddress,
  skipConditional,
  skipPattern,
  toExpressionRule,
  toGoneExpression,
  type Rule,
  type Matched,
} from './read-rule.js';
import { checkDepth, inScopes, isPath, startsWith, type Scope } from './scopes.js';
import { splitWords } from './split-words.js';

/** `{re.NAME.1}` and other names of the rest in Caddy. */
const REST = /\{(?:http\.)?(?:regexp|re)\.(?:\w+\.)?1\}$/;
const STATUS = /^(?:permanent|temporary|30[12378])$/;
/** The names of a site: `www.example.com`, `http://x.example`, `:8080`, `localhost`. */
const SITE = /^(?:https?:\/\/[^/\s]+\/?|(?:[\w*-]+\.)+[\w-]+(?::\d+)?|localhost(?::\d+)?|:\d+),?$/i;

/** One of the paths or expressions of a matcher. */
interface Alternative {
  text: string;
  matched: Matched | undefined;
  /** It is not of the path alone. */
  isConditional?: true;
}

interface Block extends Scope {
  /** In a `route`, directives are obeyed in their order. */
  isRoute?: boolean;
}

/** Reads `redir`, `error` and `respond` of Caddy with their matchers and the blocks around them, line by line. */
export class CaddyLines {
  /** Named matchers: any of their alternatives is enough. */
  readonly #matchers = new Map<string, readonly Alternative[]>();
  /** The matcher whose block is open. */
  #open: string | undefined;
  readonly #blocks: Block[] = [];

  reads(line: string): boolean {
    if (this.#open !== undefined || this.#blocks.length > 0) return true;
    if (/^\s*(?:redir|error|respond|@[\w-]+)\s/.test(line)) return true;
    const words = splitWords(line);
    const [first = '', ...others] = words.slice(0, -1);
    if (words.at(-1) !== '{') return false;
    return /^(?:handle|handle_path|handle_errors|route|\([\w-]+\))$/.test(first) || [first, ...others].every(isSite);
  }

  /** The rules of a line. Each throws an ApiError invalid_request when it is read, if an address is none. */
  push(line: string): (() => Rule)[] {
    const words = splitWords(line);
    const [first = '', ...args] = words;
    if (this.#open !== undefined) {
      if (first === '}') this.#open = undefined;
      else if (first !== '') this.#define(this.#open, args, first);
      return [];
    }
    if (first.startsWith('@')) {
      this.#matchers.delete(first);
      if (args[0] === '{') this.#open = first;
      else this.#define(first, args.slice(1), args[0] ?? '');
      return [];
    }
    const blocks = this.#blocks.map((block) => ({ ...block }));
    if (first === 'redir') return this.#readRedir(args).map((rule) => () => inScopes(rule(), blocks));
    if (first === 'error' || first === 'respond')
      return this.#readGone(args).map((rule) => () => inScopes(rule(), blocks));
    if (words.at(-1) === '{') checkDepth(this.#blocks.push(blockOf(words.slice(0, -1))));
    else if (first === '}') this.#blocks.pop();
    else this.#change(first, words);
    return [];
  }

  /** The path that later directives of a route compare is another one. */
  #change(directive: string, words: readonly string[]): void {
    const block = this.#blocks.at(-1);
    if (!block?.isRoute || !/^(?:uri|rewrite|try_files|import)$/.test(directive)) return;
    block.only = true;
    block.text += ` with ${words.join(' ')}`;
  }

  #define(name: string, args: readonly string[], kind: string): void {
    const value = args.at(-1) ?? '';
    const text = [kind, ...args].join(' ');
    const before = this.#matchers.get(name);
    if (before) {
      // Conditions of one matcher must hold together.
      const [one] = before;
      const isQuery = kind === 'vars_regexp' && args.at(-2) === '{http.request.uri.query}';
      const query = isQuery && before.length === 1 ? readLiteral(value) : undefined;
      const isOf = query !== undefined && one?.matched && 'path' in one.matched ? one.matched.path : undefined;
      this.#matchers.set(name, [
        isOf === undefined ? unread(text) : { text, matched: { path: `${isOf}?${query ?? ''}` } },
      ]);
    } else if (kind === 'path' && args.length > 0) {
      const paths = args.map((path) => ({ text: path, matched: pathOf(path) }));
      this.#matchers.set(name, paths);
    } else if (kind === 'path_regexp') {
      this.#matchers.set(name, [{ text: value, matched: readExpression(value) }]);
    } else {
      const isUri = kind === 'vars_regexp' && args.at(-2) === '{http.request.uri}';
      this.#matchers.set(name, [isUri ? { text: value, matched: readExpression(value, true) } : unread(text)]);
    }
  }

  #alternativesOf(name: string): readonly Alternative[] {
    return this.#matchers.get(name) ?? [unread(name)];
  }

  /** `error @matcher 410` or `respond /path "Gone" 410` */
  #readGone(args: readonly string[]): (() => Rule)[] {
    const [first = ''] = args;
    if (!args.includes('410')) return [() => ({ kind: 'skipped', reason: 'notRedirect', text: args.join(' ') })];
    const gone = first.startsWith('@') ? this.#alternativesOf(first) : [{ text: first, matched: pathOf(first) }];
    return gone.map(
      (one) => () => (one.isConditional ? skipConditional(one.text) : toGoneExpression(one.text, one.matched)),
    );
  }

  /** `redir [matcher] target [status]` */
  #readRedir(args: readonly string[]): (() => Rule)[] {
    const [first = '', second, status] = args;
    const isNamed = first.startsWith('@');
    if (second === undefined || (!isNamed && !isAddress(second))) return [() => skipPattern('/*', first)];
    if (status !== undefined && !STATUS.test(status))
      return [() => ({ kind: 'skipped', reason: 'notRedirect', text: args.join(' ') })];
    if (!isNamed && /[{}]/.test(second)) return [() => skipPattern(first, second)];
    const alternatives = isNamed ? this.#alternativesOf(first) : [{ text: first, matched: pathOf(first) }];
    const target = isNamed ? second.replaceAll('{$', '') : second;
    return alternatives.map((one) => () => {
      if (one.isConditional) return skipConditional(one.text);
      return one.matched ? toExpressionRule(one.text, one.matched, target, REST) : skipPattern(one.text, target);
    });
  }
}

function unread(text: string): Alternative {
  return { text, matched: undefined, isConditional: true };
}

function isSite(word: string): boolean {
  return SITE.test(word);
}

function blockOf(words: readonly string[]): Block {
  const [kind = '', matcher] = words;
  const text = words.join(' ');
  if (words.every(isSite)) return { text };
  const isRoute = kind === 'route';
  if ((kind === 'handle' || isRoute) && words.length <= 2) {
    if (matcher === undefined || matcher === '*') return { text, isRoute };
    const takes = takerOf(matcher);
    return takes ? { text, isRoute, takes } : { text, only: true };
  }
  const folder = kind === 'handle_path' && words.length === 2 ? /^(\/[^*]*)\/\*$/.exec(matcher ?? '')?.[1] : undefined;
  return folder === undefined ? { text, only: true } : { text, prefix: folder };
}

/** Which paths come into a block with a matcher of paths. */
function takerOf(matcher: string): Scope['takes'] {
  if (!matcher.startsWith('/')) return undefined;
  const beginning = matcher.replace(/\*$/, '');
  if (beginning.includes('*')) return undefined;
  return beginning === matcher ? isPath(matcher) : startsWith(beginning);
}

function pathOf(pattern: string): Matched | undefined {
  if (pattern.endsWith('/*') && !pattern.slice(0, -1).includes('*'))
    return { prefix: pattern.slice(0, -1), joinsSlash: false };
  return pattern.includes('*') ? undefined : { path: pattern };
}
