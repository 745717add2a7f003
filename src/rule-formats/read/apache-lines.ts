import { apacheSection, type Section } from './apache-sections.js';
import { readExpression, readLiteral } from './expressions.js';
import type { Matched } from './read-rule.js';
import type { ReadRule } from './nginx-blocks.js';
import {
  skipConditional,
  skipPattern,
  toExpressionRule,
  toGone,
  toGoneExpression,
  toRule,
  type Rule,
} from './read-rule.js';
import { checkDepth, inScopes } from './scopes.js';
import { apacheWords } from './split-words.js';

const STATUS = /^(?:30[12378]|permanent|temp|seeother)$/i;
const GONE = /^(?:410|gone)$/i;
/** How targets name the rest that an expression matched, in RewriteRule or in the RewriteCond above it. */
const REST = /[$%]1$/;
/** Flags of a RewriteRule that change nothing of what is kept. */
const HARMLESS =
  /^(?:R|redirect|L|last|END|G|gone|NC|nocase|NE|noescape|QSA|qsappend|QSD|qsdiscard|QSL|qslast|B|BNP|BNE|BCTLS|DPI|discardpath|NS|nosubreq|E|env)$/i;

/** What stands before the path in `%{THE_REQUEST}`. */
const METHOD = '^\\S+ ';

/** What holds for all rules of a section or file: the last of each directive, be it above them or below. */
interface Engine {
  isOff: boolean;
  /** Of RewriteBase: where the folder is whose `.htaccess` this is. */
  base: string | undefined;
  rewrites: HeldRewrite[];
}

/** A RewriteRule until its section ends. */
interface HeldRewrite {
  line: number;
  text: string;
  /** Below a `RewriteEngine off`: no rule, unless the engine is switched on again. */
  isOff: boolean;
  read: (base: string | undefined) => ReadRule[];
}

/** Reads `Redirect`, `RedirectMatch` and `RewriteRule` of Apache with what stands around them, line by line. */
export class ApacheLines {
  /** Conditions of the next RewriteRule. */
  #conditions: (readonly string[])[] = [];
  readonly #sections: Section[] = [];
  #documentRoot: string | undefined;
  /** Of the file, and of each open section that has its own. */
  readonly #engines: Engine[] = [{ isOff: false, base: undefined, rewrites: [] }];
  readonly #read: { line: number; rule: ReadRule }[] = [];
  /** So many RewriteRules hang on one before: by its flag C or S. */
  #hanging = 0;

  reads(line: string): boolean {
    return /^\s*(?:(?:redirect\w*|rewrite(?:rule|cond|engine|base|options|map)|documentroot)\s|<\/?[a-z]\w*(?:\s[^>]*)?>\s*$)/i.test(
      line,
    );
  }

