-- Computes rows of missing_paths again from path_days. Rows without a day are deleted. The caller holds the lock of the sums.
create or replace function pathmend.refresh_missing_paths(p_project uuid, p_hashes bytea[]) returns void
language plpgsql as $$
declare
  v_gone bigint;
begin
  update pathmend.missing_paths m
     set people = d.people, unknown = d.unknown, assistants = d.assistants, search_engines = d.search_engines, robots = d.robots,
         scanners = d.scanners, redirected = d.redirected, clicked = d.clicked, suggested = d.suggested, nothing = d.nothing,
         gone = d.gone, unlinked = d.unlinked, first_seen = d.first_seen, last_seen = d.last_seen, last_human = d.last_human
    from (select path_hash,
                 coalesce(sum(hits) filter (where visitor = 'person'), 0) as people, coalesce(sum(hits) filter (where visitor = 'unknown'), 0) as unknown,
                 coalesce(sum(hits) filter (where visitor = 'assistant'), 0) as assistants,
                 coalesce(sum(hits) filter (where visitor = 'search_engine'), 0) as search_engines,
                 coalesce(sum(hits) filter (where visitor = 'robot'), 0) as robots, coalesce(sum(hits) filter (where visitor = 'scanner'), 0) as scanners,
                 coalesce(sum(redirected) filter (where human), 0) as redirected, coalesce(sum(clicked) filter (where human), 0) as clicked,
                 coalesce(sum(suggested) filter (where human), 0) as suggested, coalesce(sum(nothing) filter (where human), 0) as nothing,
                 coalesce(sum(gone) filter (where human), 0) as gone, coalesce(sum(unlinked) filter (where human), 0) as unlinked,
                 min(first_seen) as first_seen, max(last_seen) as last_seen, max(last_seen) filter (where human) as last_human
            from pathmend.path_days cross join lateral (select visitor in ('person', 'unknown') as human) as v
           where project_id = p_project and path_hash = any (p_hashes)
           group by path_hash) as d
   where m.project_id = p_project and m.path_hash = d.path_hash;
  with gone as (
    delete from pathmend.missing_paths m
     where m.project_id = p_project and m.path_hash = any (p_hashes)
       and not exists (select from pathmend.path_days d where d.project_id = p_project and d.path_hash = m.path_hash)
    returning 1)
  select count(*) into v_gone from gone;
  update pathmend.rollups set paths = paths - v_gone where project_id = p_project and what = 'not_founds' and v_gone > 0;
end $$;

-- Computes the sums of one week's 404s again from the rows. Equal rows are one fact, and a second one for the time of the last
-- row. Sessions that store 404s of the project wait meanwhile.
create or replace function pathmend.rebuild_not_founds(p_project uuid, p_week date) returns void
language plpgsql as $$
declare
  v_hashes bytea[];
  v_facts jsonb;
begin
  perform pathmend.lock_rollups('not_founds', array[p_project]);
  delete from pathmend.not_found_days where project_id = p_project and day between p_week and p_week + 6;
  delete from pathmend.not_found_hours
   where project_id = p_project and hour >= p_week::timestamp at time zone 'UTC' and hour < (p_week + 7)::timestamp at time zone 'UTC';
  delete from pathmend.referrer_weeks where project_id = p_project and week = p_week;
  with old as (delete from pathmend.path_days where project_id = p_project and day between p_week and p_week + 6 returning path_hash)
  select array_agg(distinct path_hash) into v_hashes from old;
  if v_hashes is not null then
    perform pathmend.refresh_missing_paths(p_project, v_hashes);
  end if;
  for v_facts in
    select jsonb_agg(jsonb_build_object('project_id', p_project, 'at', f.at, 'raw_path', f.path, 'origin', f.origin,
                                        'referrer', f.referrer, 'visitor', f.visitor, 'outcome', f.outcome, 'n', f.n) order by f.place)
      from (select g.*, t.at, t.n, row_number() over (order by g.first, g.path, t.at) as place
              from (select split_part(split_part(r.raw_path, '?', 1), '#', 1) as path, r.origin,
                           split_part(split_part(r.referrer, '?', 1), '#', 1) as referrer, r.visitor, r.outcome,
                           count(*) as hits, min(r.received_at) as first, max(r.received_at) as last
                      from pathmend.not_founds r
                     where r.project_id = p_project and not r.is_test
                       and (r.received_at at time zone 'UTC')::date between p_week and p_week + 6
                     group by date_trunc('hour', r.received_at, 'UTC'), 1, 2, 3, 4, 5) as g
             cross join lateral (values (g.first, greatest(g.hits - 1, 1)), (g.last, case when g.hits > 1 then 1 end)) as t (at, n)
             where t.n is not null) as f
     group by (f.place - 1) / 5000 order by (f.place - 1) / 5000
  loop
    perform pathmend.count_not_founds(v_facts);
  end loop;
