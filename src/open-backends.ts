import type { Config } from './settings/config.js';
import type { Db } from './database/db.js';
import { databaseOf } from './database/session/driver.js';
import { openDatabase, type OpenDatabase } from './database/open-database.js';
import type { Tenants } from './database/session/tenants.js';
import { OnnxEmbedder } from './embedding/onnx-embedder.js';
import type { Embedder } from './embedding/embedder.js';
import type { Logger } from './logger.js';

/** Admission takes a millisecond: when it takes as long as this, the database is away, whatever else is slow. */
const MAX_ADMISSION_MS = 3_000;
const MAX_ANSWER_MS = 8_000;
/** A batch of pages takes seconds. */
const MAX_WORK_MS = 30_000;

/** The database for those who would rather hear that it is silent than wait (src/database/session/deadline.ts). */
export interface DatabasesByDeadline {
  /** Admission, readiness. */
  admitting: Db;
  /** Requests; `answeringFor` as a project's tenant sees it. */
  answering: Db;
  answeringFor: Tenants;
  /** Jobs that take seconds. */
  working: Db;
  workingFor: Tenants;
}

/** What the service stands on. */
export interface Backends {
  database: OpenDatabase;
  databases: DatabasesByDeadline;
  embedder: Embedder;
  /** The model is loaded on the embedder's own thread meanwhile. */
  loading: ReturnType<Embedder['load']>;
}

/** Opens the database and begins to load the model, at the same time. */
export async function openBackends(options: {
  config: Config;
  role: string;
  logger: Logger;
  wrapEmbedder?: (embedder: Embedder) => Embedder;
  onModelLoading?: (loading: Promise<unknown>) => void;
}): Promise<Backends> {
  const { config, role, logger } = options;
  const bare = new OnnxEmbedder({
    cacheFolder: config.modelCacheDir,
    intraOpThreads: config.embeddingThreads,
    onFault: (reason) => {
      logger.error('inference failed and is started again', { reason });
    },
  });
  const embedder = options.wrapEmbedder?.(bare) ?? bare;
  // On its own thread while the database starts: 0.3 to 0.4 s that an embedded start need not wait for.
  const loading = embedder.load(config.embeddingModel);
  // openModels tells of a failure; if the database fails first, that is what is told.
  loading.catch(() => undefined);
  options.onModelLoading?.(loading);
  const database = await openDatabase(config, {
    besideServer: false,
    applicationName: `pathmend-${role}`,
    onIdleError: (error) => {
      logger.warn('a database connection was lost', { error });
    },
    embeddedWatch: {
      lost: (reason) => {
        logger.error('the embedded database stopped and is started again', { reason });
      },
      back: () => {
        logger.warn('the embedded database answers again');
      },
    },
  }).catch(async (error: unknown) => {
    await embedder.stop();
    throw error;
  });
  for (const warning of database.migration.warnings) logger.warn(warning);
  return { database, databases: databasesWithin(database), embedder, loading };
}

function databasesWithin(database: OpenDatabase): DatabasesByDeadline {
  const { isEmbedded, connection } = database;
  // The embedded database lives and dies with this process, and its one session may be busy for long.
  const within = (withinMs: number): Db => (isEmbedded ? connection.db : databaseOf(connection.pool, { withinMs }));
  const tenantsWithin = (withinMs: number): Tenants => database.tenants(isEmbedded ? undefined : withinMs);
  return {
    admitting: within(MAX_ADMISSION_MS),
    answering: within(MAX_ANSWER_MS),
    answeringFor: tenantsWithin(MAX_ANSWER_MS),
    working: within(MAX_WORK_MS),
    workingFor: tenantsWithin(MAX_WORK_MS),
  };
}
