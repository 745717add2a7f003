import pg from 'pg';
import { OperatorError } from '../errors.js';
import { sqlState } from './session/connect.js';

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
        `The database refuses the login of the role ${role} (${reason}): see DATABASE_URL and PGPASSWORD. \`db/roles.sql\`, run again, sets the passwords.`,
      );
    case '3D000':
      return explain(
        `There is no database ${name} on this server. An administrator makes it with \`createdb\`, then runs \`db/roles.sql\` on it (docs/operations.md, Database roles).`,
      );
    case '42501':
      return explain(
        `The database role ${role} lacks a right on the database ${name} (${reason}). Use the login that owns the schema, ` +
          'or have an administrator run `db/roles.sql` on this database and its owner `migrate` (docs/operations.md, Database roles).',
      );
    default:
      return undefined;
  }
}