end $$;

-- The same for searches. link_searches makes the links again.
create or replace function pathmend.rebuild_searches(p_project uuid, p_week date) returns void
language plpgsql as $$
declare
  v_facts jsonb;
begin
  perform pathmend.lock_rollups('searches', array[p_project]);
  delete from pathmend.search_days where project_id = p_project and day between p_week and p_week + 6;
  delete from pathmend.position_days where project_id = p_project and day between p_week and p_week + 6;
  delete from pathmend.empty_search_days where project_id = p_project and day between p_week and p_week + 6;
  delete from pathmend.latency_days where project_id = p_project and day between p_week and p_week + 6;
  for v_facts in
    select jsonb_agg(jsonb_build_object('project_id', s.project_id, 'at', s.searched_at, 'kind', s.kind, 'input', s.input,
                                        'understood', s.understood, 'filtered', s.filtered, 'best_score', s.best_score, 'took_ms', s.took_ms,
                                        'scores', (select coalesce(jsonb_agg(r -> 'score'), '[]') from jsonb_array_elements(s.results) as r),
                                        'clicked_rank', s.clicked_rank, 'of_others', s.of_others, 'redirected', s.redirected, 'n', 1))
      from (select r.*, row_number() over (order by r.searched_at, r.search_id) / 2000 as chunk
              from pathmend.searches r
             where r.project_id = p_project and not r.is_test
               and (r.searched_at at time zone 'UTC')::date between p_week and p_week + 6) as s
     group by s.chunk order by s.chunk
  loop
    perform pathmend.count_searches(v_facts);
  end loop;

  insert into pathmend.waiting_links (project_id, search_id, near)
  select p_project, e.search_id, min(e.at)
    from (select n.search_id, n.received_at as at from pathmend.not_founds n
           where n.project_id = p_project and n.search_id is not null
             and (n.received_at at time zone 'UTC')::date between p_week and p_week + 6
          union all
          select c.search_id, c.received_at from pathmend.clicks c
           where c.project_id = p_project and not c.is_test
             and (c.received_at at time zone 'UTC')::date between p_week and p_week + 6) as e
   group by e.search_id
      on conflict do nothing;
end $$;

-- Deletes one project's sums from before a Monday; the rows themselves are dropped by the week.
create or replace function pathmend.drop_old_rollups(p_project uuid, p_before date) returns void
language plpgsql as $$
declare
  v_hashes bytea[];
begin
  perform pathmend.lock_rollups('not_founds', array[p_project]);
  perform pathmend.lock_rollups('searches', array[p_project]);
  delete from pathmend.not_found_days where project_id = p_project and day < p_before;
  delete from pathmend.not_found_hours where project_id = p_project and hour < p_before::timestamp at time zone 'UTC';
  delete from pathmend.referrer_weeks where project_id = p_project and week < p_before;
  delete from pathmend.search_days where project_id = p_project and day < p_before;
  delete from pathmend.position_days where project_id = p_project and day < p_before;
  delete from pathmend.empty_search_days where project_id = p_project and day < p_before;
  delete from pathmend.latency_days where project_id = p_project and day < p_before;
  update pathmend.missing_paths set best_page_id = null, best_url = null, best_score = null, best_at = null
   where project_id = p_project and (best_at at time zone 'UTC')::date < p_before;
  -- Also paths whose days made room for others (make_room.sql).
  with old as (delete from pathmend.path_days where project_id = p_project and day < p_before returning path_hash)
  select array_agg(path_hash) into v_hashes
    from (select path_hash from old
          union select path_hash from pathmend.missing_paths
                 where project_id = p_project and last_seen < p_before::timestamp at time zone 'UTC') as o;
  if v_hashes is not null then
    perform pathmend.refresh_missing_paths(p_project, v_hashes);
  end if;
end $$;
