import pg from 'pg';
import { OperatorError } from '../../base/errors.js';
import { sqlState } from './session/database-errors.js';

/** invalid_password, invalid_authorization_specification, invalid_catalog_name, insufficient_privilege */
const REFUSED = new Set(['28P01', '28000', '3D000', '42501']);

/** Explains why the server refused an operator: which role lacks what, and what to do. Undefined for other errors. */
export function explainRefusal(error: unknown, url: string): OperatorError | undefined {
  const state = sqlState(error) ?? '';
  // An invalid url never reaches the server.
  if (!REFUSED.has(state)) return undefined;
  // The driver also reads the variables of libpq.
  const { user = '', database = '' } = new pg.Client({ connectionString: url });
  const [role, name] = [JSON.stringify(user), JSON.stringify(database)];
  const reason = error instanceof Error ? error.message : '';
  const explain = (text: string): OperatorError => new OperatorError(text, { cause: error });
  switch (state) {
    case '28P01':
    case '28000':
      return explain(
        `The database refuses the login of the role ${role} (${reason}): see DATABASE_URL and PGPASSWORD. \`db/roles.sql\`, run again, makes the logins and sets their passwords; with Docker Compose, \`docker compose up roles\` does.`,
      );
    case '3D000':
      return explain(
        `There is no database ${name} on this server. An administrator makes it with \`createdb\`, then runs \`db/roles.sql\` on it (docs/operate/database.md, Database roles).`,
      );
    case '42501':
      return explain(
        `The database role ${role} lacks a right on the database ${name} (${reason}). Use the login that owns the schema, ` +
          'or have an administrator run `db/roles.sql` on this database and its owner `migrate` (docs/operate/database.md, Database roles).',
      );
    default:
      return undefined;
  }
}

/** What the driver reports about a server that was asked for TLS and has none. */
const NO_TLS = 'The server does not support SSL connections';

/** Why a connection failed, and what to do: TLS, or a pooler that refuses the login. Undefined for other errors. */
export function explainConnection(error: unknown): OperatorError | undefined {
  if (!(error instanceof Error)) return undefined;
  const explain = (text: string): OperatorError => new OperatorError(text, { cause: error });
  if (error.message === NO_TLS)
    return explain("The database's server speaks no TLS: set `ssl = on` there, or take sslmode out of the url.");
  if (/startup parameter/.test(error.message))
    return explain(
      `The pooler refuses the login (${error.message}): unset PGOPTIONS, take \`options\` out of the url, or have the ` +
        'pooler ignore it (ignore_startup_parameters).',
    );
  switch (sqlState(error) ?? '') {
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return explain(
        `The database's certificate is for another host (${error.message}): write a name of the certificate into the url, ` +
          'or have one made for that host.',
      );
    case 'CERT_HAS_EXPIRED':
      return explain(
        "The database's certificate has expired, or its CA's: renew it on the server, then `pg_ctl reload`; a CA's also in sslrootcert.",
      );
    case 'CERT_NOT_YET_VALID':
      return explain("The database's certificate is not valid yet: see the clocks of both machines.");
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'CERT_SIGNATURE_FAILURE':
      return explain(
        `The database's certificate is of a CA that is not trusted here (${error.message}): name the file of its CA in the ` +
          'url, as sslrootcert=/path/ca.crt.',
      );
    case 'ENOENT':
    case 'EACCES':
      return 'path' in error && 'syscall' in error && error.syscall === 'open'
        ? explain(
            `The database cannot be reached: its url names the file ${JSON.stringify(error.path)}, which cannot be read (${error.message}).`,
          )
        : undefined;
    default:
      return undefined;
  }
}
