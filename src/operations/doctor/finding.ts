import { isConnectionRefused, sqlState } from '../../platform/database/session/database-errors.js';

type Level = 'ok' | 'warning' | 'problem';

/** A result of `doctor` about one thing. */
export interface Finding {
  /** The thing that was looked at, such as `queue`. */
  check: string;
  level: Level;
  message: string;
  /** The advice to the operator; absent where all is well. */
  action?: string;
}

export function ok(check: string, message: string): Finding {
  return { check, level: 'ok', message };
}

export function warning(check: string, message: string, action: string): Finding {
  return { check, level: 'warning', message, action };
}

export function problem(check: string, message: string, action: string): Finding {
  return { check, level: 'problem', message, action };
}

/** Grades a number that is a warning from one limit on, and a problem from another. */
export function graded(value: number, limits: { warning: number; problem: number }): Level {
  return value >= limits.problem ? 'problem' : value >= limits.warning ? 'warning' : 'ok';
}

const UNITS: [string, number][] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
];

/** Formats seconds for people: `90 s`, `5 min`, `3 h`. */
export function duration(seconds: number): string {
  for (const [unit, size] of UNITS) if (seconds >= 2 * size) return `${Math.floor(seconds / size)} ${unit}`;
  return `${seconds < 10 ? Number(seconds.toFixed(1)) : Math.round(seconds)} s`;
}

/** Formats bytes for people: `1.5 GB`, `12.0 MB`. */
export function size(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

const CERTIFICATE = 'See sslmode and sslrootcert in SETTING (docs/operate/deploy.md, Secrets in files).';
const ROLES = 'have an administrator run `db/roles.sql` (docs/operate/database.md, Database roles)';

/** The advice for a SQLSTATE, or a code of Node. `SETTING` stands for the setting with the url. */
const ADVICE: [codes: RegExp, advice: string][] = [
  [/^57P03$/, 'Wait until it has started or recovered; its own log says how far it is.'],
  [/^3D000$/, 'Make the database, or correct its name in SETTING (docs/operate/database.md, Database roles).'],
  [
    /^(28P01|28000)$/,
    `Correct the login in SETTING or its password, or ${ROLES}; pg_hba.conf may refuse this machine.`,
  ],
  [/^42501$/, `Use the login that owns the schema, or ${ROLES}, then its owner \`migrate\`.`],
  [/^(CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS_|ERR_SSL_)/, CERTIFICATE],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'Correct the host in SETTING, or the name server of this machine.'],
  [/^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'See the network between, such as a firewall, and the host in SETTING.'],
  [/^ERR_INVALID_URL$/, 'Correct SETTING.'],
];

/** Advises on an error of a connection, by the first cause that is known. */
export function adviseOn(error: unknown, setting = 'DATABASE_URL'): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // Poolers and the server report too many connections in several ways.
    if (isConnectionRefused(cause) && sqlState(cause) !== '57P03')
      return 'Lower DATABASE_POOL or the number of processes, raise the limit (max_connections, that of the role or database), or put a pooler between.';
    if (/SSL|certificate|names the file/.test(cause.message)) return CERTIFICATE.replace('SETTING', setting);
    const code = sqlState(cause) ?? '';
    const advice = ADVICE.find(([codes]) => codes.test(code))?.[1];
    if (advice !== undefined) return advice.replace('SETTING', setting);
  }
  return `Start it, or correct ${setting} (docs/operate/database.md).`;
}
