import { systemClock, type Clock } from '../base/clock.js';
import type { Config } from '../platform/settings/config.js';
import type { Db } from '../platform/database/db.js';
import { findValidKeyHashes } from '../projects/store/keys.js';
import { sqlFolder, type OpenDatabase } from '../platform/database/open-database.js';
import { schemaIsCurrent } from '../platform/database/schema/schema-is-current.js';
import { createDailyLimit } from '../events/daily-limit.js';
import { createEventIntake } from '../events/event-intake.js';
import type { Embedder } from '../embedding/embedder.js';
import { modelStore } from '../pages/store/models.js';
import { openModels, type ModelRegistry } from '../embedding/model-registry.js';
import { closeAll, openBackends, openReplica, openMetrics, openTracer } from './open-backends.js';
import { createExpressApp, type AppDeps } from './mount-routes.js';
import { Drain, checkPort, startServer, type Deadlines } from '../http/server.js';
import { openTemplates } from '../search/dead-urls/template-folder.js';
import { lineOf } from '../http/admission.js';
import { createAdmissionQueue } from '../http/admission-queue.js';
import { checkConsole, startConsole } from '../console/server.js';
import { JOBS, startWorkers } from './jobs.js';
import { QUEUE_TABLES, startJobQueue, type JobQueue } from '../platform/queue/queue.js';
import { createIndexChanges } from '../projects/index-changes.js';
import { createGuessLimit } from '../platform/limits/guess-limit.js';
import { createBulkheads } from '../platform/limits/bulkheads.js';
import { InFlightBytes } from '../platform/limits/in-flight-bytes.js';
import { createRateLeases } from '../projects/rate-leases.js';
import type { Logger } from '../base/logger.js';
import { parseCalibration } from '../search/ranking/scores/calibration.js';
import { createRuleHits } from '../rules/rule-hits.js';
import { createSegmentCatalogue } from '../pages/large-projects/segment-catalogue.js';
import { createSearchCache } from '../search/search.js';
import { createSearchLog } from '../search/search-log.js';
import { createHeadingReader } from '../search/ranking/evidence/heading-evidence.js';
import { createLivePathCache } from '../search/ranking/evidence/page-path.js';
import { createVocabulary } from '../search/candidates/site-vocabulary.js';
import { SingleFlight } from '../platform/limits/single-flight.js';
import { createSearchCheck } from '../search/try-search.js';

export type Role = 'all' | 'api' | 'worker';

export interface ServiceOptions {
  config: Config;
  role: Role;
  logger: Logger;
  clock?: Clock;
  /** Wraps the model's thread, for tests of its failure. */
  wrapEmbedder?: (embedder: Embedder) => Embedder;
  /** Shorter deadlines, for tests of slow callers. */
  deadlines?: Deadlines;
}

export interface Service {
  /** The url of the API: `http://host:port`. */
  url: string;
  /** The url of the console; undefined: the console is off. */
  consoleUrl: string | undefined;
  deps: AppDeps;
  /** The database with the rows of all projects. Work for one project uses `deps.tenants.of(…)`. */
  db: Db;
  database: OpenDatabase;
  queue: JobQueue;
  models: ModelRegistry;
  /** Tells load balancers (not of a worker) that the process stops, and resolves when they could notice it. */
  drain(): Promise<void>;
  /** Accepts no further requests, finishes those in flight, and closes every part. Safe to call twice. */
  stop(): Promise<void>;
}

