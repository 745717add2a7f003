-- Adds searches of live keys to the sums, or subtracts them. p_facts: [{project_id, at, kind, input, understood, filtered,
-- best_score, scores, took_ms, clicked_rank, of_others, redirected, n}]; n as in count_not_founds.
create or replace function pathmend.count_searches(p_facts jsonb) returns void
language plpgsql as $$
begin
  perform pathmend.lock_rollups('searches', array(select distinct (f ->> 'project_id')::uuid from jsonb_array_elements(p_facts) as f));

  with f as materialized (
    select i.project_id, i.at, i.kind, i.input, i.understood, i.filtered, i.best_score, i.scores, i.took_ms, i.clicked_rank, i.n,
           i.of_others, i.redirected,
           (i.at at time zone 'UTC')::date as day, jsonb_array_length(i.scores) = 0 as is_empty,
           case when i.best_score is null then -1 else least(9, floor(i.best_score * 10)) end::smallint as band
      from jsonb_to_recordset(p_facts) as i
           (project_id uuid, at timestamptz, kind text, input text, understood text, filtered boolean,
            best_score double precision, scores jsonb, took_ms double precision, clicked_rank bigint, of_others boolean, redirected boolean, n int)),
  search_days as (
    insert into pathmend.search_days as d (project_id, day, kind, band, searches, clicked, filtered, redirected,
                                           others, others_clicked, others_redirected)
    select project_id, day, kind, band, sum(n), coalesce(sum(n) filter (where clicked_rank is not null), 0),
           coalesce(sum(n) filter (where filtered), 0), coalesce(sum(n) filter (where redirected), 0),
           coalesce(sum(n) filter (where of_others), 0), coalesce(sum(n) filter (where of_others and clicked_rank is not null), 0),
           coalesce(sum(n) filter (where of_others and redirected), 0)
      from f group by 1, 2, 3, 4
    on conflict (project_id, day, kind, band) do update set
      searches = d.searches + excluded.searches, clicked = d.clicked + excluded.clicked, filtered = d.filtered + excluded.filtered,
      redirected = d.redirected + excluded.redirected, others = d.others + excluded.others,
      others_clicked = d.others_clicked + excluded.others_clicked,
      others_redirected = d.others_redirected + excluded.others_redirected),

  positions as (
    select f.project_id, f.day, f.kind, f.of_others, least(s.place, 10)::smallint as position, least(9, floor(s.score::float8 * 10))::smallint as band,
           f.n as shown, case when f.clicked_rank = s.place then f.n else 0 end as clicked
      from f cross join jsonb_array_elements_text(f.scores) with ordinality as s (score, place)
     -- A redirected visitor sees no suggestions.
     where not f.redirected
     union all
    select f.project_id, f.day, f.kind, f.of_others, least(f.clicked_rank, 10)::smallint, -1, 0, f.n
      from f where f.clicked_rank > jsonb_array_length(f.scores) and not f.redirected),
  position_days as (
    insert into pathmend.position_days as d (project_id, day, kind, position, band, shown, clicked, others_shown, others_clicked)
    select project_id, day, kind, position, band, sum(shown), sum(clicked),
           coalesce(sum(shown) filter (where of_others), 0), coalesce(sum(clicked) filter (where of_others), 0)
      from positions group by 1, 2, 3, 4, 5
    having sum(shown) <> 0 or sum(clicked) <> 0 or coalesce(sum(shown) filter (where of_others), 0) <> 0
        or coalesce(sum(clicked) filter (where of_others), 0) <> 0
    on conflict (project_id, day, kind, position, band) do update set
      shown = d.shown + excluded.shown, clicked = d.clicked + excluded.clicked,
      others_shown = d.others_shown + excluded.others_shown, others_clicked = d.others_clicked + excluded.others_clicked),

  latency_days as (
    insert into pathmend.latency_days as d (project_id, day, kind, bucket, searches, others)
    select project_id, day, kind, least(100, greatest(-40, floor(20 * log(greatest(took_ms, 1e-3)))))::smallint, sum(n),
           coalesce(sum(n) filter (where of_others), 0)
      from f group by 1, 2, 3, 4 having sum(n) <> 0 or coalesce(sum(n) filter (where of_others), 0) <> 0
    on conflict (project_id, day, kind, bucket) do update set
      searches = d.searches + excluded.searches, others = d.others + excluded.others),

  empty as (
    select project_id, day, kind, sha256(convert_to(understood, 'UTF8')) as hash, min(understood) as understood, min(input) as input,
           sum(n) as searches, coalesce(sum(n) filter (where of_others), 0) as others, max(at) as last_searched
      from f where is_empty and not filtered group by 1, 2, 3, 4
    having sum(n) <> 0 or coalesce(sum(n) filter (where of_others), 0) <> 0),
  placed as (
    select e.*,
           e.is_known or e.known + row_number() over (partition by e.project_id, e.day, e.is_known order by e.hash) <= 1000 as own
      from (select m.*,
                   exists (select from pathmend.empty_search_days d where d.project_id = m.project_id and d.day = m.day
                              and d.kind = m.kind and d.query_hash = m.hash) as is_known,
                   max(case when m.of_day = 1 then
                     (select count(*) from pathmend.empty_search_days d where d.project_id = m.project_id and d.day = m.day) end)
                     over (partition by m.project_id, m.day) as known
              from (select x.*, row_number() over (partition by x.project_id, x.day) as of_day from empty x) as m) as e)
  insert into pathmend.empty_search_days as d
         (project_id, day, kind, query_hash, understood, example_input, searches, others, last_searched)
  select project_id, day, kind, case when own then hash else ''::bytea end,
         case when own then min(understood) else '(other)' end, min(input), sum(searches), sum(others), max(last_searched)
    from placed group by 1, 2, 3, 4, own
  on conflict (project_id, day, kind, query_hash) do update set
    searches = d.searches + excluded.searches, others = d.others + excluded.others, example_input = least(d.example_input, excluded.example_input),
    last_searched = greatest(d.last_searched, excluded.last_searched);

  if jsonb_path_exists(p_facts, '$[*] ? (@.n < 0)') then
    delete from pathmend.position_days d
     using (select distinct (f ->> 'project_id')::uuid as project_id, ((f ->> 'at')::timestamptz at time zone 'UTC')::date as day
              from jsonb_array_elements(p_facts) as f) as t
     where d.project_id = t.project_id and d.day = t.day and d.shown = 0 and d.clicked = 0;
  end if;
end $$;
