import { ApiError, invalid } from '../../base/errors.js';
import { ApacheLines } from './apache-lines.js';
import { readExpression } from './expressions.js';
import type { FileColumns } from './file-columns.js';
import { JsonObjects } from './redirect-rows.js';
import { NginxBlocks } from './nginx-blocks.js';
import {
  codeOf,
  isAddress,
  NOTHING,
  withTerms,
  type ReaderRule,
  type ReadRule,
  type Rule,
  type RuleCode,
  type RuleReader,
} from './read-rule.js';
import { escapeColons } from './source-address.js';
import { splitWords } from './split-words.js';
import { toBare, toMatchedRule, toRule } from './to-rule.js';
import { refuseWritten } from './written-alone.js';

const GONE = /^(?:4(?:10|51)!?|gone)$/i;
/** People write these next to a status, or in its place. */
const FLAGS = /^(?:permanent|temporary|temp|redirect|\[[A-Z,=\d]+\])$/i;
const TEMPORARY = /^redirect$/i;
/** These words stand around the rules of a map or of .htaccess. */
const OTHER_DIRECTIVES = new Set(['map', 'default', 'hostnames', 'volatile', 'options']);

/**
 * Reads the lines of web servers: `/old /new [301]`, `/old 410`, `_redirects` of Netlify and Cloudflare, and the rules
 * of nginx and Apache, and JSON objects. `#` begins a comment. A line of nginx may hold several rules.
 */
export class ServerLines implements RuleReader {
  // The path of a map is literal, but for a star.
  readonly #nginx = new NginxBlocks(([path = '', ...words]) =>
    readWords([path.startsWith('/') ? escapeColons(path) : path, ...words]),
  );
  readonly #apache = new ApacheLines();
  readonly #defaultCode: RuleCode;
  readonly #objects: JsonObjects;
  isOfServer = false;

  /** @param defaultCode the code of a line `/old /new` that names none */
  constructor(defaultCode: RuleCode, columns: FileColumns) {
    this.#defaultCode = defaultCode;
    this.#objects = new JsonObjects(columns);
  }

  /**
   * Returns the rules that end with this line. Each throws an ApiError invalid_request when it is read, if it is in
   * none of the formats above.
   * @throws OperatorError if the line is of a server whose rules are written by exports, and not read
   */
  push(text: string, line: number): ReaderRule[] {
    const objects = this.#nginx.goesOn(text) ? undefined : this.#objects.push(text, line);
    if (objects) return objects;
    const rules = this.#readServer(text, line);
    if (!rules) return [{ line, rule: () => readWords(splitWords(text), this.#defaultCode) }];
    this.isOfServer = true;
    return rules.map((rule) => ({ line, rule }));
  }

  #readServer(text: string, line: number): ReadRule[] | undefined {
    // An open block of nginx goes on. Outside a block, `redirect` is a directive of Apache.
    if (this.#nginx.isOpen || this.#nginx.goesOn(text)) return this.#nginx.push(text, line);
    refuseWritten('line', text);
    if (this.#apache.reads(text)) return this.#apache.push(text, line);
    return this.#nginx.reads(text) ? this.#nginx.push(text, line) : undefined;
  }

  end(): ReaderRule[] {
    return [...this.#objects.end(), ...this.#nginx.end(), ...this.#apache.end()];
  }
}

function readWords(words: readonly string[], code: RuleCode = 301): Rule {
  const rule = readLine(words, code);
  if (!rule)
    throw new ApiError('invalid_request', {
      message: 'neither a JSON object, nor `/old /new [301]`, nor a rule of Netlify, nginx or Apache',
    });
  return rule;
}

function readLine(words: readonly string[], code: RuleCode): Rule | undefined {
  const [first = '', second] = words;
  if (words.length === 0 || /^[{}]+$/.test(first) || /^<\/?\w/.test(first)) return NOTHING;
  if (OTHER_DIRECTIVES.has(first.toLowerCase())) return NOTHING;
  if (first.startsWith('~'))
    return second === undefined
      ? undefined
      : toMatchedRule(first, readExpression(first.replace(/^~\*?/, '')), { target: second });
  return readMapLine(words, code);
}

/** Reads `/old /new`, perhaps with Netlify's additions: `301`, `301!`, `200`, `Country=de`. */
function readMapLine([from = '', to, ...rest]: readonly string[], code: RuleCode): Rule | undefined {
  if (to === undefined || !isAddress(from)) return undefined;
  if (GONE.test(to)) return goneOf(from, to);
  const text = [from, to, ...rest].join(' ');
  // Netlify compares parameters of the query string between the addresses: /old id=7 /new.
  if (/^[\w.-]+=/.test(to)) {
    const at = rest.findIndex(isAddress);
    const parameters = [to, ...rest.slice(0, Math.max(0, at))];
    if (at < 0 || parameters.some((parameter) => !/^[\w.-]+=[^:]*$/.test(parameter)))
      return { kind: 'skipped', reason: 'pattern', text };
    return readMapLine([`${from}?${parameters.join('&')}`, rest[at] ?? '', ...rest.slice(at + 1)], code);
  }
  const status = rest.find((word) => /^\d{3}!?$/.test(word));
  if (rest.some((word) => /^\w+=/.test(word))) return { kind: 'skipped', reason: 'conditional', text };
  const unknown = rest.filter((word) => word !== status && !FLAGS.test(word));
  if (unknown.length > 0)
    throw invalid(
      undefined,
      `${JSON.stringify(unknown.join(' '))} says nothing behind the new address: a line is \`/old /new\`, perhaps with a status such as 301; a space in an address is %20`,
    );
  if (status !== undefined && GONE.test(status)) return goneOf(from, status);
  const rule = toRule(from, to);
  if (rule.kind !== 'skipped' && status !== undefined && !status.startsWith('3'))
    return { kind: 'skipped', reason: 'notRedirect', text };
  return withTerms(rule, { code: findCode(rest) ?? code });
}

function goneOf(from: string, status: string): Rule {
  return withTerms(toBare('gone', from), { code: status.startsWith('451') ? 451 : 410 });
}

/** Finds the code in `302!`, `temporary`, `[R=302]`. */
function findCode(words: readonly string[]): RuleCode | undefined {
  const codes = words.map((word) => (TEMPORARY.test(word) ? 302 : codeOf(/\d{3}/.exec(word)?.[0] ?? word)));
  return codes.find((code) => code !== undefined);
}
