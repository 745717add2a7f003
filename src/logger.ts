import winston from 'winston';

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

/** Nearly no text holds one of them, and looking for a word takes a tenth of looking for both patterns. */
const MAY_HOLD_SECRET = /pm_|postgres/;

/** What JSON writes of a value: no secret, and of an error what says where it happened. */
function redact(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string') {
    return MAY_HOLD_SECRET.test(value) ? value.replace(KEY, 'pm_…').replace(PASSWORD, '$1…@') : value;
  }
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { name, message, stack, cause };
}

/**
 * JSON lines on stderr, so that stdout stays a command's own output. What callers log is names, ids, counts and
 * times: never a key, a visitor's IP or page content; redaction is the second lock on that door.
 */
export function createLogger(level: string, stream: NodeJS.WritableStream = process.stderr): Logger {
  const { timestamp, printf, combine } = winston.format;
  return winston.createLogger({
    level,
    format: combine(
      timestamp(),
      printf((info) => JSON.stringify(info, redact)),
    ),
    transports: [new winston.transports.Stream({ stream })],
  });
}