  /**
   * The rules of a line, but for RewriteRules: {@link end} has these. Each throws an ApiError invalid_request when it
   * is read, if an address is none.
   */
  push(line: string, number: number): ReadRule[] {
    const words = apacheWords(line);
    const [first = '', ...args] = words;
    const sections = [...this.#sections];
    const isGone = GONE.test(args[0] ?? '');
    switch (first.toLowerCase()) {
      case 'redirect':
      case 'redirectpermanent':
      case 'redirecttemp':
        return [() => inScopes(readRedirect(args, words, sections.at(-1)?.path), sections)];
      case 'redirectmatch':
        return [
          () =>
            inScopes(isGone ? readGoneMatch(line, args) : readMatch(args.filter((one) => !STATUS.test(one))), sections),
        ];
      case 'rewritecond':
        this.#conditions.push(args);
        return [];
      case 'rewriterule':
        this.#holdRewrite(args, sections, number);
        return [];
      case 'rewriteengine':
        this.#engine.isOff = /^off$/i.test(args[0] ?? '');
        return [];
      case 'rewritebase':
        this.#engine.base = args[0]?.replace(/\/$/, '');
        return [];
      case 'documentroot':
        this.#documentRoot = args[0]?.replace(/\/$/, '');
        return [];
    }
    if (first.startsWith('</')) {
      if (this.#sections.pop()?.hasEngine) this.#closeEngine();
    } else if (first.startsWith('<')) {
      const section = apacheSection(line.trim(), this.#documentRoot);
      checkDepth(this.#sections.push(section));
      if (section.hasEngine) this.#engines.push({ ...this.#engine, rewrites: [] });
    }
    return [];
  }

  /** To call after the last line. Returns the RewriteRules, of which it shows only there whether they are obeyed. */
  end(): { line: number; rule: ReadRule }[] {
    while (this.#engines.length > 0) this.#closeEngine();
    return this.#read.sort((a, b) => a.line - b.line);
  }

  get #engine(): Engine {
    return this.#engines.at(-1) ?? { isOff: false, base: undefined, rewrites: [] };
  }

  #closeEngine(): void {
    const { isOff: isOffAtLast, base, rewrites } = this.#engines.pop() ?? this.#engine;
    for (const { line, text, isOff, read } of rewrites) {
      const skipped = (): Rule => ({ kind: 'skipped', reason: 'switchedOff', text });
      const rules = !isOffAtLast ? read(base) : isOff ? [] : [skipped];
      for (const rule of rules) this.#read.push({ line, rule });
    }
  }

  #holdRewrite(args: readonly string[], sections: readonly Section[], line: number): void {
    const [expression = '', substitution = '', flagText = ''] = args;
    const text = `RewriteRule ${expression} ${substitution}`;
    const conditions = this.#conditions;
    this.#conditions = [];
    const flags = flagText
      .replace(/^\[|\]$/g, '')
      .split(',')
      .map((flag) => flag.trim())
      .filter((flag) => flag !== '');
    const skips = flags.map((flag) => Number(/^(?:S|skip)=(\d+)$/i.exec(flag)?.[1] ?? 0)).find((count) => count > 0);
    const isChained = flags.some((flag) => /^(?:C|chain)$/i.test(flag));
    const hangs = this.#hanging > 0 || skips !== undefined || isChained;
    this.#hanging = Math.max(this.#hanging - 1, skips ?? 0, isChained ? 1 : 0);
    const read = (given: string | undefined): ReadRule[] => {
      if (hangs) return [() => skipConditional(`${text} ${flagText}, with the flag C or S`)];
      const folder = sections.findLast(({ folder }) => folder !== undefined)?.folder;
      const base = given ?? folder ?? '';
      if (folder !== undefined && folder !== base) return [() => skipConditional(`RewriteBase ${base}: ${text}`)];
      const rewrite = { expression, substitution, flags, flagText, text, base };
      return alternativesOf(conditions).map((one) => () => {
        const scopes = sections.map((section) => (section.path === undefined ? section : { ...section, only: true }));
        return inScopes(readRewriteRule(rewrite, one), scopes);
      });
    };
    this.#engine.rewrites.push({ line, text, isOff: this.#engine.isOff, read });
  }
}

/** `Redirect [status] /old /new`. Apache also redirects what is below the old path: an import leaves that out. */
function readRedirect(args: readonly string[], words: readonly string[], location: string | undefined): Rule {
  const isGone = GONE.test(args[0] ?? '');
  if (!isGone && /^[1-9]\d\d$/.test(args[0] ?? '') && !STATUS.test(args[0] ?? ''))
    return { kind: 'skipped', reason: 'notRedirect', text: words.join(' ') };
  const addresses = args.filter((word, at) => at > 0 || (!STATUS.test(word) && !isGone));
  // In a location the old path may be left out: all of it leads there.
  const isOfLocation = location !== undefined && addresses.length === (isGone ? 0 : 1);
  const [from = '', to = ''] = isOfLocation ? [location, ...addresses] : addresses;
  if (isGone) return toGone(from);
  const rule = toRule(from, to);
  return rule.kind === 'redirect' && !isOfLocation ? { ...rule, andBelow: true } : rule;
}

function readMatch([expression = '', to = '']: readonly string[]): Rule {
  if (expression === '' || to === '') return skipPattern(expression, to);
  return toExpressionRule(expression, readExpression(expression), to, REST);
}

function readGoneMatch(line: string, args: readonly string[]): Rule {
  return toGoneExpression(line.trim(), readExpression(args[1] ?? ''));
}

interface Rewrite {
  expression: string;
  substitution: string;
  flags: readonly string[];
  flagText: string;
  text: string;
  /** Of the folder that the expression begins below; '' for the root. */
  base: string;
}

/** Conditions that are joined by OR: a rule for each. */
function alternativesOf(conditions: readonly (readonly string[])[]): (readonly (readonly string[])[])[] {
  const joins = conditions.slice(0, -1).map(([, , flags = '']) => /[[,](?:OR|ornext)[\],]/i.test(flags));
  return joins.length > 0 && joins.every(Boolean) ? conditions.map((one) => [one]) : [conditions];
}

function readRewriteRule(
  { expression, substitution, flags, flagText, text, base }: Rewrite,
  conditions: readonly (readonly string[])[],
): Rule {
  const isGone = flags.some((flag) => /^(?:G|gone|R=410)$/i.test(flag));
  const redirects = flags.some((flag) => /^(?:R|redirect)(?:=(?:30[12378]|permanent|temp|seeother))?$/i.test(flag));
  if (!isGone && !redirects) return { kind: 'skipped', reason: 'notRedirect', text };
  if (!flags.every((flag) => HARMLESS.test(flag.split('=', 1)[0] ?? ''))) return skipConditional(`${text} ${flagText}`);
  const plain = substitution.replace(/\\([%$\\])/g, '$1').replace(/\?$/, '');
  const target = base === '' || /^(?:\/|https?:)/i.test(plain) ? plain : `${base}/${plain}`;
  let matched = readBelow(base, expression);
  let compared = expression;
  const [[tested = '', pattern = ''] = [], ...others] = conditions;
  const query = tested === '%{QUERY_STRING}' ? readLiteral(pattern) : undefined;
  if (tested !== '' && query === undefined) {
    // The rule's own expression, compared with the request as it was sent.
    const isOwn = tested === '%{THE_REQUEST}' && pattern.startsWith(METHOD) && matched && 'prefix' in matched;
    if (!isOwn || base !== '') return skipConditional(`RewriteCond ${tested} ${pattern}`);
    compared = `^${pattern.slice(METHOD.length)}`;
    matched = readExpression(compared, true);
  }
  // Several conditions must hold at once.
  if (others.length > 0) return skipConditional(conditions.map((one) => `RewriteCond ${one.join(' ')}`).join(', '));
  if (query === undefined)
    return isGone ? toGoneExpression(compared, matched) : toExpressionRule(compared, matched, target, REST);
  if (!matched || !('path' in matched)) return skipPattern(`${expression}?${query}`, target);
  const address = `${matched.path}?${query}`;
  return isGone ? toGone(address) : toRule(address, target);
}

/** What an expression matches that is compared with the path below a folder. */
function readBelow(base: string, expression: string): Matched | undefined {
  const matched = readExpression(expression);
  if (!matched || base === '') return matched;
  return 'path' in matched ? { path: base + matched.path } : { ...matched, prefix: base + matched.prefix };
}
