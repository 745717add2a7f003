import pg from 'pg';
import { OperatorError } from '../../base/errors.js';
import { sqlState } from './session/database-errors.js';

type Explain = (role: string, database: string, reason: string) => string;

const refusedLogin: Explain = (role, _database, reason) =>
  `The database refuses the login of the role ${role} (${reason}): see DATABASE_URL and PGPASSWORD. \`db/roles.sql\`, run again, makes the logins and sets their passwords; with Docker Compose, \`docker compose up roles\` does.`;

/**
 * The explanations of refusals by SQLSTATE: invalid_password, invalid_authorization_specification,
 * invalid_catalog_name, insufficient_privilege.
 */
const REFUSALS: Readonly<Record<string, Explain>> = {
  '28P01': refusedLogin,
  '28000': refusedLogin,
  '3D000': (_role, database) =>
    `There is no database ${database} on this server. An administrator makes it with \`createdb\`, then runs \`db/roles.sql\` on it (docs/operate/database.md, Database roles).`,
  42501: (role, database, reason) =>
    `The database role ${role} lacks a right on the database ${database} (${reason}). Use the login that owns the schema, ` +
    'or have an administrator run `db/roles.sql` on this database and its owner `migrate` (docs/operate/database.md, Database roles).',
};

/** Explains why the server refused an operator: which role lacks what, and what to do. Undefined for other errors. */
export function explainRefusal(error: unknown, url: string): OperatorError | undefined {
  // An invalid url never reaches the server.
  const explain = REFUSALS[sqlState(error) ?? ''];
  if (!explain) return undefined;
  // The driver also reads the variables of libpq.
  const { user = '', database = '' } = new pg.Client({ connectionString: url });
  const reason = error instanceof Error ? error.message : '';
  return new OperatorError(explain(JSON.stringify(user), JSON.stringify(database), reason), { cause: error });
}

/** The driver reports this about a server that was asked for TLS and does not have it. */
const NO_TLS = 'The server does not support SSL connections';

const isUntrusted = (message: string): string =>
  `The database's certificate is of a CA that is not trusted here (${message}): name the file of its CA in the ` +
  'url, as sslrootcert=/path/ca.crt.';

/** The explanations of the error codes of Node's TLS, given the error's message. */
const CERTIFICATES: Readonly<Record<string, (message: string) => string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: (message) =>
    `The database's certificate is for another host (${message}): write a name of the certificate into the url, ` +
    'or have one made for that host.',
  CERT_HAS_EXPIRED: () =>
    "The database's certificate has expired, or its CA's: renew it on the server, then `pg_ctl reload`; a CA's also in sslrootcert.",
  CERT_NOT_YET_VALID: () => "The database's certificate is not valid yet: see the clocks of both machines.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: isUntrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: isUntrusted,
  UNABLE_TO_GET_ISSUER_CERT: isUntrusted,
  SELF_SIGNED_CERT_IN_CHAIN: isUntrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: isUntrusted,
  CERT_SIGNATURE_FAILURE: isUntrusted,
};

/** Explains why a connection failed, and what to do: TLS, a password, a pooler. Undefined for other errors. */
export function explainConnection(error: unknown): OperatorError | undefined {
  if (!(error instanceof Error)) return undefined;
  const text = textOf(error, sqlState(error) ?? '');
  return text === undefined ? undefined : new OperatorError(text, { cause: error });
}

function textOf(error: Error, code: string): string | undefined {
  if (error.message === NO_TLS)
    return "The database's server speaks no TLS: set `ssl = on` there, or take sslmode out of the url.";
  if (/client password must be a/.test(error.message))
    return 'The database asks for a password, and its url has none: set PGPASSWORD, or PGPASSWORD_FILE to a file with it.';
  if (/startup parameter/.test(error.message))
    return (
      `The pooler refuses the login (${error.message}): unset PGOPTIONS, take \`options\` out of the url, or have the ` +
      'pooler ignore it (ignore_startup_parameters).'
    );
  const isFile = (code === 'ENOENT' || code === 'EACCES') && 'path' in error && 'syscall' in error;
  if (isFile && error.syscall === 'open')
    return `The database cannot be reached: its url names the file ${JSON.stringify(error.path)}, which cannot be read (${error.message}).`;
  return CERTIFICATES[code]?.(error.message);
}
