import { systemClock, type Clock } from '../../base/clock.js';
import { messageOf, OperatorError } from '../../base/errors.js';
import { hasEmbedded } from '../../platform/database/embedded/start-embedded.js';
import { explainUnreachable, findDatabase, type FoundDatabase } from '../../platform/database/open-database.js';
import { readServerFacts } from '../store/diagnosis.js';
import { sqlState } from '../../platform/database/session/database-errors.js';
import { databaseOf } from '../../platform/database/session/driver.js';
import type { Config } from '../../platform/settings/config.js';
import { adviseOn, type Finding, ok, problem, warning } from './finding.js';
import { checkDisk, checkModels, checkModelsAtWork } from './check-machine.js';
import { checkPooler, checkReadReplica } from './check-connections.js';
import * as server from './check-server.js';
import { checkSettings } from './check-settings.js';
import * as work from './check-work.js';

export interface ExamineOptions {
  environment: Record<string, string | undefined>;
  clock?: Clock;
  limits?: work.Limits;
}

/** The maximum time of a statement. A server that hangs is a finding, too, and so is a session with a lock. */
const MAX_STATEMENT_MS = 20_000;
const IMPATIENT = { values: { lock_timeout: '2s' } };

/** Looks at everything that an operator could have to fix. Changes nothing, and fetches nothing. */
export async function examine(options: ExamineOptions): Promise<Finding[]> {
  const { config, findings } = checkSettings(options.environment);
  if (!config) return findings;
  findings.push(await checkDisk(config.dataDir));
  findings.push(...(await checkModels(config)));
  if (config.databaseUrl === undefined && !(await hasEmbedded(config.dataDir)))
    return [...findings, warning('database', `There is none in ${config.dataDir} yet`, '`serve` makes it.')];
  let database: FoundDatabase;
  try {
    database = await findDatabase(config, {
      besideServer: true,
      applicationName: 'pathmend-doctor',
      onIdleError: () => undefined,
      settings: [IMPATIENT],
    });
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [...findings, problem('database', error.message, adviseOn(error))];
  }
  try {
    return [...findings, ...(await examineDatabase(database, config, options))];
  } finally {
    await database.close();
  }
}

async function examineDatabase(
  database: FoundDatabase,
  config: Config,
  { clock = systemClock, limits = work.LIMITS }: ExamineOptions,
): Promise<Finding[]> {
  const { connection, isEmbedded, url } = database;
  const db = isEmbedded ? connection.db : databaseOf(connection.pool, { withinMs: MAX_STATEMENT_MS });
  const facts = await readServerFacts(db).catch((error: unknown) => explainUnreachable(error, url));
  if (facts instanceof OperatorError) return [problem('database', facts.message, adviseOn(facts))];
  const findings = [ok('database', isEmbedded ? 'the embedded one answers' : `answers as ${facts.role}`)];
  const client = await connection.pool.connect();
  const schema = { usable: false };
  try {
    findings.push(...(await guarded('version', () => server.checkVersions(client, facts))));
    findings.push(
      ...(await guarded('schema', async () => {
        const { usable, findings: schemaFindings } = await server.checkSchema(client);
        schema.usable = usable;
        return schemaFindings;
      })),
    );
  } finally {
    client.release();
  }
  const checks: [string, () => Promise<Finding | Finding[]>][] = isEmbedded
    ? []
    : [
        ['pooler', () => checkPooler(database, config.databaseDirectUrl)],
        ['connections', () => Promise.resolve(server.checkConnections(facts, config.databasePool))],
        ['clock', () => server.checkClock(db, clock)],
        ['locks', () => work.checkLocks(db, facts.sees_all, limits)],
        // Both need the position of the server's own log, which a replica cannot report.
        ['replication', () => (facts.replica ? Promise.resolve([]) : work.checkReplicas(db, limits))],
        ['replica', () => (facts.replica ? Promise.resolve([]) : checkReadReplica(db, config, limits))],
      ];
  if (schema.usable) {
    if (!isEmbedded) checks.push(['grants', () => server.checkRoles(db, facts)]);
    checks.push(
      ['model', () => checkModelsAtWork(db, config)],
      ['clock', () => server.checkStoredTimes(db)],
      ['queue', () => work.checkQueue(db, limits)],
      ['pages', () => work.checkPages(db)],
      ['indexes', () => work.checkIndexes(db)],
      ['partitions', () => work.checkPartitions(db, clock)],
    );
  }
  for (const [name, look] of checks) findings.push(...(await guarded(name, look)));
  return findings;
}

/** Reports what cannot be examined, and examines the rest. */
async function guarded(name: string, look: () => Promise<Finding | Finding[]>): Promise<Finding[]> {
  try {
    return [await look()].flat();
  } catch (error) {
    if (sqlState(error) === '42501')
      return [warning(name, 'This role may not see it', 'Run `doctor` with the login that owns the schema.')];
    return [problem(name, `It cannot be looked at: ${messageOf(error)}`, 'See docs/operate/runbook.md.')];
  }
}
