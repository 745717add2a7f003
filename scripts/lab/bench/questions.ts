/**
 * Measures each of the forty questions of docs/reference/analytics.md as an analyst of one project, over a month with
 * 100,000 and with a million 404s, nine searches for ten of them, and a click for ten:
 *
 *   node .build/scripts/lab/bench/questions.js [--sizes 100000,1000000] [--rounds 3] [--pages 2000]
 *
 * DATABASE_URL names a server on this machine, whose processor time is read; it has no parallel workers here. Rows
 * are made in the database, and their sums by what rebuilds them.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { packageRoot } from '#src/base/package-root.js';
import { median } from '#src/watch/detect.js';
import { runCommand } from '../../service/service-process.js';
import { keepResults, readOptions, tell, type Figures } from '../harness.js';
import { neededServer, onNewDatabase } from '../processes.js';

const { sizes, rounds, pages } = readOptions({
  sizes: ['100000,1000000', 'numbers of 404s'],
  rounds: [3, 'rounds of each question'],
  pages: [2_000, 'pages of the project'],
});

/**
 * Rows of March 2026. Of 20,000 dead paths a few are frequent, by a power of a number that spreads evenly. Every tenth
 * path is German; every thirtieth 404 is of a campaign.
 */
const rowsOf = (project: string, size: number, key: string): string => `
  create temporary table made on commit drop as
  select i, ('2026-03-01T00:00:00Z'::timestamptz + i * (interval '31 days' / ${size})) as at,
         floor(20000 ^ (i * 0.6180339887 % 1))::int as place, gen_random_uuid() as search_id, i % 10 < 9 as searched,
         (array['person', 'person', 'person', 'person', 'person', 'person', 'person', 'search_engine', 'robot', 'scanner'])[i % 10 + 1] as visitor,
         (array['redirected', 'redirected', 'redirected', 'suggested', 'suggested', 'suggested', 'clicked', 'nothing', 'nothing', 'gone'])
           [i / 10 % 10 + 1] as outcome
    from generate_series(0, ${size} - 1) as i;
  create temporary table targets on commit drop as
  select row_number() over (order by page_id) - 1 as nr, page_id, substring(url from '^[^:]+://[^/]*(.+)$') as path
    from pathmend.pages where project_id = '${project}';
  insert into pathmend.searches (project_id, search_id, searched_at, kind, is_test, input, understood, filtered, threshold, results,
                                 best_score, cached, took_ms, clicked_rank, of_others, redirected, key_id)
  select '${project}', m.search_id, m.at, case when i % 20 = 0 then 'semantic-search' else 'suggest' end, false,
         case when i % 20 = 0 then 'how do i mend part ' || place % 3000 else '/old-' || place % 20 || '/page-' || place end,
         'page ' || place, false, 0.1,
         case when outcome in ('nothing', 'gone') then '[]' else jsonb_build_array(
           jsonb_build_object('page_id', t.page_id, 'url', t.path, 'score', 0.3 + place % 70 / 100.0),
           jsonb_build_object('page_id', u.page_id, 'url', u.path, 'score', 0.2 + place % 70 / 200.0)) end,
         case when outcome not in ('nothing', 'gone') then 0.3 + place % 70 / 100.0 end, i % 4 > 0, 1 + i % 97 / 4.0,
         case when outcome = 'clicked' then 1 + i % 2 end, visitor <> 'person', outcome = 'redirected', '${key}'
    from made m join targets t on t.nr = place % (select count(*) from targets)
    join targets u on u.nr = (place + 1) % (select count(*) from targets)
   where searched;
  insert into pathmend.not_founds (project_id, event_id, received_at, raw_path, origin, referrer, user_agent, is_test, visitor, outcome,
                                   search_id, key_id)
  select '${project}', gen_random_uuid(), at,
         case when place % 10 = 0 then '/de' else '' end || '/old-' || place % 20 || '/page-' || place
           || case when i % 30 = 0 then '?utm_source=newsletter&utm_campaign=week-' || i % 7 else '' end,
         (array['https://www.many.example', 'https://m.many.example', 'https://shop.many.example'])[i % 3 + 1],
         case i % 7 when 0 then null when 1 then 'https://www.google.com/' when 2 then 'https://partner-' || place % 50 || '.example/links'
                    else 'https://www.many.example/from-' || place % 500 end,
         'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0', false, visitor,
         case when visitor in ('robot', 'scanner') then 'robot' when searched then outcome else 'unlinked' end,
         case when searched then search_id end, '${key}'
    from made;
  insert into pathmend.clicks (project_id, event_id, received_at, occurred_at, search_id, clicked_url, clicked_rank, raw_path, origin, is_test)
  select '${project}', gen_random_uuid(), at, at, search_id, t.path, 1 + i % 2, '/page-' || place, 'https://www.many.example', false
    from made m join targets t on t.nr = (place + i % 2) % (select count(*) from targets)
   where searched and outcome = 'clicked'`;

