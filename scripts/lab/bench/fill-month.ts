/** A project with a month of many 404s, searches and clicks, for what measures the figures of them. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { runCommand } from '../../service/service-process.js';
import { tell } from '../harness.js';
import type { Processes } from '../processes.js';

interface Month {
  /** 404s in the month. */
  notFounds: number;
  /** So many of ten 404s have a search; every tenth search has a click. */
  searchedOf10: number;
}

/**
 * Rows of March 2026. Of 20,000 dead paths a few are frequent, by a power of a number that spreads evenly. Every tenth
 * path is German; every thirtieth 404 is of a campaign.
 */
const rowsOf = (project: string, key: string, { notFounds: size, searchedOf10 }: Month): string => `
  create temporary table made on commit drop as
  select i, ('2026-03-01T00:00:00Z'::timestamptz + i * (interval '31 days' / ${size})) as at,
         floor(20000 ^ (i * 0.6180339887 % 1))::int as place, gen_random_uuid() as search_id, i % 10 < ${searchedOf10} as searched,
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

/** A hundred redirects of the dead paths that are missed most. */
async function addRules(target: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const file = join(tmpdir(), `pathmend-rules-${process.pid}.txt`);
  const path = new URL(target).pathname;
  await writeFile(file, Array.from({ length: 100 }, (_, i) => `/old-${(i + 1) % 20}/page-${i + 1} ${path}\n`).join(''));
  await runCommand(['redirects', 'import', '--project', 'demo', '--format', 'lines', file], environment);
  await rm(file);
}

/** Milliseconds of processor time that a session has taken. */
export async function processorTime(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  // In hundredths of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Makes the project `demo` in the database of a client, with sums by what rebuilds them; its id and a page. */
export async function fillMonth(processes: Processes, client: pg.Client, month: Month & { pages: number }) {
  const service = await processes.serve('all');
  await processes.fill('demo', month.pages, 0);
  const { rows: known } = await client.query<{ project: string; key: string; url: string }>(
    'select project_id as project, k.key_id as key, g.url from pathmend.api_keys k join pathmend.pages g using (project_id) limit 1',
  );
  const [{ project, key, url } = { project: '', key: '', url: '' }] = known;
  await addRules(url, processes.environment);
  await service.stop();
  tell('the pages are indexed');
  await client.query(`set work_mem = '256MB'; select pathmend.ensure_weeks('2026-03-01', '2026-04-01')`);
  await client.query(`begin; ${rowsOf(project, key, month)}; commit`);
  tell(`${month.notFounds} 404s are stored`);
  for (const week of ['2026-02-23', '2026-03-02', '2026-03-09', '2026-03-16', '2026-03-23', '2026-03-30'])
    for (const what of ['not_founds', 'searches'])
      await client.query(`select pathmend.rebuild_${what}($1, $2)`, [project, week]);
  await client.query('vacuum analyze');
  tell('they are summed');
  return { project, url };
}
