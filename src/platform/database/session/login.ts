import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';

/** The url to log in with; or a function that returns it, when its password may change while the process runs. */
export type DatabaseUrl = string | (() => string);

/** The options that the driver reads from a url. */
interface Parsed extends pg.ClientConfig {
  ssl: boolean | ConnectionOptions;
}

/** Parts of TLS that the driver reads from the files that a url names. */
const FROM_FILES = ['ca', 'cert', 'key'] as const;

/**
 * The driver's options of a url. Each new connection asks anew for a password that may change, and for certificates, so
 * that a rotation needs no restart. Open connections stay connected. pg-boss takes the same options for its listener.
 */
export function loginOf(url: DatabaseUrl): pg.ClientConfig {
  const urlNow = typeof url === 'string' ? () => url : url;
  let parsed: Parsed;
  try {
    parsed = parse(urlNow());
  } catch {
    // The first connection fails with the reason why the url is wrong.
    return { connectionString: urlNow() };
  }
  if (typeof url === 'string' && typeof parsed.ssl !== 'object') return { connectionString: url };
  return {
    ...parsed,
    password: () => new pg.Client({ connectionString: urlNow() }).password ?? '',
    ...(typeof parsed.ssl === 'object' && { ssl: readAnew(parsed.ssl, urlNow) }),
  };
}

/** Parses a url into all options but the password, which is not enumerable. */
function parse(url: string): Parsed {
  return (new pg.Client({ connectionString: url }) as unknown as { connectionParameters: Parsed }).connectionParameters;
}

/** Reads the certificates and keys anew at each use. While a file is being replaced, its former content is used. */
function readAnew(first: ConnectionOptions, urlNow: () => string): ConnectionOptions {
  let last = first;
  const ssl = { ...first };
  for (const part of FROM_FILES) {
    if (first[part] === undefined) continue;
    const get = (): unknown => {
      try {
        const { ssl: now } = parse(urlNow());
        if (typeof now === 'object' && now[part] !== undefined) last = { ...last, [part]: now[part] };
      } catch {
        // The last value that could be read is used.
      }
      return last[part];
    };
    Object.defineProperty(ssl, part, { get, enumerable: true, configurable: true });
  }
  return ssl;
}
