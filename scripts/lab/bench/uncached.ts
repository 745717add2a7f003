/**
 * Measures what an uncached search costs in comparison with its floor: embedding the same text and running the same SQL
 * through pg, by itself and behind a bare Express. `node .build/scripts/lab/bench/uncached.js [--pages 1000] [--rounds
 * 5] [--seconds 10]`; DATABASE_URL names a server, else embedded. All contenders live in this process, the load
 * generator in another; CPU is this process's, model and HTTP included, PostgreSQL's not. V8 compiles during the first
 * few thousand searches, which takes a fifth of a suggest's CPU meanwhile: shorter rounds measure that, too.
 */
import { json } from 'express';
import { Kysely, type CompiledQuery } from 'kysely';
import { toHalfBytes } from '#src/platform/database/binary-values.js';
import type { SearchSpace } from '#src/search/store/space.js';
import { sessionDialect } from '#src/platform/database/session/driver.js';
import type { QueryOptions } from '#src/platform/database/session/session.js';
import type { Database } from '#src/platform/database/db.js';
import { parseCalibration } from '#src/search/ranking/scores/calibration.js';
import { createHeadingReader } from '#src/search/ranking/evidence/heading-evidence.js';
import { createLivePathCache } from '#src/search/ranking/evidence/page-path.js';
import { rankForPath } from '#src/search/candidates/rank-for-path.js';
import { rankForQuery } from '#src/search/candidates/rank-for-query.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { createVocabulary } from '#src/search/candidates/site-vocabulary.js';
import { startThrowawayService } from '../../eval/throwaway-service.js';
import { indexManyPages } from '../../service/index-many-pages.js';
import { modelOf, wholeProject } from '../../whole-project.js';
import {
  callFor,
  generate,
  jsonHeaders,
  keepResults,
  readOptions,
  share,
  startBareExpress,
  takeTurns,
  type Figures,
} from '../harness.js';

const { pages, rounds, seconds, connections } = readOptions({
  pages: [1000, 'pages of the site'],
  rounds: [5, 'rounds of each'],
  seconds: [10, 'seconds of each round'],
  connections: [16, 'requests at once'],
});

const { service, stop } = await startThrowawayService({ ...process.env, SEARCH_CACHE_ENTRIES: '0' });
const { pool } = service.database.connection;
const { projectId, key, paths } = await indexManyPages(service, pages, 400);
const { modelId, model } = await modelOf(service, projectId);
const calibration = parseCalibration(model.manifest.calibration);
const space = wholeProject(service.deps.tenants.of(projectId), modelId);

/** One search as its floor repeats it: the text that is embedded, and the statement with the place of its vector. */
interface Recorded {
  text: string;
  statement: CompiledQuery & QueryOptions;
  vectorAt: number;
}

async function record(
  search: (deps: Parameters<typeof rankForQuery>[0], space: SearchSpace) => Promise<unknown>,
): Promise<Recorded> {
  const statements: CompiledQuery[] = [];
  let text = '';
  const db = new Kysely<Database>({
    dialect: sessionDialect(pool, {}),
    log: ({ query }) => {
      statements.push(query);
    },
  });
  const embedQuery: typeof service.models.embedQuery = (id, queryText, more) => {
    text = queryText;
    return service.models.embedQuery(id, queryText, more);
  };
  await search(
    {
      models: { ...service.models, embedQuery },
      vocabulary: createVocabulary(),
      livePaths: createLivePathCache(),
      headings: createHeadingReader(),
    },
    { ...space, db },
  );
  const statement = statements.find(({ parameters }) => parameters.some(isVector));
  if (!statement) throw new Error('the search sent no vector');
  return { text, statement, vectorAt: statement.parameters.findIndex(isVector) };
}

function isVector(parameter: unknown): boolean {
  return Buffer.isBuffer(parameter);
}

async function repeat({ text, statement: { sql, parameters, plan }, vectorAt }: Recorded): Promise<number> {
  const vector = await service.models.embedQuery(modelId, text);
  const { rows } = await pool.query(sql, parameters.with(vectorAt, toHalfBytes(vector)), { plan });
  return rows.length;
}

/** Runs the floor by itself, without HTTP. */
function direct(recorded: readonly Recorded[]): ReturnType<typeof callFor> {
  let next = 0;
  return callFor(connections, seconds, () => repeat(recorded[next++ % recorded.length] as Recorded));
}

async function withCpu(run: () => ReturnType<typeof callFor>): Promise<Figures> {
  const before = process.cpuUsage();
  const { perSecond, p50, p95, requests } = await run();
  const used = process.cpuUsage(before);
  return { per_second: perSecond, p50_ms: p50, p95_ms: p95, cpu_ms: (used.user + used.system) / 1000 / requests };
}

const questions = paths.map(
  (path) =>
    path
      .replace(/\.html$/, '')
      .split('/')
      .at(-1)
      ?.replace(/[^a-z]+/g, ' ')
      .trim() ?? 'coffee',
);
const report: Record<string, unknown> = {};
for (const kind of ['semantic-search', 'suggest'] as const) {
  const inputs = kind === 'suggest' ? paths : questions;
  const recorded: Recorded[] = [];
  for (const input of inputs) {
    recorded.push(
      await record((deps, space) =>
        kind === 'suggest'
          ? rankForPath(deps, calibration.suggest, space, readDeadPath(input), 3)
          : rankForQuery(deps, calibration.query, space, input, 3),
      ),
    );
  }
  const bodies = inputs.map((input, i) => JSON.stringify({ [kind === 'suggest' ? 'path' : 'query']: input, i }));
  const parse = json();
  const floor = await startBareExpress((request, response, next) => {
    parse(request, response, () => {
      const { i } = request.body as { i: number };
      repeat(recorded[i] as Recorded).then((rows) => response.json({ rows }), next);
    });
  });
  const load = { headers: jsonHeaders(key), bodies, connections, seconds };
  const figures = await takeTurns(
    {
      floor: () => withCpu(() => direct(recorded)),
      floor_behind_express: () => withCpu(() => generate({ ...load, url: floor.url })),
      service: () => withCpu(() => generate({ ...load, url: `${service.url}/v1/${kind}` })),
    },
    rounds,
  );
  floor.stop();
  report[kind] = {
    ...figures,
    cpu_of_floor: share(figures, 'cpu_ms', 'service', 'floor'),
    p95_of_floor: share(figures, 'p95_ms', 'service', 'floor'),
    cpu_of_floor_behind_express: share(figures, 'cpu_ms', 'service', 'floor_behind_express'),
    p95_of_floor_behind_express: share(figures, 'p95_ms', 'service', 'floor_behind_express'),
  };
}
const database = service.database.isEmbedded ? 'embedded' : 'server';
await keepResults(`uncached-${database}-${pages}`, { database, pages, connections, ...report });
await stop();
process.exit();
