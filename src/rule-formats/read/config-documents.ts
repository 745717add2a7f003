import { parse as parseTomlText } from 'smol-toml';
import { messageOf, OperatorError } from '../../base/errors.js';
import { MAX_LEVELS, nestsDeeper } from '../../base/json.js';
import type { FileColumns } from './file-columns.js';
import { readNetlify, readVercel, tableOf } from './hosts.js';
import { readIisConfig } from './iis-config.js';
import type { ReaderRule, Rule, RuleReader } from './read-rule.js';
import { readRowObject } from './redirect-rows.js';
import { refuseWritten } from './written-alone.js';

/** The document can be read, but has no redirects: it configures other things of its host. */
export class NoRedirects extends OperatorError {}

/** A document is read whole. 10,000 rules take about 2 MB. */
const MAX_DOCUMENT = 16 * 1024 * 1024;

/** The first line of a document in TOML: `[[redirects]]`, `[build]`. */
export const TOML_BEGINS = /^\s*\[{1,2}\s*(?:redirects|build)\b[^,]*\]\s*$/i;

interface Parsed {
  root: unknown;
  /** Reads one redirect in the format of its host. */
  readRedirect: (value: unknown) => Rule | Rule[];
  lineOfRedirect: (at: number) => number;
  /** The end of the message for a document without redirects. */
  missing: string;
}

/**
 * Reads `vercel.json`, `netlify.toml`, or the configuration of IIS (`web.config`, or a file of its rewrite maps) at the
 * end of the file.
 */
export class ConfigDocument implements RuleReader {
  isOfServer = false;
  readonly #name: string;
  readonly #columns: FileColumns;
  readonly #lines: string[] = [];
  #length = 0;

  constructor(name: string, columns: FileColumns) {
    this.#name = name;
    this.#columns = columns;
  }

  /** @throws OperatorError if it is too long */
  push(text: string, line: number): ReaderRule[] {
    while (this.#lines.length < line - 1) this.#lines.push('');
    this.#lines.push(text);
    this.#length += text.length + 1;
    if (this.#length > MAX_DOCUMENT)
      throw new OperatorError(`${this.#name} is longer than ${MAX_DOCUMENT / 1024 / 1024} MB: split it.`);
    return [];
  }

  /** @throws OperatorError if it is another format */
  end(): ReaderRule[] {
    const text = this.#lines.join('\n');
    if (text.trimStart().startsWith('<')) {
      const rules = readIisConfig(text);
      this.isOfServer = rules.length > 0;
      return rules;
    }
    const { root, readRedirect, lineOfRedirect, missing } = this.#parse(text);
    const { redirects = root, http } = tableOf(root);
    if (Array.isArray(redirects))
      return redirects.map((redirect: unknown, at) => ({
        line: lineOfRedirect(at),
        rule: () => readRedirect(redirect),
      }));
    if (http !== undefined) refuseWritten('format', 'traefik');
    throw new NoRedirects(`${this.#name}${missing}`);
  }

  #parse(text: string): Parsed {
    const first = text.split('\n').find((line) => line.trim() !== '' && !line.trimStart().startsWith('#')) ?? '';
    const isToml = /\.toml$/i.test(this.#name) || TOML_BEGINS.test(first);
    try {
      return isToml ? parseToml(text) : parseJson(text, this.#columns);
    } catch (error) {
      const message = messageOf(error).split('\n')[0] ?? '';
      const line = isToml ? '' : `:${lineOfError(message, text)}`;
      throw new OperatorError(`${this.#name}${line}: ${message}`, { cause: error });
    }
  }
}

function parseJson(text: string, columns: FileColumns): Parsed {
  if (nestsDeeper(Buffer.from(text), MAX_LEVELS)) throw new Error(`it nests more than ${MAX_LEVELS} levels deep`);
  const root: unknown = JSON.parse(text);
  const begin = Math.max(0, text.indexOf('"redirects"'));
  const lines = [...text.slice(begin).matchAll(/"source"\s*:/g)].map(({ index }) => lineAt(text, begin + index));
  return {
    root,
    readRedirect: (value) => ('source' in tableOf(value) ? readVercel(value) : readRowObject(value, columns)),
    lineOfRedirect: (at) => lines[at] ?? 1,
    missing: ':1: it has no `redirects` as in vercel.json',
  };
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Finds the line of the position that an error of JSON names; if it names none, the last line. */
function lineOfError(message: string, text: string): number {
  const position = /position (\d+)/.exec(message)?.[1];
  return lineAt(text, position === undefined ? text.length : Number(position));
}

function parseToml(text: string): Parsed {
  const redirects = text.split('\n').flatMap((line, at) => (/^\s*\[\[\s*redirects\s*\]\]/.test(line) ? [at + 1] : []));
  return {
    root: parseTomlText(text, { maxDepth: MAX_LEVELS }),
    readRedirect: readNetlify,
    lineOfRedirect: (at) => redirects[at] ?? 1,
    missing: ': it has no `[[redirects]]` as in netlify.toml',
  };
}
