import type { Config } from '../platform/settings/config.js';
import type { Db } from '../platform/database/db.js';
import { measureReplica, measureWork } from '../operations/store/measurements.js';
import { sql } from '../platform/database/sql.js';
import type { MetricSources } from '../platform/telemetry/gauges.js';
import { createMetrics, type Metrics } from '../platform/telemetry/metrics.js';
import type { DatabasesByDeadline } from './open-backends.js';
import { packageVersion } from '../base/package-root.js';
import type { SessionPool } from '../platform/database/session/pool.js';
import type { ModelRegistry } from '../embedding/model-registry.js';
import type { Embedder } from '../embedding/embedder.js';
import type { Logger } from '../base/logger.js';
import type { SearchCache } from '../search/search.js';
import type { Tracer } from '../platform/telemetry/tracer.js';
import { createReading } from '../platform/telemetry/reading.js';

/** A database that has not answered for so long is away. */
const MAX_UNHEARD_MS = 15_000;

/**
 * The metrics of a process. Those that ask the database do so rarely and briefly (telemetry/reading.ts), so that
 * /metrics answers while it is away. Only workers, who own the queue, ask about the work of all processes.
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
    cacheEntries: () => cache.size(),
    maxProjects: metricsProjects,
    build: { version: packageVersion(), role },
    database: createReading(() => sql`select`.execute(admitting), MAX_UNHEARD_MS),
    work: role === 'api' ? undefined : createReading(() => measureWork(admitting)),
    replica: replica && createReading(() => measureReplica(admitting, replica)),
  });
}

/** Undefined where no collector is configured. @param opened gets what ends it. */
export async function openTracer(
  { tracing }: Config,
  logger: Logger,
  opened: (() => Promise<unknown>)[],
): Promise<Tracer | undefined> {
  if (!tracing) return undefined;
  // OpenTelemetry's SDK is loaded here alone.
  const { createTracer } = await import('../platform/telemetry/open-telemetry.js');
  const tracer = createTracer(tracing, logger);
  opened.push(() => tracer.stop());
  return tracer;
}
