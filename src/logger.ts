import winston from 'winston';
import { BatchedLines } from './text/batched-lines.js';

export interface Logger {
  error(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  debug(message: string, fields?: Record<string, unknown>): void;
}

/** Anything shaped like one of our keys, should one ever stand in an error's text. */
const KEY = /\bpm_(?:live|test)_[0-9A-Za-z]+/g;
/** A password inside a database url. */
const PASSWORD = /(postgres(?:ql)?:\/\/[^:@/\s]*:)[^@/\s]*@/g;

/** Where winston's transports look for the formatted line. */
const LINE = Symbol.for('message');

function redact(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string')
    return mayHoldSecret(value) ? value.replace(KEY, 'pm_…').replace(PASSWORD, '$1…@') : value;
  if (value instanceof Error) {
    return { name: value.name, message: redact(value.message), stack: redact(value.stack), cause: redact(value.cause) };
  }
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, redact(inner)]));
  }
  return value;
}

function render(info: object): string {
  const fields = { ...info, timestamp: new Date().toISOString() };
  const line = isFlat(fields) ? JSON.stringify(fields) : undefined;
  // JSON changes neither word: what the line does not hold, no field does.
  return line === undefined || mayHoldSecret(line) ? JSON.stringify(redact(fields)) : line;
}

/**
 * Nothing but texts, numbers and the like, as the line of a request: no field that JSON would not know how to write.
 */
function isFlat(fields: object): boolean {
  return Object.values(fields).every((value) => typeof value !== 'object' && typeof value !== 'bigint');
}

/** Nearly all texts hold neither, and looking for a word is cheaper than either pattern. */
function mayHoldSecret(text: string): boolean {
  return text.includes('pm_') || text.includes('postgres');
}

/**
 * JSON lines on stderr, so that stdout stays a command's own output. What callers log is names, ids, counts and
 * times: never a key, a visitor's IP or page content; redaction is the second lock on that door.
 */
export function createLogger(level: string, stream?: NodeJS.WritableStream): Logger {
  const lines = new BatchedLines(stream ?? process.stderr);
  const logger = winston.createLogger({
    level,
    format: winston.format((info) => {
      info[LINE] = render(info);
      return info;
    })(),
    transports: [new winston.transports.Stream({ stream: lines })],
  });
  // What went wrong is written at once, with all that came before it.
  const atOnce =
    (name: 'error' | 'warn') =>
    (message: string, fields?: Record<string, unknown>): void => {
      logger[name](message, fields);
      lines.writeNow();
    };
  return {
    error: atOnce('error'),
    warn: atOnce('warn'),
    // Every request writes one of these, and three streams in a row cost it 25 µs.
    info: (message, fields) => {
      if (logger.isInfoEnabled()) lines.add(`${render({ level: 'info', message, ...fields })}\n`);
    },
    debug: (message, fields) => {
      logger.debug(message, fields);
    },
  };
}
