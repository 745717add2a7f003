import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { systemClock, type Clock } from '#src/base/clock.js';
import { parseConfig } from '#src/platform/settings/config.js';
import { type Logger } from '#src/base/logger.js';
import { createLogger } from '#src/platform/telemetry/create-logger.js';
import { startService, type Service } from '#src/app/service.js';

/** The whole service on a database that is gone afterwards: on DATABASE_URL's server if one is set, else embedded. */
export async function startThrowawayService(
  environment: Record<string, string | undefined>,
  logger: Logger = createLogger('error'),
  clock: Clock = systemClock,
): Promise<{ service: Service; environment: Record<string, string | undefined>; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'pathmend-eval-'));
  // Models that were fetched before need not be fetched again.
  const { modelCacheDir } = parseConfig(environment);
  const settings: Record<string, string | undefined> = {
    ...environment,
    PORT: '0',
    LOG_LEVEL: 'error',
    DATA_DIR: join(folder, 'data'),
    MODEL_CACHE_DIR: modelCacheDir,
  };
  let drop = (): Promise<unknown> => Promise.resolve();
  const server = environment['DATABASE_URL'];
  if (server !== undefined && server !== '') {
    const name = `pathmend_eval_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    const run = async (statement: string): Promise<void> => {
      const client = new pg.Client({ connectionString: server });
      await client.connect();
      await client.query(statement).finally(() => client.end());
    };
    await run(`create database ${name}`);
    drop = () => run(`drop database if exists ${name} with (force)`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    settings['DATABASE_URL'] = url.href;
  }
  const config = parseConfig(settings);
  const service = await startService({ config, role: 'all', logger, clock });
  return {
    service,
    // For commands beside it.
    environment: settings,
    stop: async () => {
      await service.stop();
      await drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
