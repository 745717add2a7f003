import { invalid } from '../../base/errors.js';
import { blockOf, readStatement, targetOf, type Place } from './nginx-statements.js';
import { isAddress, NOTHING, skipConditional, skipPattern, type Rule } from './read-rule.js';
import { checkDepth } from './scopes.js';
import { nginxWords } from './split-words.js';

/** undefined: of the whole site. */
type Block = Place | 'map' | 'other map' | undefined;

/** What the entries of a map are compared with, if it is read. */
const PATHS = new Set(['$uri', '$document_uri', '$request_uri']);

/** The words that a line of nginx outside a block begins with. */
const BEGINS =
  /^\s*(?:(?:location|if|server|set|return|rewrite|error_page|include)(?![\w:/])|http-|http\s*(?:[{#]|$)|map\s+["']?\$)/;
/** Statements that redirects are read from: they may go on in the next line. */
const READ = new Set(['location', 'if', 'map', 'return', 'rewrite']);
const ANSWERS = new Set(['return', 'rewrite', 'break']);
const MAX_WORDS = 1_000;

/** A rule of a line, to be read alone: another one of the line may be wrong. */
export type ReadRule = () => Rule;

/**
 * Reads `location … { return 301 …; }`, `if ($request_uri ~ …) { return 301 …; }`, `rewrite` and `map` of nginx, line
 * by line. What a map says is read from the map: `if ($new) { return 301 $new; }` is no rule of its own.
 */
export class NginxBlocks {
  readonly #readEntry: (words: readonly string[]) => Rule;
  readonly #open: Block[] = [];
  /** The words since the last `;` or brace, and the line where they begin. */
  #statement: { line: number; words: string[] } = { line: 0, words: [] };
  /** Variables that maps of the file set. */
  readonly #mapped = new Set<string>();
  /** Rules that say what such a variable says, if a map sets it. */
  readonly #ofVariables: { line: number; variable: string; rule: ReadRule }[] = [];

  /** @param readEntry reads an entry of a map */
  constructor(readEntry: (words: readonly string[]) => Rule) {
    this.#readEntry = readEntry;
  }

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  reads(line: string): boolean {
    return this.#open.length > 0 || BEGINS.test(line) || this.goesOn(line);
  }

  /** Whether a line ends what another one began: the brace of a `location`. */
  goesOn(line: string): boolean {
    return this.#statement.words.length > 0 && (this.#open.length > 0 || /^\s*(?:\{|#|$)/.test(line));
  }

  push(text: string, line: number): ReadRule[] {
    const found: ReadRule[] = [];
    if (!this.goesOn(text)) this.#take();
    for (const word of nginxWords(text)) {
      if (word === '{') this.#begin(this.#take());
      else if (word === ';' || word === '}') {
        const words = this.#take();
        if (words.length > 0) found.push(...this.#read(words, line));
        if (word === '}') this.#open.pop();
      } else {
        if (this.#statement.words.length === 0) this.#statement.line = line;
        this.#statement.words.push(word);
      }
    }
    const { words } = this.#statement;
    const [first = ''] = words;
    const isMap = typeof this.#open.at(-1) === 'string';
    // Such a line is written without a semicolon, too.
    if (isMap ? words.length > 1 : first === 'rewrite' && this.#open.length === 0)
      found.push(...this.#read(this.#take(), line));
    else if (!isMap && !READ.has(first)) this.#take();
    if (words.length > MAX_WORDS) found.push(...this.#unclosed().map(({ rule }) => rule));
    return found;
  }

  /** To call after the last line. */
  end(): { line: number; rule: ReadRule }[] {
    return [...this.#ofVariables.filter(({ variable }) => !this.#mapped.has(variable)), ...this.#unclosed()];
  }

  #unclosed(): { line: number; rule: ReadRule }[] {
    const { line } = this.#statement;
    const words = this.#take();
    if (words.length === 0) return [];
    const text = words.slice(0, 10).join(' ');
    const rule = (): Rule => {
      throw invalid(undefined, `\`${text}\` has neither a semicolon nor a brace behind it`);
    };
    return [{ line, rule }];
  }

  #take(): string[] {
    const { words } = this.#statement;
    this.#statement = { line: 0, words: [] };
    return words;
  }

  #begin(words: readonly string[]): void {
    const variable = words[0] === 'map' ? words[2] : undefined;
    if (variable !== undefined) this.#mapped.add(variable.toLowerCase());
    const ofPaths = PATHS.has(words[1] ?? '') ? 'map' : 'other map';
    this.#open.push(words[0] === 'map' ? ofPaths : blockOf(words));
    checkDepth(this.#open.length);
  }

  #read(words: readonly string[], line: number): ReadRule[] {
    const block = this.#open.at(-1);
    if (block === 'map') return [() => this.#readMapped(words)];
    if (block === 'other map') return words.some(isAddress) ? [() => skipConditional(words.join(' '))] : [];
    const open = this.#open.filter((one) => typeof one === 'object');
    const outer = open.at(-2);
    const around = open.map((place) => ({ ...place }));
    const rule = (): Rule => readStatement(words, around) ?? NOTHING;
    // Statements behind an `if` that answers some requests are for the others only.
    if (block?.isCondition && outer && ANSWERS.has(words[0] ?? '')) outer.only = true;
    if (block?.variable === undefined || targetOf(words) !== block.variable) return [rule];
    // The map is for all paths, and the block is not.
    if (outer) return [() => skipConditional(`${outer.text}: ${words.join(' ')}`)];
    // The map may follow.
    this.#ofVariables.push({ line, variable: block.variable, rule });
    return [];
  }

  #readMapped(words: readonly string[]): Rule {
    const [from = '', to = ''] = words;
    if (from === 'include') throw invalid(undefined, `\`include ${to}\`: import that file, too`);
    return from === 'default' && isAddress(to) ? skipPattern('/*', to) : this.#readEntry(words);
  }
}
