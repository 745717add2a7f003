/**
 * How much of a suggest on a large site is its own work, beside what it waits for the database and the model: `node
 * .build/scripts/bench/own-time.js [--pages 10000] [--paths 300] [--json]`; DATABASE_URL names a server, else embedded.
 * The pages are the example shop's, over and over, each with words and a path of its own.
 */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { Kysely, PostgresDialect } from 'kysely';
import type { Db } from '#src/database/connect.js';
import { readExampleSite } from '#src/demo/example-site.js';
import { packageRoot } from '#src/package-root.js';
import { parseCalibration } from '#src/search/calibration.js';
import { rankForPath } from '#src/search/suggest.js';
import { createVocabulary } from '#src/search/words/vocabulary.js';
import { indexSite } from '../eval/index-site.js';
import { startThrowawayService } from '../eval/throwaway-service.js';
import { manyPages, quantile } from './many-pages.js';

const options = new Command('own-time')
  .option('--pages <n>', 'pages of the site', '10000')
  .option('--paths <n>', 'dead paths asked', '300')
  .option('--json', 'one JSON value on stdout')
  .parse()
  .opts<{ pages: string; paths: string; json?: boolean }>();

const { service, stop } = await startThrowawayService(process.env);
try {
  const site = await readExampleSite(join(packageRoot(), 'examples', 'shop'));
  const { file, paths } = await manyPages(site.pages, Number(options.pages), Number(options.paths));
  const { projectId, seconds } = await indexSite(service, { name: 'many', pagesFile: file, pages: [], redirects: [], typos: [], queries: [], leftOut: [] });
  await rm(dirname(file), { recursive: true });
  process.stderr.write(`${options.pages} pages indexed in ${seconds.toFixed(0)} s\n`);

  let waited = 0;
  const db = new Kysely({
    dialect: new PostgresDialect({ pool: service.database.connection.pool }),
    log: ({ queryDurationMillis }) => {
      waited += queryDurationMillis;
    },
  }) as unknown as Db;
  const embedQuery: typeof service.models.embedQuery = async (...call) => {
    const from = performance.now();
    const vector = await service.models.embedQuery(...call);
    waited += performance.now() - from;
    return vector;
  };
  const deps = { db, models: { ...service.models, embedQuery }, vocabulary: createVocabulary(db) };
  const scope = { projectId, modelId: service.models.configured.modelId, indexVersion: 1, filters: {}, excludedUrls: [], excludedPaths: { paths: [], keys: [] } };
  const calibration = parseCalibration(service.models.configured.model.manifest.calibration);
  const own: number[] = [];
  const all: number[] = [];
  for (const path of [...paths.slice(0, 30), ...paths]) {
    waited = 0;
    const from = performance.now();
    await rankForPath(deps, calibration.suggest, scope, path, 3);
    const took = performance.now() - from;
    all.push(took);
    own.push(took - waited);
  }
  const measured = [own, all].map((list) => [0.5, 0.95].map((q) => quantile(list.slice(30), q)));
  const [[ownP50 = 0, ownP95 = 0] = [], [p50 = 0, p95 = 0] = []] = measured;
  if (options.json === true) process.stdout.write(`${JSON.stringify({ pages: Number(options.pages), own_ms: { p50: ownP50, p95: ownP95 }, all_ms: { p50, p95 } })}\n`);
  else process.stdout.write(`suggest on ${options.pages} pages: own work ${ownP50.toFixed(1)} ms (p95 ${ownP95.toFixed(1)}), with database and model ${p50.toFixed(1)} ms (p95 ${p95.toFixed(1)})\n`);
} finally {
  await stop();
}
process.exit();
