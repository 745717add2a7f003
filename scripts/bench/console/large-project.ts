import type pg from 'pg';
import { addSearchablePages } from './searchable-pages.js';

export const PROJECT = '00000000-0000-4000-8000-000000000001';

export interface Size {
  pages: number;
  redirects: number;
  /** Of which the tables of sums keep 100,000 a project. */
  missingPaths: number;
}

/** A project of this size: indexed pages, redirects, and 90 days of sums as full as they may become. */
export async function addLargeProject(client: pg.Client, { pages, redirects, missingPaths }: Size): Promise<void> {
  const run = async (statement: string, ...values: unknown[]): Promise<void> => {
    await client.query(statement, values);
  };
  await run(
    `insert into pathmend.projects (project_id, name, plan, read_rate, model_id)
     values ($1, 'large', 'scale', 50, (select max(model_id) from pathmend.models))`,
    PROJECT,
  );
  await addSearchablePages(client, PROJECT, pages);
  await run(
    `insert into pathmend.rules (project_id, rule_key, path, action, target, target_key, target_host, origin, made_at)
     select $1, sha256(('/old/r-' || i)::bytea), '/old/r-' || i, 'redirect', p.url, p.path_key, split_part(p.url, '/', 3),
            'import', now() - i * interval '1 minute'
       from generate_series(1, $2::int) as i
       join pathmend.pages p on p.project_id = $1 and p.page_id = lpad(to_hex(i % $3::int + 1), 24, '0')`,
    PROJECT,
    redirects,
    pages,
  );
  await run(
    `insert into pathmend.missing_paths
       (project_id, path_hash, path, plain_hash, people, unknown, assistants, search_engines, robots, scanners, redirected, clicked,
        suggested, nothing, gone, unlinked, first_seen, last_seen, last_human, best_page_id, best_url, best_score, best_at)
     select $1, sha256(('/old/page-' || i)::bytea), '/old/page-' || i, sha256(('/old/page-' || i)::bytea),
            1 + (100000 / i), 0, 1, 1, 1, 1, 0, 0, 1, 100000 / i, 0, 0, now() - interval '90 days', now(), now(),
            lpad(to_hex(i % $3::int + 1), 24, '0'), '/new/page-' || i, (i * 7919 % 1000) / 1000.0, now()
       from generate_series(1, least($2::int, 100000)) as i`,
    PROJECT,
    missingPaths,
    pages,
  );
  await run(
    `insert into pathmend.sync_runs (project_id, source, prune, dry_run, began_at, ended_at, outcome, report, refusals)
     select $1, 'https://www.example.com/', true, false, now() - i * interval '1 day', now() - i * interval '1 day', 'incomplete',
            '{"created":5,"refused":20}', (select jsonb_agg(jsonb_build_object('where', '/page-' || n, 'reason', repeat('long ', 90))) from generate_series(1, 20) as n)
       from generate_series(1, 100) as i`,
    PROJECT,
  );
  await run('select pathmend.ensure_weeks(now(), now())');
  await run(
    `insert into pathmend.searches (project_id, search_id, searched_at, kind, is_test, input, understood, filtered, threshold, results, best_score, cached, took_ms)
     select $1, (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - i), 12, '0') || '7' || right(md5(i::text), 19))::uuid, now(),
            'semantic-search', false, 'question ' || i % 500, 'question ' || i % 500, false, 0.1,
            (select jsonb_agg(jsonb_build_object('page_id', lpad(to_hex(i % 9 + n), 24, '0'), 'url', 'https://www.example.com/new/page-' || n, 'score', 0.5)) from generate_series(1, 10) as n),
            0.5, false, 3
       from generate_series(1, 50000) as i`,
    PROJECT,
  );
  // The first of which stand on the first page of the overview, with the large one among them.
  await run(
    `insert into pathmend.projects (name, plan, read_rate)
     select 'site ' || lpad(i::text, 4, '0'), 'scale', 50 from generate_series(1, 1000) as i`,
  );
  await addSums(run);
  await run('vacuum (analyze)');
}

async function addSums(run: (statement: string, ...values: unknown[]) => Promise<void>): Promise<void> {
  // Beside those of other projects, so that to read a table from end to end is worth it for none.
  const projects = `(select $1::uuid as id union all select gen_random_uuid() from generate_series(1, 4)) as p`;
  const days = `(select ((now() at time zone 'UTC')::date - d)::date as day from generate_series(0, 89) as d) as d`;
  await run(
    `insert into pathmend.not_found_days
     select p.id, d.day, 'https://www' || o || '.example.com', v, w, 100
       from ${projects}, ${days}, generate_series(1, 20) as o, unnest(array['person', 'unknown', 'assistant', 'search_engine']) as v,
            unnest(array['redirected', 'clicked', 'suggested', 'nothing', 'gone', 'unlinked']) as w`,
    PROJECT,
  );
  await run(
    `insert into pathmend.path_days
     select $1, d.day, sha256(('/old/page-' || i)::bytea), 'person', 1, 0, 0, 1, 0, 0, 0, now(), now()
       from ${days}, generate_series(1, 5000) as i`,
    PROJECT,
  );
  await run(
    `insert into pathmend.referrer_weeks
     select w.id, w.week, sha256(('/old/page-' || i)::bytea), sha256(i::text::bytea),
            'https://www.example.com/list-' || i % 1000, i % 2 = 0, i % 50, 1, now(), now()
       from (select distinct p.id, date_trunc('week', d.day)::date as week from ${projects}, ${days}) as w, generate_series(1, 5000) as i`,
    PROJECT,
  );
  await run(
    `insert into pathmend.search_days
     select p.id, d.day, k, b, 100, 10, 0 from ${projects}, ${days}, unnest(array['suggest', 'semantic-search', 'proxy']) as k, generate_series(-1, 9) as b`,
    PROJECT,
  );
  await run(
    `insert into pathmend.position_days
     select p.id, d.day, k, place, b, 100, 10 from ${projects}, ${days}, unnest(array['suggest', 'semantic-search']) as k, generate_series(1, 10) as place, generate_series(0, 9) as b`,
    PROJECT,
  );
  await run(
    `insert into pathmend.empty_search_days
     select p.id, d.day, 'suggest', sha256((i + extract(day from d.day)::int * 300)::text::bytea), 'words ' || i, '/words/' || i, i, now()
       from ${projects}, ${days}, generate_series(1, 1000) as i`,
    PROJECT,
  );
  await run(
    `insert into pathmend.latency_days
     select p.id, d.day, k, b, 10 from ${projects}, ${days}, unnest(array['suggest', 'semantic-search', 'proxy']) as k, generate_series(-20, 60) as b`,
    PROJECT,
  );
}
