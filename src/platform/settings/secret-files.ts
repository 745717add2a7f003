import { readFileSync, statSync } from 'node:fs';
import { codeOf, messageOf, OperatorError } from '../../base/errors.js';

export type Environment = Record<string, string | undefined>;

const URLS = ['DATABASE_URL', 'DATABASE_DIRECT_URL', 'DATABASE_READ_URL'] as const;
/** These secrets may be in files, which `…_FILE` names. The value of libpq's PGPASSWORD goes into the urls. */
export const SECRETS = [...URLS, 'PGPASSWORD', 'OIDC_CLIENT_SECRET', 'SMTP_URL', 'OTEL_EXPORTER_OTLP_HEADERS'] as const;
/** Settings of which a part may be a password or a token. */
export const MAY_HOLD_SECRET = /_(URL|SECRET|ENDPOINT|HEADERS)$/;

/** The max size of a secret. A larger file is the wrong file. */
const MAX_BYTES = 65_536;
/** `postgres://user:password@…` or `…?password=…`: the url's own password takes precedence over PGPASSWORD. */
const HAS_PASSWORD = /^\w+:\/\/[^:@/?#]*:[^@]*@|[?&]password=/;

/** The name of the file of a secret; undefined when none is set. */
export function secretFileOf(environment: Environment, name: string): string | undefined {
  return environment[`${name}_FILE`]?.trim() || undefined;
}

/** Returns the environment with its secrets from files. @throws OperatorError that names the variable and the file */
export function withSecretFiles(environment: Environment): Environment {
  const filled = { ...environment };
  for (const name of SECRETS) {
    const file = secretFileOf(environment, name);
    if (file === undefined) continue;
    if ((environment[name] ?? '').trim() !== '')
      throw new OperatorError(`${name} and ${name}_FILE are both set: keep one of them.`);
    const secret = readSecret(`${name}_FILE`, file);
    if (name !== 'PGPASSWORD') filled[name] = secret;
    else for (const url of URLS) filled[url] = withPassword(filled[url]?.trim() ?? '', secret);
  }
  return filled;
}

/** Returns the database's url, with a password from a file; undefined if there is none or the file cannot be read. */
export function databaseUrlOf(environment: Environment, name: (typeof URLS)[number] = 'DATABASE_URL') {
  try {
    return withSecretFiles(environment)[name]?.trim() || undefined;
  } catch {
    // The error is reported at the start, and by `doctor`.
    return undefined;
  }
}

function withPassword(url: string, password: string): string {
  if (url === '' || HAS_PASSWORD.test(url)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}password=${encodeURIComponent(password)}`;
}

function readSecret(name: string, file: string): string {
  const subject = `${name} names ${JSON.stringify(file)}`;
  let text: string;
  try {
    const stats = statSync(file);
    // Reading a pipe would wait for its writer.
    if (!stats.isFile()) throw new OperatorError(`${subject}, which is not a file.`);
    if (stats.size > MAX_BYTES) throw new OperatorError(`${subject}, which is too large for a secret.`);
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const reason = codeOf(error) === 'ENOENT' ? 'does not exist' : `this user cannot read (${messageOf(error)})`;
    throw new OperatorError(`${subject}, which ${reason}.`, { cause: error });
  }
  if (text === '') throw new OperatorError(`${subject}, which is empty.`);
  if (/[\n\r\u0000]/.test(text)) throw new OperatorError(`${subject}, which holds more than one line.`);
  return text;
}

/** A url without its password, to be shown. */
export function maskPassword(url: string): string {
  return url.replace(/^(\w+:\/\/[^:@/?#]*:).*@/s, '$1…@').replace(/([?&]password=)[^&]*/gi, '$1…');
}
