import winston from 'winston';
import type { Logger } from '../../base/logger.js';
import { currentScope } from './tracing.js';

/** Anything with the shape of an API key, in case an error message contains one. */
const KEY = /\bpm_(?:live|test)_[0-9A-Za-z]+/g;
/** A password inside a database url. */
const PASSWORD = /(postgres(?:ql)?:\/\/[^:@/\s]*:)[^@/\s]*@/g;
const PASSWORD_PARAMETER = /([?&]password=)[^&\s"']*/g;

/** Texts are tested with this pattern first: it takes a tenth of the time of the others, and nearly no text matches. */
const MAY_HOLD_SECRET = /pm_|postgres/;

/** JSON replacer: hides secrets; writes errors with stack and cause. */
function redact(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'string' && MAY_HOLD_SECRET.test(value))
    return value.replace(KEY, 'pm_…').replace(PASSWORD, '$1…@').replace(PASSWORD_PARAMETER, '$1…');
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { name, message, stack, cause };
}

/** Returns the ids of the current request and trace, for lines that do not name them. */
function scopeOf(): object {
  const { requestId, span } = currentScope() ?? {};
  return {
    ...(requestId !== undefined && { request_id: requestId }),
    ...(span?.sampled && { trace_id: span.traceId }),
  };
}

/**
 * Creates a logger of JSON lines on stderr, since stdout is for output of commands. Callers log names, ids, counts and
 * times, never a key, an IP address of a visitor, or page content. Redaction is the second line of defence.
 */
export function createLogger(level: string, stream: NodeJS.WritableStream = process.stderr): Logger {
  const { timestamp, printf, combine } = winston.format;
  const logger = winston.createLogger({
    level,
    format: combine(
      timestamp(),
      printf((info) => JSON.stringify({ ...scopeOf(), ...info }, redact)),
    ),
    transports: [new winston.transports.Stream({ stream })],
  });
  // Winston formats a line first, and asks for its level when it writes it.
  const methodFor = (name: keyof Logger): Logger[keyof Logger] =>
    logger.isLevelEnabled(name) ? (message, fields) => logger.log(name, message, fields) : () => undefined;
  return { error: methodFor('error'), warn: methodFor('warn'), info: methodFor('info'), debug: methodFor('debug') };
}
