/**
 * What row level security costs: the same uncached searches and upserts by tenants that PostgreSQL keeps apart and by
 * ones that only their statements do, without HTTP, in turns: `node .build/scripts/lab/bench/tenants.js [--tenants
 * 10]`. `one`: all calls are one tenant's; `many`: every call is another one's. DATABASE_URL names a server, else
 * embedded.
 */
import { Command } from 'commander';
import { createTenants, type Tenant } from '#src/platform/database/session/tenants.js';
import { upsertPages } from '#src/pages/upsert-pages.js';
import { parsePageUrl } from '#src/text/page-url.js';
import { parseCalibration } from '#src/search/ranking/scores/calibration.js';
import { rankForPath } from '#src/search/candidates/rank-for-path.js';
import { rankForQuery } from '#src/search/candidates/rank-for-query.js';
import { readDeadPath } from '#src/text/paths/dead-path.js';
import { startThrowawayService } from '../../eval/throwaway-service.js';
import { keepResults, rounded, takeTurns, type Figures } from './harness.js';
import { indexPagesFile, writeManyPages } from '../../service/index-many-pages.js';
import { quantile } from '../../service/many-pages.js';
import { modelOf, wholeProject } from '../../whole-project.js';

const options = new Command('tenants')
  .option('--tenants <n>', 'tenants', '10')
  .option('--pages <n>', 'pages of each', '1000')
  .option('--rounds <n>', 'rounds of each', '7')
  .option('--calls <n>', 'calls of each round', '300')
  .option('--connections <n>', 'calls at once', '8')
  .parse()
  .opts<Record<'tenants' | 'pages' | 'rounds' | 'calls' | 'connections', string>>();
const [calls, connections] = [Number(options.calls), Number(options.connections)];

const { service, stop } = await startThrowawayService(process.env);
const { deps } = service;
const { pool } = service.database.connection;
const { file, paths, remove } = await writeManyPages(Number(options.pages), 400);
const projects: string[] = [];
for (let i = 0; i < Number(options.tenants); i++)
  projects.push((await indexPagesFile(service, `tenant-${i}`, file)).projectId);
await remove();

const { modelId, model } = await modelOf(service, projects[0] ?? '');
const calibration = parseCalibration(model.manifest.calibration);
const separations: Record<string, boolean> = { apart: true, together: false };

/** A version of the index that nobody asked about yet, so that no word is remembered. */
let indexVersion = 1_000;
const spaceOf = (tenant: Tenant) => ({ ...wholeProject(tenant, modelId), indexVersion: indexVersion++ });

let upserts = 0;
const WORK: Record<string, (tenant: Tenant, turn: number) => Promise<unknown>> = {
  suggest: (tenant, turn) =>
    rankForPath(deps, calibration.suggest, spaceOf(tenant), readDeadPath(paths[turn % paths.length] ?? '/'), 3),
  'semantic-search': (tenant, turn) =>
    rankForQuery(
      deps,
      calibration.query,
      spaceOf(tenant),
      (paths[turn % paths.length] ?? '/').replace(/[^a-z]+/g, ' '),
      3,
    ),
  upsert: (tenant) => {
    const url = parsePageUrl(`https://tenant.example/new/${upserts++}`);
    if (!url) throw new Error('no url');
    // No job: the workers' share would drown what is measured.
    return upsertPages({ ...deps, queue: { ...deps.queue, wake: () => undefined } }, tenant, [
      { url, content: 'A page.', metadata: { n: upserts } },
    ]);
  },
};

async function measure(
  work: (tenant: Tenant, turn: number) => Promise<unknown>,
  tenants: readonly Tenant[],
): Promise<Figures> {
  const times: number[] = [];
  let turn = 0;
  const before = process.cpuUsage();
  const from = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (turn < calls) {
        const mine = turn++;
        const sentAt = performance.now();
        await work(tenants[mine % tenants.length] as Tenant, mine);
        times.push(performance.now() - sentAt);
      }
    }),
  );
  const used = process.cpuUsage(before);
  return {
    per_second: (calls * 1000) / (performance.now() - from),
    p50_ms: quantile(times, 0.5),
    p95_ms: quantile(times, 0.95),
    cpu_ms: (used.user + used.system) / 1000 / calls,
  };
}

const report: Record<string, unknown> = {};
for (const [name, work] of Object.entries(WORK)) {
  const contenders: Record<string, () => Promise<Figures>> = {};
  for (const [how, apart] of Object.entries(separations)) {
    const tenants = createTenants(pool, apart);
    contenders[`one ${how}`] = () => measure(work, [tenants.of(projects[0] ?? '')]);
    contenders[`many ${how}`] = () =>
      measure(
        work,
        projects.map((id) => tenants.of(id)),
      );
  }
  const figures = await takeTurns(contenders, Number(options.rounds));
  const ratio = (whose: string, figure: string): number =>
    rounded((figures[`${whose} apart`]?.[figure] ?? 0) / (figures[`${whose} together`]?.[figure] ?? 1));
  report[name] = {
    ...Object.fromEntries(
      ['one', 'many'].map((whose) => [
        whose,
        {
          per_second: ratio(whose, 'per_second'),
          p50: ratio(whose, 'p50_ms'),
          p95: ratio(whose, 'p95_ms'),
          cpu: ratio(whose, 'cpu_ms'),
        },
      ]),
    ),
    figures: Object.fromEntries(
      Object.entries(figures).map(([who, list]) => [
        who,
        Object.fromEntries(Object.entries(list).map(([k, v]) => [k, rounded(v)])),
      ]),
    ),
  };
}
const database = service.database.isEmbedded ? 'embedded' : 'server';
await keepResults(`tenants-${database}`, {
  database,
  tenants: projects.length,
  pages: Number(options.pages),
  connections,
  ...report,
});
await stop();
process.exit();
