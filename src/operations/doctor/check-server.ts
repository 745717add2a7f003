import type pg from 'pg';
import type { Clock } from '../../base/clock.js';
import { OperatorError } from '../../base/errors.js';
import type { Db } from '../../platform/database/db.js';
import { mayBecomeTenant } from '../../platform/database/session/tenants.js';
import { findTimesAhead, readServerFacts, type ServerFacts } from '../store/diagnosis.js';
import { sqlFolder } from '../../platform/database/open-database.js';
import { compareSchema } from '../../platform/database/schema/catalogue.js';
import { checkPreconditions } from '../../platform/database/schema/preconditions.js';
import { schemaVersions } from '../../platform/database/schema/schema-is-current.js';
import { sqlState } from '../../platform/database/session/database-errors.js';
import { duration, ok, problem, warning, type Finding } from './finding.js';

const ROLES = 'docs/operate/database.md, Database roles';

/** Checks the versions of PostgreSQL and of its extensions. */
export async function checkVersions(client: pg.ClientBase, { version, pgvector }: ServerFacts): Promise<Finding[]> {
  try {
    const warnings = await checkPreconditions(client);
    return warnings.length > 0
      ? warnings.map((message) => warning('version', message, 'Install it, then `alter extension vector update`.'))
      : [ok('version', `PostgreSQL ${version}, pgvector ${pgvector ?? 'not created yet'}`)];
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [problem('version', error.message, 'Upgrade the server, or use another.')];
  }
}

/** Checks whether the schema is whole and of this release. If it is not `usable`, its tables cannot be examined. */
export async function checkSchema(client: pg.ClientBase): Promise<{ findings: Finding[]; usable: boolean }> {
  const migrate = 'Run `migrate` of this release, as the role that owns the schema.';
  const bad = (message: string, action = migrate): { findings: Finding[]; usable: boolean } => ({
    findings: [problem('schema', message, action)],
    usable: false,
  });
  try {
    const { newest, known } = await schemaVersions(client, sqlFolder());
    if (newest === null) return bad('The database has no tables of pathmend.');
    if (newest < known) return bad(`The schema has version ${newest}; this release needs ${known}.`);
    if (newest > known)
      return bad(`The schema has version ${newest}, newer than this release knows (${known}).`, 'Use that release.');
  } catch (error) {
    if (sqlState(error) !== '42501') throw error;
    return bad('The role may not use the schema.', `Grant it with \`db/roles.sql\` and \`migrate\` (${ROLES}).`);
  }
  const { missing, altered, surplus } = await compareSchema(client, sqlFolder());
  const list = (names: string[]): string =>
    names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '');
  const findings: Finding[] = [];
  if (missing.length > 0) findings.push(problem('schema', `Missing: ${list(missing)}`, migrate));
  if (altered.length > 0) findings.push(warning('schema', `Not as this release makes it: ${list(altered)}`, migrate));
  if (surplus.length > 0)
    findings.push(warning('grants', `A role of pathmend has rights that it does not need: ${list(surplus)}`, migrate));
  return { findings: findings.length > 0 ? findings : [ok('schema', 'whole, of this release')], usable: true };
}

/** Checks the rights of the login's role, and whether row level security holds. */
export async function checkRoles(db: Db, { role, superuser }: ServerFacts): Promise<Finding | Finding[]> {
  if (!(await mayBecomeTenant(db)))
    return warning(
      'grants',
      `The role ${role} may not become pathmend_tenant: row level security is off, statements alone keep projects apart`,
      `Have an administrator run \`db/roles.sql\`, then run \`migrate\` (${ROLES}).`,
    );
  if (superuser)
    return warning(
      'grants',
      `The role ${role} is a superuser: its password gives access to the whole server`,
      `Use the logins of \`db/roles.sql\` (${ROLES}).`,
    );
  return [ok('grants', `the role ${role} may do what it needs; row level security is on`)];
}

/** Checks that the server takes writes, which a replica does not, and has enough connections: more are refused. */
export function checkConnections(facts: ServerFacts, pool: number): Finding | Finding[] {
  const { connections, max_connections: max, replica } = facts;
  if (replica)
    return problem(
      'database',
      'DATABASE_URL leads to a replica, which takes no writes',
      'Name the primary in DATABASE_URL.',
    );
  const message = `${connections} of ${max} connections are in use, and DATABASE_POOL is ${pool} for each process`;
  const action = 'Lower DATABASE_POOL, raise max_connections, or put a pooler between.';
  if (pool > max) return [problem('connections', message, action)];
  if (connections + pool > max * 0.9) return [warning('connections', message, action)];
  return [ok('connections', message)];
}

/** The limits of both clocks' difference, in seconds. Keys expire, events are stamped and weeks begin by both. */
const MAX_SKEW = { warning: 1, problem: 60 };
const TRIES = 3;

/** Compares the server's clock with this machine's. The time of the round trip is not counted. */
export async function checkClock(db: Db, clock: Clock): Promise<Finding> {
  let skew = Infinity;
  for (let tried = 0; tried < TRIES; tried += 1) {
    const from = clock.now();
    const { now } = await readServerFacts(db);
    const until = clock.now();
    const apart = Math.max(0, from / 1_000 - now, now - until / 1_000);
    skew = Math.min(skew, apart);
  }
  const message = `the clocks of this machine and the database are ${duration(skew)} apart`;
  const action = 'Have both set by NTP (`timedatectl`).';
  if (skew >= MAX_SKEW.problem) return problem('clock', message, action);
  return skew >= MAX_SKEW.warning ? warning('clock', message, action) : ok('clock', message);
}

/** Looks for stored times in the future: the clock was set back, or a server took over whose clock is behind. */
export async function checkStoredTimes(db: Db): Promise<Finding> {
  const ahead = await findTimesAhead(db, MAX_SKEW.warning);
  if (ahead.length === 0) return ok('clock', 'no stored time lies in the future');
  const times = ahead.map(({ name, seconds }) => `${name}: ${duration(seconds)}`).join(', ');
  return warning(
    'clock',
    `The clock of the database was set back: stored times lie in its future (${times})`,
    'They count as now, and go by themselves. Have the clocks of all database servers set by NTP (`timedatectl`).',
  );
}
