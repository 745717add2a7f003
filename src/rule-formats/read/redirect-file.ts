import { ApiError, invalid, OperatorError } from '../../base/errors.js';
import { checkStorable, compileBody } from '../../base/validate.js';
import { delimiterOf } from '../../text/table-rows.js';
import { MAX_DOCUMENT, readDocument, TOML_BEGINS } from './config-documents.js';
import { RedirectTable } from './redirect-table.js';
import type { LocatedRule, ReadRule, Rule } from './read-rule.js';
import { toRule } from './to-rule.js';
import { columnName, readColumns } from './table-columns.js';
import { ServerLines } from './server-lines.js';
import type { NotText } from '../../text/decode-text.js';
import { readLines } from '../../text/read-lines.js';

/** The limit of dead paths in suggest and in events. */
const MAX_PATH = 2_048;
const MAX_URL = 4_096;

const PATH = { type: 'string', minLength: 1, maxLength: MAX_PATH } as const;

const checkRow = compileBody({
  type: 'object',
  required: ['path', 'expected'],
  properties: { path: PATH, expected: { type: 'string', minLength: 1, maxLength: MAX_URL } },
});
const checkGoneRow = compileBody({ type: 'object', required: ['path'], properties: { path: PATH } });

/** The formats of contract and command line; each reads what `redirects export` writes in it. */
export const REDIRECT_FORMATS = [
  'lines',
  'csv',
  'tsv',
  'json',
  'jsonl',
  'netlify',
  'vercel',
  'cloudflare',
  'nginx',
  'apache',
  'caddy',
  'haproxy',
  'traefik',
  'iis',
] as const;
export type RedirectFormat = (typeof REDIRECT_FORMATS)[number];

/**
 * Reads the rules of a redirect file in any of its formats, line by line: JSON objects `{"path": …, "expected": …}` or
 * `{"path": …, "status": 410}`, `/old /new [301]`, `/old 410`, `_redirects` of Netlify and Cloudflare, rules of nginx,
 * Apache, Caddy and HAProxy. A file whose name ends in `.csv` or `.tsv` is a table. `vercel.json`, `netlify.toml`,
 * Traefik's configuration and IIS's `web.config` are read at the end.
 */
export class RedirectFile {
  readonly #name: string;
  readonly #format: RedirectFormat | undefined;
  readonly #lines: ServerLines;
  #table: RedirectTable | undefined;
  #document: { lines: string[]; length: number } | undefined;
  #isOfServer = false;
  #line = 0;
  #begun = false;

  /** `format`: else by the name and by the look of the lines. */
  constructor(name: string, format?: RedirectFormat) {
    this.#name = name;
    this.#format = format;
    this.#lines = new ServerLines(format === 'cloudflare' ? 302 : 301);
  }

