-- Links searches to the clicks and 404s that name them. The search gets the clicked rank, its kind of visitor, and whether it
-- ended in a redirect; the 404 gets its outcome; the path gets its best suggestion; the sums follow. Takes p_limit of the
-- waiting links after a key. What is linked already stays. Links whose search is missing wait for up to p_patience; after
-- that, their search_id belongs to no search.
create or replace function pathmend.link_searches(
  inout p_project uuid, inout p_search uuid, p_limit int, p_patience interval, out p_waiting bigint)
language plpgsql as $$
declare
  v_projects uuid[];
  v_searches uuid[];
  v_found uuid[];
  v_from date;
  v_to date;
  v_facts jsonb;
begin
  with w as (select * from pathmend.waiting_links w
              where (w.project_id, w.search_id) > (p_project, p_search)
              order by w.project_id, w.search_id limit p_limit for update skip locked)
  select array_agg(w.project_id order by w.project_id, w.search_id), array_agg(w.search_id order by w.project_id, w.search_id),
         (min(w.near) at time zone 'UTC')::date - 8, (max(w.near) at time zone 'UTC')::date + 8
    into v_projects, v_searches, v_from, v_to from w;
  p_waiting := 0;
  if v_projects is null then
    p_project := null;
    p_search := null;
    return;
  end if;
  p_project := v_projects[cardinality(v_projects)];
  p_search := v_searches[cardinality(v_searches)];
  perform pathmend.lock_rollups('not_founds', v_projects);
  perform pathmend.lock_rollups('searches', v_projects);

  with s as materialized (
    select s.* from unnest(v_projects, v_searches) as l (project_id, search_id)
      join pathmend.searches s on s.project_id = l.project_id and s.search_id = l.search_id
       and (s.searched_at at time zone 'UTC')::date between v_from and v_to),
  c as materialized (
    select s.project_id, s.search_id, min(c.clicked_rank) as rank
      from s join pathmend.clicks c on c.project_id = s.project_id and c.search_id = s.search_id
       and (c.received_at at time zone 'UTC')::date between v_from and v_to + 8
       and (c.received_at at time zone 'UTC')::date between (s.searched_at at time zone 'UTC')::date
                                                        and (s.searched_at at time zone 'UTC')::date + 7
     where not c.is_test and not s.is_test
     group by 1, 2),
  n as materialized (
    select s.project_id, s.search_id, bool_or(n.visitor not in ('person', 'unknown')) as of_others,
           bool_or(n.outcome = 'redirected') as redirected
      from s join pathmend.not_founds n on n.project_id = s.project_id and n.search_id = s.search_id
       and (n.received_at at time zone 'UTC')::date between v_from - 8 and v_to + 8
     where not n.is_test and not s.is_test
     group by 1, 2),
  known as (
    select s.*, coalesce(c.rank, s.clicked_rank) as new_rank, coalesce(n.of_others, s.of_others) as new_others,
           s.redirected or coalesce(n.redirected, false) as new_redirected
      from s
      left join c on c.project_id = s.project_id and c.search_id = s.search_id
      left join n on n.project_id = s.project_id and n.search_id = s.search_id),
  changed as (
    update pathmend.searches x set clicked_rank = k.new_rank, of_others = k.new_others, redirected = k.new_redirected
      from known k
     where x.project_id = k.project_id and x.search_id = k.search_id and x.searched_at = k.searched_at
       and (x.searched_at at time zone 'UTC')::date between v_from and v_to
       and (x.clicked_rank, x.of_others, x.redirected) is distinct from (k.new_rank, k.new_others, k.new_redirected)
    returning k.project_id, k.search_id, k.new_rank, k.new_others, k.new_redirected)
  select (select array_agg(s.search_id) from s),
         (select jsonb_agg(jsonb_build_object(
                   'project_id', s.project_id, 'at', s.searched_at, 'kind', s.kind, 'input', s.input, 'understood', s.understood,
                   'filtered', s.filtered, 'best_score', s.best_score, 'took_ms', s.took_ms,
                   'scores', (select coalesce(jsonb_agg(r -> 'score'), '[]') from jsonb_array_elements(s.results) as r),
                   'clicked_rank', case n when 1 then t.new_rank else s.clicked_rank end,
                   'of_others', case n when 1 then t.new_others else s.of_others end,
                   'redirected', case n when 1 then t.new_redirected else s.redirected end, 'n', n))
            from changed t join s on s.project_id = t.project_id and s.search_id = t.search_id
           cross join unnest(array[-1, 1]) as n
           where not s.is_test)
    into v_found, v_facts;
  if v_facts is not null then
    perform pathmend.count_searches(v_facts);
  end if;

  with linked as materialized (
    select n.project_id, n.event_id, n.received_at, n.raw_path, n.origin, n.referrer, n.visitor, n.outcome, n.is_test,
           s.searched_at, s.results,
           case when n.visitor in ('robot', 'scanner') then 'robot'
                when n.outcome in ('redirected', 'nothing', 'gone') then n.outcome
                when s.clicked_rank is not null then 'clicked'
                when n.outcome = 'suggested' then n.outcome
                when s.redirected then 'redirected'
                when jsonb_array_length(s.results) > 0 then 'suggested'
                else 'nothing' end as new
      from unnest(v_projects, v_searches) as l (project_id, search_id)
      join pathmend.searches s on s.project_id = l.project_id and s.search_id = l.search_id
       and (s.searched_at at time zone 'UTC')::date between v_from and v_to
      join pathmend.not_founds n on n.project_id = l.project_id and n.search_id = l.search_id
       and (n.received_at at time zone 'UTC')::date between v_from - 8 and v_to + 8),
  changed as (
    update pathmend.not_founds x set outcome = l.new
      from linked l
     where x.project_id = l.project_id and x.event_id = l.event_id and x.received_at = l.received_at
       and (x.received_at at time zone 'UTC')::date between v_from - 8 and v_to + 8
       and x.outcome is distinct from l.new),
  best as (
    update pathmend.missing_paths m
       set best_page_id = b.best ->> 'page_id', best_url = b.best ->> 'url', best_score = (b.best ->> 'score')::float8, best_at = b.searched_at
      from (select distinct on (l.project_id, path) l.project_id, sha256(convert_to(path, 'UTF8')) as hash, l.searched_at, l.results -> 0 as best
              from linked l cross join lateral (select split_part(split_part(l.raw_path, '?', 1), '#', 1) as path) as p
             where not l.is_test and jsonb_array_length(l.results) > 0
             order by l.project_id, path, l.searched_at desc) as b
     where m.project_id = b.project_id and m.path_hash = b.hash and (m.best_at is null or m.best_at < b.searched_at))
  select jsonb_agg(jsonb_build_object(
           'project_id', l.project_id, 'at', l.received_at, 'raw_path', l.raw_path, 'origin', l.origin, 'referrer', l.referrer,
           'visitor', l.visitor, 'outcome', case n when 1 then l.new else l.outcome end, 'n', n))
    into v_facts
    from linked l cross join unnest(array[-1, 1]) as n
   where not l.is_test and l.outcome is distinct from l.new;
  if v_facts is not null then
    perform pathmend.count_not_founds(v_facts);
  end if;

  delete from pathmend.waiting_links w
   using unnest(v_projects, v_searches) as l (project_id, search_id)
   where w.project_id = l.project_id and w.search_id = l.search_id
     and (w.search_id = any (v_found) or w.added_at < now() - p_patience);
  p_waiting := (select count(*) from unnest(v_projects, v_searches) as l (project_id, search_id)
                  join pathmend.waiting_links w using (project_id, search_id));
end $$;
