import { ApiError, invalid } from '../../errors.js';
import { checkStorable, compileBody } from '../../validate.js';
import { delimiterOf } from '../../text/table-rows.js';
import { RedirectTable } from './redirect-table.js';
import { toGone, toRule, type LocatedRule, type Rule } from './redirect-rule.js';
import { ServerLines } from './server-lines.js';

/** The limit of dead paths in suggest and in events. */
const MAX_PATH = 2_048;
const MAX_URL = 4_096;

const PATH = { type: 'string', minLength: 1, maxLength: MAX_PATH };

const checkRow = compileBody<{ path: string; expected: string }>({
  type: 'object',
  required: ['path', 'expected'],
  properties: { path: PATH, expected: { type: 'string', minLength: 1, maxLength: MAX_URL } },
});
const checkGoneRow = compileBody<{ path: string }>({ type: 'object', required: ['path'], properties: { path: PATH } });

/**
 * Reads the rules of a redirect file in any of its formats, line by line: JSON objects `{"path": …, "expected": …}` or
 * `{"path": …, "status": 410}`, `/old /new [301]`, `/old 410`, Netlify's `_redirects`, nginx's `rewrite`, `map` and
 * `location = … { return 301 …; }`, Apache's `Redirect`, `RedirectMatch` and `RewriteRule`. A file whose name ends in
 * `.csv` or `.tsv` is a table.
 */
export class RedirectFile {
  readonly #name: string;
  readonly #lines = new ServerLines();
  #table: RedirectTable | undefined;
  #line = 0;

  constructor(name: string) {
    this.#name = name;
  }

  /**
   * The rule that ends with this line.
   * @throws OperatorError if the header of a table names no columns of old and new addresses
   */
  push(text: string): LocatedRule {
    const line = ++this.#line;
    const clean = text.replace(/^\uFEFF/, '');
    if (this.#table || (isTable(this.#name) && clean.trim() !== '')) {
      this.#table ??= new RedirectTable(this.#name, delimiterOf(this.#name, clean));
      const row = this.#table.push(clean, line);
      return row ? toLocatedRule(row.line, row.rule) : { kind: 'nothing', line };
    }
    return toLocatedRule(line, () => (/^\s*\{\s*\S/.test(clean) ? parseJson(clean) : this.#lines.push(clean)));
  }

  /** To call after the last line. Returns an error that shows only there. */
  end(): LocatedRule | undefined {
    return this.#table?.end();
  }
}

function toLocatedRule(line: number, parse: () => Rule): LocatedRule {
  try {
    const rule = parse();
    if (rule.kind === 'gone') {
      checkStorable({ path: rule.from }, 'line');
      checkLength('path', rule.from, MAX_PATH);
    }
    if (rule.kind === 'redirect') {
      checkStorable({ path: rule.from, expected: rule.to }, 'line');
      checkLength('path', rule.from, MAX_PATH);
      checkLength('expected', rule.to, MAX_URL);
    }
    return { ...rule, line };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { kind: 'refused', reason: error.message, line };
  }
}

function checkLength(name: string, value: string, max: number): void {
  if (value.length > max) throw invalid(name, `${name} must have at most ${max} characters.`);
}

function parseJson(text: string): Rule {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new ApiError('invalid_request', { message: 'not valid JSON', cause: error });
  }
  if (value['status'] === 410) return toGone(checkGoneRow(value).path.trim());
  const row = checkRow(value);
  return toRule(row.path.trim(), row.expected.trim(), value);
}

function isTable(name: string): boolean {
  return /\.[ct]sv$/i.test(name);
}