interface Question {
  title: string;
  statement: string;
}

async function readQuestions(url: string): Promise<Question[]> {
  const document = await readFile(join(packageRoot(), 'docs', 'reference', 'analytics.md'), 'utf8');
  return [...document.matchAll(/^### (\d+\. .*)\n\n```sql\n([^`]+)```/gm)].map(([, title = '', statement = '']) => ({
    title,
    statement: statement.replace(/'https:[^']*'/, `'${url}'`),
  }));
}

/** Milliseconds of processor time that a session has taken. */
async function processorTime(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  // In hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** A hundred redirects of the dead paths that are missed most. */
async function addRules(target: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const file = join(tmpdir(), `pathmend-rules-${process.pid}.txt`);
  const path = new URL(target).pathname;
  await writeFile(file, Array.from({ length: 100 }, (_, i) => `/old-${(i + 1) % 20}/page-${i + 1} ${path}\n`).join(''));
  await runCommand(['redirects', 'import', '--project', 'demo', '--format', 'lines', file], environment);
  await rm(file);
}

/** Milliseconds of each question, medians of the rounds, over so many 404s in a new database. */
async function measure(size: number): Promise<Record<string, Figures>> {
  const processes = await onNewDatabase(neededServer(), { EMBEDDING_MODEL: 'static' });
  const client = new pg.Client({ connectionString: processes.databaseUrl });
  try {
    const service = await processes.serve('all');
    await processes.fill('demo', pages, 0);
    await client.connect();
    const { rows: known } = await client.query<{ project: string; key: string; url: string }>(
      'select project_id as project, k.key_id as key, g.url from pathmend.api_keys k join pathmend.pages g using (project_id) limit 1',
    );
    const [{ project, key, url } = { project: '', key: '', url: '' }] = known;
    await addRules(url, processes.environment);
    await service.stop();
    tell('the pages are indexed');
    await client.query(`set work_mem = '256MB'; select pathmend.ensure_weeks('2026-03-01', '2026-04-01')`);
    await client.query(`begin; ${rowsOf(project, size, key)}; commit`);
    tell(`${size} 404s are stored`);
    for (const week of ['2026-02-23', '2026-03-02', '2026-03-09', '2026-03-16', '2026-03-23', '2026-03-30'])
      for (const what of ['not_founds', 'searches'])
        await client.query(`select pathmend.rebuild_${what}($1, $2)`, [project, week]);
    await client.query('vacuum analyze');
    tell('they are summed');
    const { rows: sessions } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const { pid } = sessions[0] ?? { pid: 0 };
    await client.query('reset work_mem; set max_parallel_workers_per_gather = 0; set role pathmend_analyst');
    const times: Record<string, Figures> = {};
    for (const { title, statement } of await readQuestions(url)) {
      const [ms, cpu]: [number[], number[]] = [[], []];
      for (let round = 0; round <= rounds; round++) {
        const [began, before] = [performance.now(), await processorTime(pid)];
        await client.query(statement);
        // The first round reads from the disk what the others find in memory.
        if (round > 0) ms.push(performance.now() - began);
        if (round > 0) cpu.push((await processorTime(pid)) - before);
      }
      times[title] = { [`ms_${size}`]: median(ms), [`cpu_ms_${size}`]: median(cpu) };
      tell(`${Math.round(median(ms))} ms, of the processor ${Math.round(median(cpu))}: ${title}`);
    }
    return times;
  } finally {
    await client.end();
    await processes.stop();
  }
}

const measured: Record<string, Figures> = {};
for (const size of sizes.split(',').map(Number))
  for (const [title, figures] of Object.entries(await measure(size)))
    measured[title] = { ...measured[title], ...figures };
await keepResults('questions-server', {
  what: 'each question of analytics.md, by the number of 404s in its month; medians',
  pages,
  rounds,
  questions: measured,
});
process.exit();
