import { codeOfAlias, readAlias, alternativesOf, readRewriteRule, type RewriteCond } from './apache-rules.js';
import { apacheSection, type Section } from './apache-sections.js';
import { readHosts } from './conditions.js';
import { skipConditional, skipPattern, withTerms, type ReadRule, type Rule } from './read-rule.js';
import { checkDepth, inScopes, lateNames, nameHosts } from './scopes.js';
import { apacheWords } from './split-words.js';

/**
 * The limit of wildcards from `Redirect`: a project may have a thousand wildcards, and a moved shop may have a
 * `Redirect` for each of its products.
 */
const MAX_BELOW = 500;
const TOO_MANY = `a file's Redirects take what is below ${MAX_BELOW} paths along, these only their own path`;

/**
 * These settings hold for all rules of a section or file. The last directive of each kind decides, above the rules or
 * below them.
 */
interface Engine {
  isOff: boolean;
  /** The value of RewriteBase: the path of the folder whose `.htaccess` this is. */
  base: string | undefined;
  rewrites: HeldRewrite[];
}

/** A RewriteRule that is held until its section ends. */
interface HeldRewrite {
  line: number;
  text: string;
  /** The rule stands below `RewriteEngine off`: it does not count, unless the engine is switched on again. */
  isOff: boolean;
  read: (base: string | undefined) => ReadRule[];
}

/** Reads `Redirect`, `RedirectMatch` and `RewriteRule` of Apache with the directives around them, line by line. */
export class ApacheLines {
  /** The conditions of the next RewriteRule. */
  #conditions: RewriteCond[] = [];
  readonly #sections: Section[] = [];
  #documentRoot: string | undefined;
  /** The engine of the file, and of each open section that has an engine of its own. */
  readonly #engines: Engine[] = [{ isOff: false, base: undefined, rewrites: [] }];
  readonly #read: { line: number; rule: ReadRule }[] = [];
  /** This counts the wildcards that `Redirect` directives have made. */
  #below = 0;
  /** So many of the next RewriteRules depend on a rule before them, by its flag C or S. */
  #hanging = 0;

  reads(line: string): boolean {
    return /^\s*(?:(?:redirect\w*|rewrite(?:rule|cond|engine|base|options|map)|documentroot|server(?:name|alias))\s|<\/?[a-z]\w*(?:\s[^>]*)?>\s*$)/i.test(
      line,
    );
  }

  /**
   * Returns the rules of a line, but for RewriteRules, which {@link end} returns. Each rule throws an ApiError
   * invalid_request when it is read, if it has no valid address.
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
        return [() => this.#withBelow(words, sections)];
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

  /**
   * Returns the rules of a `Redirect`. Its wildcard for the paths below is left out if the rule itself is refused, and
   * after {@link MAX_BELOW} wildcards of the file.
   */
  #withBelow(words: readonly string[], sections: readonly Section[]): Rule[] {
    const [rule, below] = [readAlias(words, sections)]
      .flat()
      .map((alias) => [inScopes(withTerms(alias, { code: codeOfAlias(words) }), sections)].flat());
    if (!rule || !below || rule[0]?.kind === 'skipped') return rule ?? [];
    this.#below += below.length;
    if (this.#below <= MAX_BELOW) return [...rule, ...below];
    const isFirst = this.#below - below.length <= MAX_BELOW;
    return isFirst ? [...rule, skipPattern(words.join(' '), `and all that follow: ${TOO_MANY}`)] : rule;
  }

  /** To call after the last line. Returns the RewriteRules: only there it is known whether their engine is on. */
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
    const read = (rewriteBase: string | undefined): ReadRule[] => {
      if (hangs) return [() => skipConditional(`${text} ${flagText}, with the flag C or S`)];
      const folder = sections.findLast(({ folder }) => folder !== undefined)?.folder;
      const base = rewriteBase ?? folder ?? '';
      if (folder !== undefined && folder !== base) return [() => skipConditional(`RewriteBase ${base}: ${text}`)];
      const rewrite = { expression, substitution, flags, flagText, text, base };
      return alternativesOf(conditions).map((alternative) => () => {
        const scopes = sections.map((section) => (section.path === undefined ? section : { ...section, only: true }));
        return [readRewriteRule(rewrite, alternative)].flat().flatMap((rule) => inScopes(rule, scopes));
      });
    };
    this.#engine.rewrites.push({ line, text, isOff: this.#engine.isOff, read });
  }
}
