import type { Config } from '../platform/settings/config.js';
import type { Db } from '../platform/database/db.js';
import { databaseOf } from '../platform/database/session/driver.js';
import { CONNECTION_SETTINGS, openDatabase, type OpenDatabase } from '../platform/database/open-database.js';
import { createReadReplica, type ReadReplica, type ReplicaUse } from '../search/read-replica.js';
import { connect } from '../platform/database/session/connect.js';
import type { Tenants } from '../platform/database/session/tenants.js';
import { EmbedderPool } from '../embedding/embedder-pool.js';
import type { Embedder } from '../embedding/embedder.js';
import type { Logger } from '../base/logger.js';
import { measureReplica, measureWork } from '../operations/store/measurements.js';
import { sql } from '../platform/database/sql.js';
import type { MetricSources } from '../platform/telemetry/gauges.js';
import { createMetrics, type Metrics } from '../platform/telemetry/metrics.js';
import { packageVersion } from '../base/package-root.js';
import type { SessionPool } from '../platform/database/session/pool.js';
import type { ModelRegistry } from '../embedding/model-registry.js';
import type { SearchCache } from '../search/search.js';
import { createReading } from '../platform/telemetry/reading.js';

/** Admission takes a millisecond. When it takes this long, the database is unavailable. */
const MAX_ADMISSION_MS = 3_000;
const MAX_ANSWER_MS = 8_000;
/** The deadline of jobs: a batch of pages takes seconds. */
const MAX_WORK_MS = 30_000;

/** The database with the deadlines of its users (src/platform/database/session/deadline.ts). */
export type DatabasesByDeadline = ReturnType<typeof databasesByDeadline>;

/** Opens the database, and creates the embedder. */
export async function openBackends(options: {
  config: Config;
  role: string;
  logger: Logger;
  wrapEmbedder?: (embedder: Embedder) => Embedder;
}): Promise<{ database: OpenDatabase; databases: DatabasesByDeadline; embedder: Embedder }> {
  const { config, role, logger } = options;
  const bare = new EmbedderPool({
    cacheFolder: config.modelCacheDir,
    pageThreads: config.embeddingThreads,
    onFault: (reason) => logger.error('inference failed and is started again', { reason }),
  });
  const embedder = options.wrapEmbedder?.(bare) ?? bare;
  const database = await openDatabase(config, {
    besideServer: false,
    applicationName: `pathmend-${role}`,
    onIdleError: (error) => logger.warn('a database connection was lost', { error }),
    embeddedWatch: {
      lost: (reason) => logger.error('the embedded database stopped and is started again', { reason }),
      back: () => logger.warn('the embedded database answers again'),
    },
  }).catch(async (error: unknown) => {
    await embedder.stop();
    throw error;
  });
  for (const warning of database.migration.warnings) logger.warn(warning);
  return { database, databases: databasesByDeadline(database), embedder };
}

/** Opens the replica of DATABASE_READ_URL, which need not exist yet; undefined where no replica is set. */
export function openReplica(
  { databaseReadUrl, databaseReadUrlNow, databasePool }: Config,
  role: string,
  { rowSecurity }: OpenDatabase,
  logger: Logger,
  count: (use: ReplicaUse) => void,
): { replica: ReadReplica; db: Db; close: () => Promise<void> } | undefined {
  // A worker answers no searches.
  if (databaseReadUrl === undefined || role === 'worker') return undefined;
  const connection = connect({
    url: databaseReadUrlNow ?? databaseReadUrl,
    max: databasePool,
    applicationName: 'pathmend-searches',
    // The next search reports the lost connection.
    onIdleError: () => undefined,
    settings: CONNECTION_SETTINGS,
    ownSessions: true,
  });
  const replica = createReadReplica({ pool: connection.pool, apart: rowSecurity, logger, count });
  return { replica, db: databaseOf(connection.pool, { withinMs: MAX_ADMISSION_MS }), close: () => connection.close() };
}

function databasesByDeadline(database: OpenDatabase) {
  const { isEmbedded, connection } = database;
  // The embedded database has no deadlines: it is part of this process, and its one session may be busy for long.
  const within = (withinMs: number, operation?: string): Db =>
    databaseOf(connection.pool, { operation, withinMs: isEmbedded ? undefined : withinMs });
  const tenantsWithin = (withinMs: number): Tenants => database.tenants(isEmbedded ? undefined : withinMs);
  return {
    /** The database for admission and readiness. */
    admitting: within(MAX_ADMISSION_MS, 'admission'),
    /** The database for requests. `answeringFor` and `workingFor` are limited to one project. */
    answering: within(MAX_ANSWER_MS),
    answeringFor: tenantsWithin(MAX_ANSWER_MS),
    /** The database for events that requests bring. */
    takingEvents: within(MAX_ANSWER_MS, '/v1/events'),
    /** The database for jobs that take seconds. */
    working: within(MAX_WORK_MS),
    workingFor: tenantsWithin(MAX_WORK_MS),
  };
}

/** Closes what was opened, in reverse order, and goes on after a failure. */
export async function closeAll(opened: (() => Promise<unknown>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of opened.reverse()) await close().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** A database that has not answered for this time is away. */
const MAX_UNHEARD_MS = 15_000;

/**
 * The metrics of a process. Those from the database are read rarely and briefly (telemetry/reading.ts), so that
 * /metrics answers while the database is away. Only workers, which own the queue, read the work of all processes.
 */
export function openMetrics(
  { metricsProjects }: Config,
  role: string,
  { admitting }: DatabasesByDeadline,
  parts: Pick<MetricSources, 'bulkheads' | 'bytes' | 'tracer'> & {
    pool: Pick<SessionPool, 'stats'>;
    embedder: Pick<Embedder, 'stats'>;
    models: Pick<ModelRegistry, 'loaded'>;
    cache: Pick<SearchCache, 'size'>;
    replica: Db | undefined;
  },
): Metrics {
  const { pool, embedder, models, cache, replica } = parts;
  return createMetrics({
    ...parts,
    pool: () => pool.stats(),
    embedder: () => embedder.stats(),
    loadedModels: () => models.loaded().map(({ manifest }) => manifest.id),
    cacheEntries: () => cache.size,
    maxProjects: metricsProjects,
    build: { version: packageVersion(), role },
    database: createReading(() => sql`select`.execute(admitting), MAX_UNHEARD_MS),
    work: role === 'api' ? undefined : createReading(() => measureWork(admitting)),
    replica: replica && createReading(() => measureReplica(admitting, replica)),
  });
}

/** Opens the tracer; undefined where no collector is configured. @param opened gets a function that stops it */
export async function openTracer({ tracing }: Config, logger: Logger, opened: (() => Promise<unknown>)[]) {
  if (!tracing) return undefined;
  // OpenTelemetry's SDK is loaded here alone.
  const { createTracer } = await import('../platform/telemetry/open-telemetry.js');
  const tracer = createTracer(tracing, logger);
  opened.push(() => tracer.stop());
  return tracer;
}
