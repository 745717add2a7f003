import { CaddyMatcher, pathOf, type Alternative } from './caddy-matchers.js';
import { readHosts, withConditions, type Conditions } from './conditions.js';
import { codeOf, isAddress, skipConditional, skipPattern, type ReadRule, type Rule } from './read-rule.js';
import { checkDepth, inScopes, isPath, startsWith, type Scope } from './scopes.js';
import { splitWords } from './split-words.js';
import { splitPassed } from './targets.js';
import { toMatchedRule, type Said } from './to-rule.js';

const STATUS = /^(?:permanent|temporary|html|30[12378])$/;
/** The names of a site: `www.example.com`, `http://x.example`, `:8080`, `localhost`. */
const SITE = /^(?:https?:\/\/[^/\s]+\/?|(?:[\w*-]+\.)+[\w-]+(?::\d+)?|localhost(?::\d+)?|:\d+),?$/i;

interface Block extends Scope {
  /** In a `route`, directives are obeyed in their order. */
  isRoute?: boolean;
}

/** Reads `redir`, `error` and `respond` of Caddy with their matchers and the blocks around them, line by line. */
export class CaddyLines {
  readonly #matchers = new Map<string, CaddyMatcher>();
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

  /** The rules of a line. Each throws an ApiError invalid_request when it is read, if it is not an address. */
  push(line: string): ReadRule[] {
    const words = splitWords(line);
    const [first = '', ...args] = words;
    if (this.#open !== undefined) {
      if (first === '}') this.#open = undefined;
      else if (first !== '') this.#matchers.get(this.#open)?.add(first, args);
      return [];
    }
    if (first.startsWith('@')) {
      const matcher = new CaddyMatcher();
      this.#matchers.set(first, matcher);
      if (args[0] === '{') this.#open = first;
      else matcher.add(args[0] ?? '', args.slice(1));
      return [];
    }
    const blocks = this.#blocks.map((block) => ({ ...block }));
    if (first === 'redir' || first === 'error' || first === 'respond') {
      const when = args[0]?.startsWith('@') ? (this.#matchers.get(args[0])?.when ?? []) : [];
      const read = first === 'redir' ? this.#readRedir(args) : this.#readGone(args);
      return read.map((rule) => () => inMatcher(rule(), args[0] ?? '', when).flatMap((one) => inScopes(one, blocks)));
    }
    if (words.at(-1) === '{') checkDepth(this.#blocks.push(this.#blockOf(words.slice(0, -1))));
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

  /** A rule for each path of a matcher. */
  #rulesOf(matcher: string, said: Said): (() => Rule)[] {
    const alternatives: readonly Alternative[] = matcher.startsWith('@')
      ? (this.#matchers.get(matcher)?.alternatives ?? [{ text: matcher, isConditional: true }])
      : [{ text: matcher, matched: pathOf(matcher) }];
    return alternatives.map((one) => () => {
      return 'isConditional' in one ? skipConditional(one.text) : toMatchedRule(one.text, one.matched, said);
    });
  }

  /** `error @matcher 410` or `respond /path "Gone" 410` */
  #readGone(args: readonly string[]): (() => Rule)[] {
    const code = args.includes('451') ? 451 : 410;
    if (!args.includes(String(code))) return [() => ({ kind: 'skipped', reason: 'notRedirect', text: args.join(' ') })];
    return this.#rulesOf(args[0] ?? '', { code });
  }

  /** `redir [matcher] target [status]` */
  #readRedir(args: readonly string[]): (() => Rule)[] {
    const [first = '', second, status] = args;
    const isNamed = first.startsWith('@');
    if (second === undefined || (!isNamed && !isAddress(second))) return [() => skipPattern('/*', first)];
    if (status !== undefined && !STATUS.test(status))
      return [() => ({ kind: 'skipped', reason: 'notRedirect', text: args.join(' ') })];
    if (!isNamed && /[{}]/.test(splitPassed(second).target)) return [() => skipPattern(first, second)];
    // A page that redirects itself (`html`) is meant for a short time, too.
    const code = codeOf(status ?? '') ?? 302;
    return this.#rulesOf(first, { code, target: isNamed ? second.replaceAll('{$', '') : second });
  }

  #blockOf(words: readonly string[]): Block {
    const [kind, name = ''] = words;
    const matcher = kind === 'handle' || kind === 'route' ? this.#matchers.get(name) : undefined;
    if (!matcher || words.length > 2 || !matcher.isOfAllPaths) return blockOf(words);
    const [one = {}] = matcher.when;
    return { text: words.join(' '), isRoute: kind === 'route', when: one };
  }
}

function inMatcher(rule: Rule, name: string, when: readonly Conditions[]): Rule[] {
  return [withConditions(rule, name, when)].flat();
}

function isSite(word: string): boolean {
  return SITE.test(word);
}

function blockOf(words: readonly string[]): Block {
  const [kind = '', matcher] = words;
  const text = words.join(' ');
  if (words.every(isSite)) return { text, ...siteOf(words) };
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

/** The hosts of a site; an address without one, such as `:80`, is for any. */
function siteOf(words: readonly string[]): Pick<Scope, 'when' | 'only'> {
  const names = words.map((word) =>
    word
      .replace(/^https?:\/\//i, '')
      .replace(/,$/, '')
      .replace(/\/$/, ''),
  );
  if (names.some((name) => name.startsWith(':'))) return {};
  const hosts = readHosts(names);
  return hosts ? { when: { hosts } } : { only: true };
}
