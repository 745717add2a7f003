import type pg from 'pg';

export const PROJECT = '00000000-0000-4000-8000-000000000001';
export const OTHER = '00000000-0000-4000-8000-000000000002';
export const WEEKS = 13;

/** A Monday. */
const FIRST_WEEK = '2026-01-05';
const PATHS = 100_000;
const PAGES = 10_000;
const REDIRECTS = 2_000;
const FACTS_PER_CALL = 5_000;

/** Two projects; pages, words and redirects of the first. */
export async function addSite(client: pg.Client): Promise<void> {
  await client.query(
    `insert into pathmend.projects (project_id, name, plan, read_rate) values ($1, 'bench', 'scale', 50), ($2, 'other', 'scale', 50)`,
    [PROJECT, OTHER],
  );
  await client.query(
    `insert into pathmend.pages (project_id, page_id, url, url_hash, path_key, content, content_hash, status)
     select $1, lpad(to_hex(i), 24, '0'), 'https://www.example.com/new/page-' || i, sha256(i::text::bytea), sha256(i::text::bytea), '', '', 'INDEXED'
       from generate_series(1, $2::int) as i`,
    [PROJECT, PAGES],
  );
  await client.query(
    `insert into pathmend.indexed_pages (project_id, page_id, content_version, path, path_words, slug_words, path_trigrams, slug_trigrams,
                                         counted_words, words)
     select project_id, page_id, 1, '/new/page-' || right(page_id, 5), '', '', repeat('0', 512)::bit(512), repeat('0', 512)::bit(512), '{}', '{}'
       from pathmend.pages`,
  );
  await client.query(
    `insert into pathmend.vocabulary (project_id, word, pages) select $1, 'word' || i, 1 from generate_series(1, 20000) as i`,
    [PROJECT],
  );
  await client.query(
    `insert into pathmend.rules (project_id, rule_key, path, action, target, target_key, origin, made_at)
     select $1, sha256(path::bytea), path, 'redirect', '/new/page-' || i, sha256(i::text::bytea), 'import',
            timestamptz '2026-02-20' + i * interval '1 minute'
       from (select i, '/section-' || i % 50 || '/page-' || i as path from generate_series(1, $2::int) as i) as r`,
    [PROJECT, REDIRECTS],
  );
  await client.query(
    `insert into pathmend.rules (project_id, rule_key, prefix, path, action, target, new_prefix, origin, made_at)
     select $1, sha256(('/section-' || i || '/#*')::bytea), '/section-' || i, '/section-' || i || '/*', 'redirect',
            '/new/:splat', '/new', 'import', timestamptz '2026-02-20' from generate_series(0, 39) as i`,
    [PROJECT],
  );
}

