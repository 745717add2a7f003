import { alternativesOf, readRewriteRule, type RewriteCond } from './apache-rewrite.js';
import { apacheSection, type Section } from './apache-sections.js';
import { readHosts } from './conditions.js';
import { readExpression } from './expressions.js';
import {
  codeOf,
  skipConditional,
  skipPattern,
  withTerms,
  type ReadRule,
  type Rule,
  type RuleCode,
} from './read-rule.js';
import { checkDepth, inScopes, lateNames, nameHosts } from './scopes.js';
import { escapeColons } from './source-address.js';
import { apacheWords } from './split-words.js';
import { toBare, toMatchedRule, toRule } from './to-rule.js';

const STATUS = /^(?:30[12378]|permanent|temp|seeother)$/i;
const GONE = /^(?:410|451|gone)$/i;

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
  #conditions: RewriteCond[] = [];
  readonly #sections: Section[] = [];
  #documentRoot: string | undefined;
  /** Of the file, and of each open section that has its own. */
  readonly #engines: Engine[] = [{ isOff: false, base: undefined, rewrites: [] }];
  readonly #read: { line: number; rule: ReadRule }[] = [];
  /** So many RewriteRules hang on one before: by its flag C or S. */
  #hanging = 0;

  reads(line: string): boolean {
    return /^\s*(?:(?:redirect\w*|rewrite(?:rule|cond|engine|base|options|map)|documentroot|server(?:name|alias))\s|<\/?[a-z]\w*(?:\s[^>]*)?>\s*$)/i.test(
      line,
    );
  }

  /**
   * The rules of a line, but for RewriteRules: {@link end} has these. Each throws an ApiError invalid_request when it
   * is read, if it is not an address.
   */
  push(line: string, number: number): ReadRule[] {
    const words = apacheWords(line);
    const [first = '', ...args] = words;
    const sections = [...this.#sections];
    const host = sections.find(({ isHost }) => isHost);
    switch (first.toLowerCase()) {
      case 'redirect':
      case 'redirectpermanent':
      case 'redirecttemp':
      case 'redirectmatch':
        if (host) host.hasRules = true;
        return [() => inScopes(withTerms(readAlias(words, sections), { code: codeOfAlias(words) }), sections)];
      case 'servername':
      case 'serveralias':
        if (!host) return [];
        nameHosts(
          host,
          readHosts(args.map((name) => name.replace(/^https?:\/\//i, '').replace(/:\d+$/, ''))),
          `${host.text} of ${args.join(' ')}`,
        );
        return lateNames(host, first);
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
        return [readRewriteRule(rewrite, one)].flat().flatMap((rule) => inScopes(rule, scopes));
      });
    };
    this.#engine.rewrites.push({ line, text, isOff: this.#engine.isOff, read });
  }
}

/** `Redirect` or `RedirectMatch`. */
function readAlias(words: readonly string[], sections: readonly Section[]): Rule {
  const [first = '', ...args] = words;
  if (first.toLowerCase() !== 'redirectmatch') return readRedirect(args, words, sections.at(-1)?.path);
  if (GONE.test(args[0] ?? '')) return toMatchedRule(words.join(' '), readExpression(args[1] ?? ''), {});
  const [expression = '', target = ''] = args.filter((one) => !STATUS.test(one));
  if (expression === '' || target === '') return skipPattern(expression, target);
  return toMatchedRule(expression, readExpression(expression), { target });
}

/** 302 unless it says otherwise. */
function codeOfAlias([first = '', status = '']: readonly string[]): RuleCode {
  return codeOf(status) ?? (/permanent$/i.test(first) ? 301 : 302);
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
  if (isGone) return toBare('gone', escapeColons(from));
  const rule = toRule(escapeColons(from), to);
  return rule.kind === 'redirect' && !isOfLocation ? { ...rule, andBelow: true } : rule;
}
