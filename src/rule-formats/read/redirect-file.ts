import { ApiError, invalid, OperatorError } from '../../base/errors.js';
import { checkStorable } from '../../base/validate.js';
import { delimiterOf } from '../../text/table-rows.js';
import { FileColumns, type ColumnNames } from './file-columns.js';
import { ConfigDocument, TOML_BEGINS } from './config-documents.js';
import { RedirectTable } from './redirect-rows.js';
import { MAX_PATH, MAX_URL, type LocatedRule, type ReaderRule, type RuleReader } from './read-rule.js';
import { ServerLines } from './server-lines.js';
import { refuseWritten } from './written-alone.js';
import type { NotText } from '../../text/decode-text.js';
import { readLines } from '../../text/read-lines.js';

/** The formats that `redirects import` reads. */
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
  'iis',
] as const;
export type RedirectFormat = (typeof REDIRECT_FORMATS)[number];

/**
 * Reads the rules of a redirect file in any of its formats, line by line: JSON objects `{"path": …, "expected": …}` or
 * `{"path": …, "status": 410}`, `/old /new [301]`, `/old 410`, `_redirects` of Netlify and Cloudflare, rules of nginx
 * and Apache. A file whose name ends in `.csv` or `.tsv` is a table. `vercel.json`, `netlify.toml` and IIS's
 * `web.config` are read at the end.
 */
export class RedirectFile {
  readonly #name: string;
  readonly #format: RedirectFormat | undefined;
  readonly #columns: FileColumns;
  #reader: RuleReader | undefined;
  #line = 0;
  /** The names of the columns that are not read. They are known after {@link end}. */
  unread: readonly string[] = [];

  /** @param format is by default found by the file's name and by its lines */
  constructor(name: string, format?: RedirectFormat, columns?: ColumnNames) {
    this.#name = name;
    this.#format = format;
    this.#columns = new FileColumns(columns);
  }

  /**
   * Returns the rules that end with this line.
   * @throws OperatorError if the header of a table names no columns of old and new addresses, a document is too long,
   * or the file is of a server whose rules are written by exports, and not read
   */
  push(text: string | NotText): LocatedRule[] {
    const line = ++this.#line;
    if (typeof text !== 'string') {
      if (this.#reader instanceof ConfigDocument) throw new OperatorError(`${this.#name} is ${text.message}`);
      return [{ kind: 'refused', line, reason: text.message }];
    }
    const clean = text.replace(/^\uFEFF/, '');
    if (!this.#reader && clean.trim() === '') return [];
    this.#reader ??= openReader(this.#name, this.#format, clean, this.#columns);
    return this.#reader.push(clean, line).flatMap(toLocatedRules);
  }

  /**
   * Whether the file has rules of a web server, which knows paths as they are, and not of a host. It is known at the
   * end.
   */
  get isOfServer(): boolean {
    return this.#reader?.isOfServer ?? false;
  }

  /**
   * To call after the last line. Returns the rules and errors that are not known before.
   * @throws OperatorError if a document has an unknown format, or a column that may change the rules is not known
   */
  end(): LocatedRule[] {
    const rules = (this.#reader?.end() ?? []).flatMap(toLocatedRules);
    this.unread = this.#columns.end(this.#name);
    return rules;
  }
}

/** @param first the first line that is not empty */
function openReader(name: string, format: RedirectFormat | undefined, first: string, columns: FileColumns): RuleReader {
  if (format === undefined) refuseWritten('file', name);
  if (isTable(name, format))
    return new RedirectTable(name, delimiterOf(format === undefined ? name : `.${format}`, first), columns);
  if (isDocument(name, format, first)) return new ConfigDocument(name, columns);
  return new ServerLines(format === 'cloudflare' ? 302 : 301, columns);
}

function toLocatedRules({ line, rule: read }: ReaderRule): LocatedRule[] {
  try {
    const rules = [read()].flat();
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

function isTable(name: string, format: RedirectFormat | undefined): boolean {
  return format === undefined ? /\.[ct]sv$/i.test(name) : format === 'csv' || format === 'tsv';
}

function isDocument(name: string, format: RedirectFormat | undefined, first: string): boolean {
  if (format !== undefined) return format === 'vercel' || format === 'iis';
  if (/\.toml$|\.config$|(?:^|\/)vercel\.json$/i.test(name) || TOML_BEGINS.test(first)) return true;
  return /^\s*(?:<\?xml|<!--|<configuration|<system\.web|<location\s+path=|<rewrite|<rules?\b|\{\s*$|\{\s*"(?:\$schema|redirects|http)")/.test(
    first,
  );
}

/**
 * Reads the rules of a file, one after the other.
 * @throws OperatorError before the first one, if the file has a column that may change its rules and is not known
 */
export async function* readRulesOf(
  file: string,
  format: RedirectFormat | undefined,
  onLine: () => void,
  columns?: ColumnNames,
): AsyncGenerator<LocatedRule> {
  // The file is read twice, since any row may show what a column means.
  const survey = new RedirectFile(file, format, columns);
  for await (const text of readLines(file)) survey.push(text);
  survey.end();
  if (survey.unread.length > 0) yield { kind: 'nothing', unread: survey.unread, line: 1 };
  const rules = new RedirectFile(file, format, columns);
  for await (const text of readLines(file)) {
    onLine();
    yield* rules.push(text);
  }
  yield* rules.end();
}