/** Builds every part: database, model, queue, HTTP. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, role, logger } = options;
  const clock = options.clock ?? systemClock;
  const works = role !== 'api';
  const port = role === 'worker' ? config.workerPort : config.port;
  // A taken port fails here, before the slow parts start. Another process may still take the port later.
  await checkPort(port, config.host);
  const hasConsole = config.consolePort !== undefined && role !== 'worker';
  if (hasConsole) await checkConsole(config);
  const { database, databases, embedder } = await openBackends(options);
  const { db, pool } = database.connection;
  const drain = new Drain();

  const opened: (() => Promise<unknown>)[] = [() => database.close(), () => embedder.stop()];
  try {
    const tracer = await openTracer(config, logger, opened);
    const models = openModels(modelStore(db), embedder, { logger });
    opened.push(() => {
      models.stop();
      return Promise.resolve();
    });
    // The models load during the rest of the start, so that the first search need not wait for them.
    if (role !== 'worker') models.ready().catch(() => undefined);
    const cache = createSearchCache(config.searchCacheEntries);
    const bulkheads = createBulkheads(config.databasePool);
    const leases = createRateLeases(databases.admitting, bulkheads.admissions);
    const bytes = new InFlightBytes(config.maxInFlightBytes);
    const replica = openReplica(config, role, database, logger, (use) => metrics.replicaSearches.inc({ use }));
    if (replica) opened.push(replica.close);
    const parts = { pool, embedder, models, cache, bulkheads, bytes, tracer, replica: replica?.db };
    const metrics = openMetrics(config, role, databases, parts);
    const queue = await startJobQueue({
      connection: database.connection,
      dbWithDeadline: databases.answering,
      listenUrl: works && !database.isEmbedded ? database.directUrl : undefined,
      works,
      jobs: JOBS,
      logger,
      observer: { metrics, tracer },
    });
    opened.push(() => queue.stop());
    const history = createDailyLimit(config.historyBytesPerDay, metrics, logger);
    const log = createSearchLog(databases.answering, history, logger);
    const ruleHits = createRuleHits(databases.answering, logger);
    const ownIndexes = createSegmentCatalogue(databases.answering, clock, logger);
    await ownIndexes.refresh();
    const deps: AppDeps = {
      db: databases.answering,
      tenants: databases.answeringFor,
      replica: replica?.replica,
      vocabulary: createVocabulary(),
      livePaths: createLivePathCache(),
      headings: createHeadingReader(),
      ownIndexes,
      leases,
      guesses: createGuessLimit(config.failedKeysPerMinute, (hashes) =>
        findValidKeyHashes(databases.admitting, hashes),
      ),
      trustedProxies: config.trustedProxies,
      indexChanges: createIndexChanges(databases.admitting, leases),
      tombstones: config.tombstones,
      queue,
      models,
      cache,
      inFlight: new SingleFlight(),
      log,
      ruleHits,
      bulkheads,
      events: createEventIntake(queue, databases.takingEvents),
      bytes,
      metrics,
      tracer,
      clock,
      logger,
      pathEvidence: config.suggestPathEvidence,
      eventIpMode: config.eventIpMode,
      eventRetentionDays: config.eventRetentionDays,
      notFoundTemplate: await openTemplates(config.notFoundTemplates),
      notFoundMaxAge: config.notFoundMaxAge,
      calibrationOf: async (modelId) => parseCalibration((await models.find(modelId))?.manifest.calibration ?? null),
      drain,
      checks: {
        schema: () => {
          // On a connection that is open already, the query would succeed, and the database would seem well.
          if (pool.refused) throw pool.refused;
          return schemaIsCurrent(databases.admitting, sqlFolder(), QUEUE_TABLES);
        },
        search: () => searches(),
        model: () => models.ready(),
      },
    };
    const searches = createSearchCheck(deps);
    // There may be no requests for readiness. This search warms the service up for the first visitor in any case.
    if (role !== 'worker') searches().catch(() => undefined);
    if (works) await startWorkers(deps, { config, database, databases, history });
    const { app, classes } = createExpressApp(deps, role !== 'worker');
    const listener = createAdmissionQueue(app, bulkheads.beginnings, (request) => lineOf(deps.guesses, request));
    const server = await startServer(listener, port, config.host, drain, options.deadlines, { classes });
    opened.push(
      () => log.stop(),
      () => ruleHits.stop(),
      () => leases.stop(),
      () => server.stop(),
    );
    const consoleServer = hasConsole ? await startConsole(deps, databases.answering, server.url, config) : undefined;
    if (consoleServer) opened.push(() => consoleServer.stop());
    let stopping: Promise<void> | undefined;
    return {
      url: server.url,
      consoleUrl: consoleServer?.consoleUrl,
      deps,
      db,
      database,
      queue,
      models,
      drain: () => (role === 'worker' ? Promise.resolve() : drain.begin()),
      stop: () => (stopping ??= closeAll(opened)),
    };
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}
