import { sqlState, isConnectionRefused } from '../../platform/database/session/database-errors.js';

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
    // Poolers and the server say it in several ways.
    if (isConnectionRefused(cause) && sqlState(cause) !== '57P03')
      return 'Lower DATABASE_POOL or the number of processes, raise the limit (max_connections, that of the role or database), or put a pooler between.';
    if (/SSL|certificate|names the file/.test(cause.message)) return CERTIFICATE.replace('SETTING', setting);
    const code = sqlState(cause) ?? '';
    const advice = ADVICE.find(([codes]) => codes.test(code))?.[1];
    if (advice !== undefined) return advice.replace('SETTING', setting);
  }
  return `Start it, or correct ${setting} (docs/operate/database.md).`;
}