/** A week's raw rows in the order of time, nine 404s to a search, and their sums. Paths follow Zipf's law. */
export async function addWeek(client: pg.Client, project: string, week: number, events: number): Promise<void> {
  const monday = `(date '${FIRST_WEEK}' + ${week * 7})`;
  const from = `${monday}::timestamp at time zone 'UTC'`;
  await client.query(`select setseed(${(week + 1) / 100}), pathmend.ensure_weeks(${from}, ${from})`);
  await client.query(
    `insert into pathmend.not_founds (project_id, event_id, received_at, raw_path, origin, referrer, user_agent, visitor, visitor_ip, is_test, outcome)
     select $1, gen_random_uuid(), ${from} + r.time * interval '7 days', '/section-' || r.path % 50 || '/page-' || r.path,
            'https://www.example.com',
            case when r.who < 0.5 then 'https://www.example.com/page-' || r.path % 997 when r.who < 0.6 then 'https://search.example/' end,
            'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0', v.visitor,
            '192.0.2.0'::inet + (r.time * 250)::int, false,
            case when v.visitor in ('scanner', 'robot') then 'robot' when r.end < 0.5 then 'redirected' when r.end < 0.6 then 'clicked'
                 when r.end < 0.8 then 'suggested' when r.end < 0.99 then 'nothing' else 'gone' end
       from (select random() as time, random() as who, random() as "end", floor(${PATHS} ^ random())::int as path
               from generate_series(1, $2::int) order by 1) as r
      cross join lateral (
        select case when r.who < 0.6 then 'person' when r.who < 0.65 then 'unknown' when r.who < 0.7 then 'assistant'
                    when r.who < 0.85 then 'search_engine' when r.who < 0.95 then 'scanner' else 'robot' end as visitor) as v`,
    [project, Math.round(events * 0.9)],
  );
  await client.query(
    `insert into pathmend.searches (project_id, search_id, searched_at, kind, is_test, input, understood, filtered, threshold, results,
                                    best_score, cached, took_ms, clicked_rank)
     select $1, gen_random_uuid(), ${from} + r.time * interval '7 days', case when r.kind < 0.8 then 'suggest' else 'semantic-search' end, false,
            '/section/page-' || r.path, 'page ' || r.path, false, 0.1,
            case when r.score > 0.2 then jsonb_build_array(jsonb_build_object('page_id', 'x', 'url', '/x', 'score', r.score)) else '[]' end,
            case when r.score > 0.2 then r.score end, false, round((3 * exp(2 * r.kind))::numeric, 1),
            case when r.score > 0.2 and r.score < r.kind then 1 end
       from (select random() as time, random() as kind, round(random()::numeric, 1)::float8 as score, floor(${PATHS} ^ random())::int as path
               from generate_series(1, $2::int)) as r`,
    [project, Math.round(events * 0.1)],
  );
  // Rows that count alike are one fact with their number: what each adds to the sums is the same.
  await client.query('create temp table facts (i bigint generated always as identity, what text, fact jsonb)');
  await client.query(
    `insert into facts (what, fact)
     select 'not_founds', jsonb_build_object('project_id', project_id, 'at', min(received_at), 'raw_path', raw_path, 'origin', origin,
                                             'referrer', referrer, 'visitor', visitor, 'outcome', outcome, 'n', count(*))
       from pathmend.not_founds
      where project_id = $1 and (received_at at time zone 'UTC')::date between ${monday} and ${monday} + 6
      group by project_id, (received_at at time zone 'UTC')::date, raw_path, origin, referrer, visitor, outcome order by min(received_at)`,
    [project],
  );
  await client.query(
    `insert into facts (what, fact)
     select 'searches', jsonb_build_object('project_id', project_id, 'at', min(searched_at), 'kind', kind, 'input', input,
              'understood', understood, 'filtered', filtered, 'best_score', best_score, 'took_ms', took_ms,
              'scores', case when best_score is null then '[]' else jsonb_build_array(best_score) end, 'clicked_rank', clicked_rank, 'n', count(*))
       from pathmend.searches
      where project_id = $1 and (searched_at at time zone 'UTC')::date between ${monday} and ${monday} + 6
      group by project_id, (searched_at at time zone 'UTC')::date, kind, input, understood, filtered, best_score, took_ms, clicked_rank`,
    [project],
  );
  for (const what of ['not_founds', 'searches'])
    await client.query(
      `select pathmend.count_${what}(facts) from (
         select jsonb_agg(fact order by i) as facts from facts where what = '${what}' group by i / ${FACTS_PER_CALL} order by i / ${FACTS_PER_CALL}) as f`,
    );
  await client.query('drop table facts');
}

/** What linking to searches would add, and what autovacuum does. */
export async function settle(client: pg.Client): Promise<void> {
  await client.query(
    `update pathmend.missing_paths set plain_hash = sha256(path::bytea), best_url = '/new/page-1', best_score = random(), best_page_id = lpad('1', 24, '0')`,
  );
  await client.query(
    `insert into pathmend.history_days (project_id, day, what, bytes, stored, not_kept)
     select $1, day, what, 1000000, 100000, 0 from (select distinct day from pathmend.not_found_days) as d cross join (values ('searches'), ('events')) as w (what)`,
    [PROJECT],
  );
  await client.query('vacuum (analyze)');
}
