import { invalid } from '../../base/errors.js';
import { answerOf, blockOf, nameServer, readStatement, targetOf, type Place } from './nginx-statements.js';
import { MAX_HOSTS, withConditions } from './conditions.js';
import {
  isAddress,
  NOTHING,
  refused,
  skipConditional,
  skipPattern,
  withTerms,
  type ReadRule,
  type Rule,
  type RuleCode,
} from './read-rule.js';
import { checkDepth, lateNames } from './scopes.js';
import { nginxWords } from './split-words.js';

/** An open block `map`: the variable that it sets, and whether its entries are paths. */
interface OpenMap {
  sets: string;
  isOfPaths: boolean;
}

/** An open block; undefined is a block of the whole site, such as `http`. */
type Block = Place | OpenMap | undefined;

/**
 * A rule that redirects to the variable of a map: the hosts that it is for, if not for any, and the code that it
 * answers.
 */
interface Use {
  hosts: readonly string[] | undefined;
  code: RuleCode | undefined;
}

/** A map is read if it compares its entries with one of these variables. */
const PATHS = new Set(['$uri', '$document_uri', '$request_uri']);

/**
 * This matches the beginning of a line of nginx outside a block, or a whole directive such as
 * `map_hash_bucket_size 128;`.
 */
const BEGINS =
  /^\s*(?:[a-z]\w*\s[^;{}]*;\s*(?:#|$)|(?:location|if|server|set|return|rewrite|error_page|include)(?![\w:/])|http-|http\s*(?:[{#]|$)|map\s+["']?\$)/;
/** Redirects are read from these statements, which may go on in the next line. */
const READ = new Set(['location', 'if', 'map', 'return', 'rewrite', 'server_name']);
const ANSWERS = new Set(['return', 'rewrite', 'break']);
const MAX_WORDS = 1_000;

/**
 * Reads `location … { return 301 …; }`, `if ($request_uri ~ …) { return 301 …; }`, `rewrite` and `map` of nginx, line
 * by line. The redirects of a map are read from the map: `if ($new) { return 301 $new; }` is no rule of its own.
 */
export class NginxBlocks {
  readonly #readEntry: (words: readonly string[]) => Rule;
  readonly #open: Block[] = [];
  /** The words since the last `;` or brace, and the line where they begin. */
  #statement: { line: number; words: string[] } = { line: 0, words: [] };
  readonly #mapped = new Set<string>();
  readonly #entries: { line: number; variable: string; words: readonly string[] }[] = [];
  readonly #uses = new Map<string, Use>();
  /** Rules that redirect to a variable; they are read only if no map sets it. */
  readonly #variableRules: { line: number; variable: string; rule: ReadRule }[] = [];

  constructor(readEntry: (words: readonly string[]) => Rule) {
    this.#readEntry = readEntry;
  }

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  reads(line: string): boolean {
    return this.#open.length > 0 || BEGINS.test(line) || this.goesOn(line);
  }

  /** Tells whether a line goes on with a statement of the line before, such as the brace of a `location`. */
  goesOn(line: string): boolean {
    return this.#statement.words.length > 0 && (this.#open.length > 0 || /^\s*(?:\{|#|$)/.test(line));
  }

  push(text: string, line: number): ReadRule[] {
    const rules: ReadRule[] = [];
    if (!this.goesOn(text)) this.#take();
    for (const word of nginxWords(text)) {
      if (word === '{') this.#begin(this.#take());
      else if (word === ';' || word === '}') {
        const words = this.#take();
        if (words.length > 0) rules.push(...this.#read(words, line));
        if (word === '}') this.#open.pop();
      } else {
        if (this.#statement.words.length === 0) this.#statement.line = line;
        this.#statement.words.push(word);
      }
    }
    const { words } = this.#statement;
    const [first = ''] = words;
    const isMap = isOpenMap(this.#open.at(-1));
    // An entry of a map, or a `rewrite` outside a block, is also written without a semicolon.
    if (isMap ? words.length > 1 : first === 'rewrite' && this.#open.length === 0)
      rules.push(...this.#read(this.#take(), line));
    else if (!isMap && !READ.has(first)) this.#take();
    if (words.length > MAX_WORDS) rules.push(...this.#unclosed().map(({ rule }) => rule));
    return rules;
  }

  /** To call after the last line. */
  end(): { line: number; rule: ReadRule }[] {
    const entries = this.#entries.map(({ line, variable, words }) => ({
      line,
      rule: (): Rule | Rule[] => asUsed(this.#readMapped(words), this.#uses.get(variable)),
    }));
    const unmapped = this.#variableRules.filter(({ variable }) => !this.#mapped.has(variable));
    return [...entries, ...unmapped, ...this.#unclosed()];
  }

  #unclosed(): { line: number; rule: ReadRule }[] {
    const { line } = this.#statement;
    const words = this.#take();
    if (words.length === 0) return [];
    const text = words.slice(0, 10).join(' ');
    return [{ line, rule: refused(`\`${text}\` has neither a semicolon nor a brace behind it`) }];
  }

  #take(): string[] {
    const { words } = this.#statement;
    this.#statement = { line: 0, words: [] };
    return words;
  }

  #begin(words: readonly string[]): void {
    const variable = words[0] === 'map' ? words[2] : undefined;
    if (variable !== undefined) this.#mapped.add(variable.toLowerCase());
    const isOfPaths = PATHS.has(words[1] ?? '');
    this.#open.push(words[0] === 'map' ? { sets: (variable ?? '').toLowerCase(), isOfPaths } : blockOf(words));
    checkDepth(this.#open.length);
  }

  #read(words: readonly string[], line: number): ReadRule[] {
    const block = this.#open.at(-1);
    if (isOpenMap(block)) {
      if (block.isOfPaths) this.#entries.push({ line, variable: block.sets, words });
      return block.isOfPaths || !words.some(isAddress) ? [] : [() => skipConditional(words.join(' '))];
    }
    const [first = '', ...args] = words;
    if (first === 'server_name' && block?.isServer) {
      nameServer(block, args);
      return lateNames(block, first);
    }
    const open = this.#open.filter((place) => place !== undefined && !isOpenMap(place)) as Place[];
    const server = open.find(({ isServer }) => isServer);
    if (server && ANSWERS.has(first)) server.hasRules = true;
    const outer = open.filter(({ isServer }) => !isServer).at(-2);
    const around = open.map((place) => ({ ...place }));
    const rule = (): Rule | Rule[] => readStatement(words, around) ?? NOTHING;
    // Statements behind an `if` that answers some requests are for the other requests only. An `if` on the host or the
    // query string needs no such note, since its rule has that condition itself.
    const isReported = block?.isOfAllPaths && answerOf(words) !== undefined;
    if (block?.isCondition && outer && ANSWERS.has(first) && !isReported) outer.only = true;
    const { variable } = block ?? {};
    if (variable === undefined || targetOf(words) !== variable) return [rule];
    // The map is for all paths, and the block is not.
    if (outer) return [() => skipConditional(`${outer.text}: ${words.join(' ')}`)];
    this.#use(variable, { hosts: server?.when?.hosts, code: answerOf(words) });
    // The map may follow in a later line.
    this.#variableRules.push({ line, variable, rule });
    return [];
  }

  /** Notes a rule that redirects to the variable of a map. One such rule is enough; the hosts of all of them count. */
  #use(variable: string, next: Use): void {
    const before = this.#uses.get(variable);
    if (!before) this.#uses.set(variable, next);
    else if (!next.hosts) before.hosts = undefined;
    else if (before.hosts && before.hosts.length <= MAX_HOSTS)
      before.hosts = [...new Set([...before.hosts, ...next.hosts])];
  }

  #readMapped(words: readonly string[]): Rule {
    const [from = '', to = ''] = words;
    if (from === 'include') throw invalid(undefined, `\`include ${to}\`: import that file, too`);
    return from === 'default' && isAddress(to) ? skipPattern('/*', to) : this.#readEntry(words);
  }
}

function isOpenMap(block: Block): block is OpenMap {
  return block !== undefined && 'sets' in block;
}

/** Adds to an entry of a map the code and hosts of the rules that use the map. */
function asUsed(rule: Rule, use: Use | undefined): Rule | Rule[] {
  const withCode = use?.code ? withTerms(rule, { code: use.code }) : rule;
  return withConditions(withCode, 'server_name', use?.hosts ? [{ hosts: use.hosts }] : []);
}
