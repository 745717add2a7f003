/**
 * How long the analysts' views take for one project, on a database that is made for it and dropped:
 *
 *   DATABASE_URL=postgres://… node .build/scripts/bench/views.js [--events 10000000] [--keep | --again URL]
 *
 * The raw rows are made by generate_series, and summed up by the functions that sum up real ones. Prints plans, and
 * keeps them in docs/benchmarks/views-plans.txt.
 * --keep leaves the database there and prints its url; --again asks such a database, with the views of this checkout.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openDatabase } from '#src/platform/database/open-database.js';
import { packageRoot } from '#src/base/package-root.js';
import { parseConfig } from '#src/platform/settings/config.js';
import { keepResults, median, rounded } from './harness.js';
import { throwawayDatabase } from './throwaway-database.js';
import { addSite, addWeek, OTHER, PROJECT, settle, WEEKS } from './views/history.js';

const { values } = parseArgs({
  options: { events: { type: 'string', default: '10000000' }, keep: { type: 'boolean' }, again: { type: 'string' } },
});
const ROUNDS = 5;
const LAST_30 = `day > (select max(day) - 30 from analytics.recovery_daily where project = 'bench')`;
/** What a dashboard asks each view: its last thirty days, or its first fifty rows. */
const QUESTIONS: Record<string, string> = {
  missing_paths: `select * from analytics.missing_paths where project = 'bench' order by people desc limit 50`,
  recovery_daily: `select day, sum(hits), sum(recovered) from analytics.recovery_daily where project = 'bench' group by 1`,
  recovery_daily_all: `select visitor, sum(hits) from analytics.recovery_daily_all where project = 'bench' group by 1`,
  recovery_by_path_all: `select path, sum(hits) from analytics.recovery_by_path_all where project = 'bench' and day = '2026-03-20' group by 1 order by 2 desc limit 50`,
  recovery_by_path: `select path, sum(hits) from analytics.recovery_by_path where project = 'bench' and day = '2026-03-20' group by 1 order by 2 desc limit 50`,
  redirect_effects: `select * from analytics.redirect_effects where project = 'bench' order by added_at desc limit 50`,
  redirects_worth_adding: `select * from analytics.redirects_worth_adding where project = 'bench' order by gain desc limit 50`,
  redirects_without_hits: `select * from analytics.redirects_without_hits where project = 'bench' order by added_at limit 50`,
  broken_internal_links: `select * from analytics.broken_internal_links where project = 'bench' order by people desc limit 50`,
  referrers: `select host, sum(people) from analytics.referrers where project = 'bench' and week = '2026-03-16' group by 1 order by 2 desc limit 50`,
  content_gaps: `select * from analytics.content_gaps where project = 'bench' order by not_recovered desc limit 50`,
  searches_without_results: `select understood, sum(searches) from analytics.searches_without_results where project = 'bench' and ${LAST_30} group by 1 order by 2 desc limit 50`,
  click_through_daily: `select * from analytics.click_through_daily where project = 'bench'`,
  click_through_positions: `select position, sum(shown), sum(clicked) from analytics.click_through_positions where project = 'bench' group by 1`,
  calibration: `select score_from, sum(clicked_first), sum(clicked) from analytics.calibration where project = 'bench' group by 1`,
  latency_daily: `select * from analytics.latency_daily where project = 'bench'`,
  index_health: `select * from analytics.index_health where project = 'bench'`,
  plan_usage: `select * from analytics.plan_usage where project = 'bench'`,
  not_kept_daily: `select * from analytics.not_kept_daily where project = 'bench'`,
  accessible_projects: `select * from analytics.accessible_projects`,
  version: `select * from analytics.version`,
  not_founds_daily: `select * from analytics.not_founds_daily where project = 'bench' and day = '2026-03-20' order by hits desc limit 50`,
};

const server = process.env['DATABASE_URL'];
if (server === undefined || server === '') throw new Error('Set DATABASE_URL to a server.');
const { again } = values;
const database = again === undefined ? await throwawayDatabase(server) : { url: again };
try {
  const opened = await openDatabase(parseConfig({ DATABASE_URL: database.url }), {
    besideServer: true,
    applicationName: 'pathmend-bench',
    onIdleError: () => undefined,
  });
  await opened.close();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  if (again === undefined) await addHistory(client, Number(values.events));
  const { rows: counts } = await client.query<Record<string, string>>(
    `select (select count(*) from pathmend.not_founds) as not_founds, (select count(*) from pathmend.searches) as searches,
            (select count(*) from pathmend.path_days) as path_days, (select count(*) from pathmend.missing_paths) as missing_paths,
            (select count(*) from pathmend.referrer_weeks) as referrer_weeks`,
  );
  await client.query('set role pathmend_analyst');
  const plans: string[] = [];
  const times: Record<string, { ms: number; rows: number }> = {};
  for (const [view, question] of Object.entries(QUESTIONS)) {
    const { rows: plan } = await client.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${question}`);
    const said = `${view}: ${question}\n${plan.map((row) => row['QUERY PLAN']).join('\n')}\n`;
    process.stdout.write(`\n${said}`);
    plans.push(said);
    const took: number[] = [];
    let rows = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      rows = (await client.query(question)).rowCount ?? 0;
      took.push(performance.now() - began);
    }
    times[view] = { ms: rounded(median(took)), rows };
  }
  await client.end();
  await writeFile(join(packageRoot(), 'docs', 'benchmarks', 'views-plans.txt'), plans.join('\n'));
  await keepResults('views', {
    what: 'views for analysts, one project of two, asked for what a dashboard shows; median of five',
    rows: Object.fromEntries(Object.entries(counts[0] ?? {}).map(([name, count]) => [name, Number(count)])),
    times,
  });
} finally {
  if (values.keep === true) process.stderr.write(`${database.url}\n`);
  else if ('drop' in database) await database.drop();
}

async function addHistory(client: pg.Client, events: number): Promise<void> {
  await addSite(client);
  for (let week = 0; week < WEEKS; week++) {
    const began = performance.now();
    await addWeek(client, PROJECT, week, Math.round((events * 0.9) / WEEKS));
    await addWeek(client, OTHER, week, Math.round((events * 0.1) / WEEKS));
    process.stderr.write(`week ${week + 1} of ${WEEKS}: ${((performance.now() - began) / 1_000).toFixed(0)} s\n`);
  }
  await settle(client);
}
