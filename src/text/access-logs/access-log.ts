import { OperatorError } from '../../base/errors.js';
import {
  hasStatus,
  isCaddyNote,
  isCaddyRequest,
  parseRow,
  readCaddyLine,
  readFields,
  readJsonLine,
} from './json-line.js';
import { readHaproxyLine } from './haproxy-line.js';
import { refuse, type ReadLine } from './logged-request.js';
import { readBalancerLine, readTextLine } from './text-line.js';
import { createW3cParser, isFieldsLine } from './w3c-lines.js';

/** Each makes a parser of lines. That of the W3C's format keeps the names of its columns. */
const PARSERS = {
  combined: () => readTextLine,
  common: () => readTextLine,
  json: () => (line: string) => readJsonLine(line),
  iis: () => createW3cParser(false),
  caddy: () => readCaddyLine,
  cloudfront: () => createW3cParser(true),
  alb: () => readBalancerLine,
  haproxy: () => readHaproxyLine,
} satisfies Record<string, () => (line: string) => ReadLine>;

export type LogFormat = keyof typeof PARSERS;
export const LOG_FORMATS = Object.keys(PARSERS) as LogFormat[];

/** After so many lines in no known format, the format must be given. */
const MAX_UNKNOWN_LINES = 1_000;

/** The error about a line in no known format quotes so many characters. */
const MAX_QUOTED = 80;

/** Matches what syslog writes before a line: `Nov 30 17:21:30 web-1 haproxy[4420]: `. */
const SYSLOG = /^(?:<\d+>)?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|\d{4}-\d\d-\d\dT\S+) \S+ [^\s:[]+(?:\[\d+\])?: +/;

function withoutPrefix(text: string): string {
  return text.replace(/^\uFEFF/, '').replace(SYSLOG, '');
}

/** Reads an access log line by line. Without a format, the first line in a known format decides which it is. */
export class AccessLog {
  #push: ((line: string) => ReadLine) | undefined;
  #readable = 0;
  #refused = 0;
  #firstReason = '';
  #passedOver = 0;

  /**
   * @param fields keys of a JSON log, see readFields
   * @throws OperatorError for fields of another format, or that cannot be read
   */
  constructor(format?: LogFormat, fields?: string) {
    if (format) this.#push = PARSERS[format]();
    if (fields === undefined) return;
    if (format !== undefined && format !== 'json')
      throw new OperatorError(`--fields: a log of ${format} has names of its own.`);
    const keys = readFields(fields);
    this.#push = (line) => readJsonLine(line, keys);
  }

  /** @throws OperatorError when the first lines are in no known format */
  push(text: string): ReadLine {
    const line = withoutPrefix(text);
    if (line.trim() === '') return undefined;
    const format = this.#push ? undefined : detectFormat(line);
    // Other loggers of the same server wrote this before its first request.
    if (!this.#push && !format && isCaddyNote(line)) {
      this.#passedOver++;
      this.#firstReason ||= 'it contains no request';
      return undefined;
    }
    if (format) this.#push = PARSERS[format]();
    const read =
      this.#push?.(line) ??
      (this.#push || line.startsWith('#')
        ? undefined
        : refuse(`in no known format: ${JSON.stringify(line.slice(0, MAX_QUOTED))}`));
    if (read === undefined || 'at' in read) {
      if (!line.startsWith('#')) this.#readable++;
      return read;
    }
    this.#refused++;
    this.#firstReason ||= read.refused;
    if (!this.#push && this.#refused >= MAX_UNKNOWN_LINES) this.end();
    return read;
  }

  /** Must be called after the last line. @throws OperatorError when no line could be read */
  end(): void {
    if (this.#readable > 0 || this.#refused + this.#passedOver === 0) return;
    throw new OperatorError(
      `No line of the log can be read; the first: ${this.#firstReason}. ` +
        `--format names its format (${LOG_FORMATS.join(', ')}).`,
    );
  }
}

/** The format that a line is in; undefined if it is in none. */
export function detectFormat(text: string): LogFormat | undefined {
  const line = withoutPrefix(text);
  if (isFieldsLine(line)) return /\sx-edge-/i.test(line) ? 'cloudfront' : 'iis';
  if (line.startsWith('{')) {
    const row = parseRow(line);
    if (!row || isCaddyRequest(row)) return row && 'caddy';
    return hasStatus(row) && !isCaddyNote(line) ? 'json' : undefined;
  }
  const isRead = (read: ReadLine): boolean => read !== undefined && 'at' in read;
  if (isRead(readTextLine(line))) return 'combined';
  return isRead(readHaproxyLine(line)) ? 'haproxy' : isRead(readBalancerLine(line)) ? 'alb' : undefined;
}