  /**
   * The rules that end with this line.
   * @throws OperatorError if the header of a table names no columns of old and new addresses, or a document is too long
   */
  push(text: string | NotText): LocatedRule[] {
    const line = ++this.#line;
    if (typeof text !== 'string') {
      if (this.#document) throw new OperatorError(`${this.#name} is ${text.message}`);
      return [{ kind: 'refused', line, reason: text.message }];
    }
    const clean = text.replace(/^\uFEFF/, '');
    if (!this.#begun && clean.trim() !== '') {
      this.#begun = true;
      if (isTable(this.#name, this.#format))
        this.#table = new RedirectTable(
          this.#name,
          delimiterOf(this.#format === undefined ? this.#name : `.${this.#format}`, clean),
        );
      else if (isDocument(this.#name, this.#format, clean))
        this.#document = { lines: Array.from({ length: line - 1 }, () => ''), length: 0 };
    }
    if (this.#document) {
      this.#document.lines.push(clean);
      this.#document.length += clean.length + 1;
      if (this.#document.length > MAX_DOCUMENT)
        throw new OperatorError(`${this.#name} is longer than ${MAX_DOCUMENT / 1024 / 1024} MB: split it.`);
      return [];
    }
    if (this.#table) {
      const row = this.#table.push(clean, line);
      return row ? toLocatedRules(row.line, row.rule) : [];
    }
    if (!this.#lines.goesOn(clean)) {
      // An array of objects, one a line.
      const object =
        /^[\s[,]*(\{\s*\S.*\})[\s,\]]*$/.exec(clean)?.[1] ?? (/^\s*\{\s*\S/.test(clean) ? clean : undefined);
      if (object !== undefined) return toLocatedRules(line, () => parseJson(object));
      if (/^\s*[[\]]\s*$/.test(clean)) return [];
    }
    return this.#lines.push(clean, line).flatMap((rule) => toLocatedRules(line, rule));
  }

  /** To ask at the end: whether it has rules of a web server, which knows paths as they are, and not of a host. */
  get isOfServer(): boolean {
    return this.#isOfServer || this.#lines.isOfServer;
  }

  /**
   * To call after the last line. Returns the rules and errors that show only there.
   * @throws OperatorError if a document has an unknown format
   */
  end(): LocatedRule[] {
    if (this.#document) {
      const rules = readDocument(this.#name, this.#document.lines.join('\n'));
      this.#isOfServer = rules.some(({ isOfServer }) => isOfServer);
      return rules.flatMap(({ line, rule }) => toLocatedRules(line, rule));
    }
    return this.#table?.end() ?? this.#lines.end().flatMap(({ line, rule }) => toLocatedRules(line, rule));
  }
}

function toLocatedRules(line: number, parse: ReadRule): LocatedRule[] {
  try {
    const rules = [parse()].flat();
    for (const rule of rules)
      if ('from' in rule) {
        const { from, to } = { to: undefined, ...rule };
        checkStorable(to === undefined ? { path: from } : { path: from, expected: to }, 'line');
        checkLength('path', from, MAX_PATH);
        if (to !== undefined) checkLength('expected', to, MAX_URL);
      }
    return rules.map((rule) => ({ ...rule, line }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [{ kind: 'refused', reason: error.message, line }];
  }
}

function checkLength(name: string, value: string, max: number): void {
  if (value.length > max) throw invalid(name, `${name} must have at most ${max} characters.`);
}

function parseJson(text: string): Rule | Rule[] {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new ApiError('invalid_request', { message: 'not valid JSON', cause: error });
  }
  const { target, expected = target, ...others } = value;
  const from = checkGoneRow(value).path.trim();
  const cells = Object.entries(others).filter(([name]) => name !== 'path');
  return readColumns(
    cells.map(([name, one]) => [columnName(name), one === null || one === undefined ? '' : asText(one)] as const),
    from,
    typeof expected === 'string' ? expected.trim() : '',
    () => toRule(from, checkRow({ ...value, expected }).expected.trim(), value),
  );
}

/** Parameters of a query string may be an object: none say nothing. */
function asText(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return typeof value === 'string' ? value : JSON.stringify(value);
  return Object.entries(value)
    .map(([name, one]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`)
    .join('&');
}

function isTable(name: string, format: RedirectFormat | undefined): boolean {
  return format === undefined ? /\.[ct]sv$/i.test(name) : format === 'csv' || format === 'tsv';
}

function isDocument(name: string, format: RedirectFormat | undefined, first: string): boolean {
  if (format !== undefined) return format === 'vercel' || format === 'traefik' || format === 'iis';
  if (/\.ya?ml$|\.toml$|\.config$|(?:^|\/)vercel\.json$/i.test(name) || TOML_BEGINS.test(first)) return true;
  return /^\s*(?:<\?xml|<!--|<configuration|<system\.web|<location\s+path=|<rewrite|<rules?\b|\{\s*$|\{\s*"(?:\$schema|redirects|http)"|[Hh][Tt][Tt][Pp]:\s*$)/.test(
    first,
  );
}

/** The rules of a file, one after the other. */
export async function* readRulesOf(
  file: string,
  format: RedirectFormat | undefined,
  onLine: () => void,
): AsyncGenerator<LocatedRule> {
  const rules = new RedirectFile(file, format);
  for await (const text of readLines(file)) {
    onLine();
    yield* rules.push(text);
  }
  yield* rules.end();
}
