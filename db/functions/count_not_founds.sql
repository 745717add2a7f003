-- Adds 404s of live keys to the sums, or subtracts them. p_facts: [{project_id, at, raw_path, origin, referrer, visitor,
-- outcome, plain, n}]. n is 1, or -1 for the old state of a row that changes but keeps its time. plain: hex of
-- missing_paths.plain_hash, if known.
--
-- Callers choose paths, origins and referrers. So each table has a limit of rows for each project and day (or week), and one
-- row, (other), for the rest. Robots may open only the first fifth of the rows, so scanners leave room for paths that people
-- miss. When people miss more paths than fit, the rarest make room for the next batch (make_room.sql). Facts that add nothing
-- open no row: the path's sums were moved to the rest.
create or replace function pathmend.count_not_founds(p_facts jsonb) returns void
language plpgsql as $$
declare
  v_full jsonb;
begin
  perform pathmend.lock_rollups('not_founds', array(select distinct (f ->> 'project_id')::uuid from jsonb_array_elements(p_facts) as f));

  with f as materialized (
    select i.project_id, i.at, i.n, i.plain,
           (i.at at time zone 'UTC')::date as day,
           date_trunc('week', i.at at time zone 'UTC')::date as week,
           split_part(split_part(i.raw_path, '?', 1), '#', 1) as path,
           sha256(convert_to(split_part(split_part(i.raw_path, '?', 1), '#', 1), 'UTF8')) as hash,
           -- At most 240 characters of a host. A bound in the expression itself ({1,240}) takes 36 us for each event, not 3.
           coalesce(left(substring(lower(i.origin) from '^https?://[^/?#]+'), position('://' in i.origin) + 242), '') as origin,
           nullif(left(split_part(split_part(i.referrer, '?', 1), '#', 1), 1000), '') as referrer,
           i.visitor, i.outcome, i.visitor in ('person', 'unknown') as human
      from jsonb_to_recordset(p_facts) as i
           (project_id uuid, at timestamptz, raw_path text, origin text, referrer text, visitor text, outcome text, plain text, n int)),

  -- Decides which paths have their own row.
  seen as materialized (
    select g.*,
           exists (select from pathmend.path_days d
                    where d.project_id = g.project_id and d.day = g.day and d.path_hash = g.hash) as today,
           exists (select from pathmend.missing_paths m where m.project_id = g.project_id and m.path_hash = g.hash) as ever
      from (select project_id, day, hash, bool_or(human) as human, sum(n) as hits from f group by 1, 2, 3) as g),
  days as materialized (
    select s.project_id, s.day,
           (select count(*) from (select distinct d.path_hash from pathmend.path_days d
                                   where d.project_id = s.project_id and d.day = s.day and d.path_hash <> ''::bytea) as known) as paths
      from (select project_id, day from seen where not today group by 1, 2) as s),
  placed as materialized (
    select s.project_id, s.day, s.hash, s.human and s.hits > 0 as missed,
           s.today
           or (s.hits > 0
               and d.paths + row_number() over (partition by s.project_id, s.day, s.today order by s.human desc, s.hits desc, s.hash)
                 <= case when s.human then 5000 else 1000 end
               and (s.ever
                    or r.paths + row_number() over (partition by s.project_id, s.ever order by s.human desc, s.hits desc, s.hash)
                       <= case when s.human then 100000 else 20000 end)) as own
      from seen s
      join pathmend.rollups r on r.project_id = s.project_id and r.what = 'not_founds'
      left join days d on d.project_id = s.project_id and d.day = s.day),
  p as materialized (
    select f.*, case when l.own then f.hash else ''::bytea end as path_hash
      from f join placed l on l.project_id = f.project_id and l.day = f.day and l.hash = f.hash),

  path_days as (
    insert into pathmend.path_days as d
           (project_id, day, path_hash, visitor, hits, redirected, clicked, suggested, nothing, gone, unlinked, first_seen, last_seen)
    select project_id, day, path_hash, visitor, sum(n),
           coalesce(sum(n) filter (where outcome = 'redirected'), 0), coalesce(sum(n) filter (where outcome = 'clicked'), 0),
           coalesce(sum(n) filter (where outcome = 'suggested'), 0), coalesce(sum(n) filter (where outcome = 'nothing'), 0),
           coalesce(sum(n) filter (where outcome = 'gone'), 0), coalesce(sum(n) filter (where outcome = 'unlinked'), 0),
           min(at), max(at)
      from p group by 1, 2, 3, 4
    on conflict (project_id, day, path_hash, visitor) do update set
      hits = d.hits + excluded.hits,
      redirected = d.redirected + excluded.redirected, clicked = d.clicked + excluded.clicked,
      suggested = d.suggested + excluded.suggested, nothing = d.nothing + excluded.nothing,
      gone = d.gone + excluded.gone, unlinked = d.unlinked + excluded.unlinked,
      first_seen = least(d.first_seen, excluded.first_seen), last_seen = greatest(d.last_seen, excluded.last_seen)),

  paths as (
    insert into pathmend.missing_paths as m
           (project_id, path_hash, path, plain_hash, people, unknown, assistants, search_engines, robots, scanners,
            redirected, clicked, suggested, nothing, gone, unlinked, first_seen, last_seen, last_human, forgotten)
    select p.project_id, path_hash, case when path_hash = ''::bytea then '(other)' else min(path) end,
           case when path_hash <> ''::bytea then decode(min(plain), 'hex') end,
           coalesce(sum(n) filter (where visitor = 'person'), 0), coalesce(sum(n) filter (where visitor = 'unknown'), 0),
           coalesce(sum(n) filter (where visitor = 'assistant'), 0), coalesce(sum(n) filter (where visitor = 'search_engine'), 0),
           coalesce(sum(n) filter (where visitor = 'robot'), 0), coalesce(sum(n) filter (where visitor = 'scanner'), 0),
           coalesce(sum(n) filter (where human and outcome = 'redirected'), 0), coalesce(sum(n) filter (where human and outcome = 'clicked'), 0),
           coalesce(sum(n) filter (where human and outcome = 'suggested'), 0), coalesce(sum(n) filter (where human and outcome = 'nothing'), 0),
           coalesce(sum(n) filter (where human and outcome = 'gone'), 0), coalesce(sum(n) filter (where human and outcome = 'unlinked'), 0),
           min(at), max(at), max(at) filter (where human), case when path_hash <> ''::bytea then min(r.forgotten) else 0 end
      from p join pathmend.rollups r on r.project_id = p.project_id and r.what = 'not_founds' group by 1, 2
    on conflict (project_id, path_hash) do update set
      plain_hash = coalesce(m.plain_hash, excluded.plain_hash),
      people = m.people + excluded.people, unknown = m.unknown + excluded.unknown,
      assistants = m.assistants + excluded.assistants, search_engines = m.search_engines + excluded.search_engines,
      robots = m.robots + excluded.robots, scanners = m.scanners + excluded.scanners,
      redirected = m.redirected + excluded.redirected, clicked = m.clicked + excluded.clicked,
      suggested = m.suggested + excluded.suggested, nothing = m.nothing + excluded.nothing,
      gone = m.gone + excluded.gone, unlinked = m.unlinked + excluded.unlinked,
      first_seen = least(m.first_seen, excluded.first_seen), last_seen = greatest(m.last_seen, excluded.last_seen),
      last_human = greatest(m.last_human, excluded.last_human)
    returning m.project_id, xmax = 0 as is_new),
  counted as (
    update pathmend.rollups r set paths = r.paths + a.added
      from (select project_id, count(*) as added from paths where is_new group by 1) as a
     where r.project_id = a.project_id and r.what = 'not_founds'),

  origins as (
    select o.project_id, o.day, o.origin,
           o.is_known or o.known + row_number() over (partition by o.project_id, o.day, o.is_known order by o.origin) <= 20 as own
      from (select g.*,
                   g.origin = '' or exists (select from pathmend.not_found_days d
                     where d.project_id = g.project_id and d.day = g.day and d.origin = g.origin) as is_known,
                   (select count(distinct d.origin) from pathmend.not_found_days d
                     where d.project_id = g.project_id and d.day = g.day and d.origin not in ('', '(other)')) as known
              from (select distinct project_id, day, origin from f) as g) as o),
  days_of_origins as (
    insert into pathmend.not_found_days as d (project_id, day, origin, visitor, outcome, hits)
    select f.project_id, f.day, case when o.own then f.origin else '(other)' end, f.visitor, f.outcome, sum(f.n)
      from f join origins o on o.project_id = f.project_id and o.day = f.day and o.origin = f.origin
     group by 1, 2, 3, 4, 5
    on conflict (project_id, day, origin, visitor, outcome) do update set hits = d.hits + excluded.hits),

  hours as (
    insert into pathmend.not_found_hours as h (project_id, hour, hits)
    select project_id, date_trunc('hour', at, 'UTC'), sum(n) from f where human group by 1, 2
    on conflict (project_id, hour) do update set hits = h.hits + excluded.hits),

  sites as materialized (
    select s.project_id, pathmend.hosts_of(s.project_id) as hosts
      from (select distinct project_id from p where referrer is not null) as s),
  links as (
    select p.project_id, week, path_hash, sha256(convert_to(referrer, 'UTF8')) as referrer_hash, min(referrer) as referrer,
           bool_or(case when referrer like '/%' or pathmend.host_of(referrer) = any (s.hosts) then true
                        when origin <> '' then coalesce(pathmend.host_of(referrer) = pathmend.host_of(origin), false) end) as own,
           bool_or(human) as by_human,
           coalesce(sum(n) filter (where human), 0) as human, coalesce(sum(n) filter (where not human), 0) as others,
           min(at) as first_seen, max(at) as last_seen
      from p join sites s on s.project_id = p.project_id where referrer is not null
     group by 1, 2, 3, 4
    having sum(n) <> 0),
  known_links as (
    select l.*,
           exists (select from pathmend.referrer_weeks w where w.project_id = l.project_id and w.week = l.week
                      and w.path_hash = l.path_hash and w.referrer_hash = l.referrer_hash) as is_known,
           (select count(*) from pathmend.referrer_weeks w
             where w.project_id = l.project_id and w.week = l.week and w.path_hash = l.path_hash) as of_path,
           case when row_number() over (partition by l.project_id, l.week) = 1 then
             (select count(*) from pathmend.referrer_weeks w where w.project_id = l.project_id and w.week = l.week) end as of_week
      from links l),
  ranked_links as (
    select k.*,
           k.of_path + row_number() over (partition by k.project_id, k.week, k.path_hash, k.is_known order by k.by_human desc, k.referrer_hash) as in_path,
           max(k.of_week) over (partition by k.project_id, k.week)
             + row_number() over (partition by k.project_id, k.week, k.is_known order by k.by_human desc, k.referrer_hash) as in_week
      from known_links k),
  placed_links as (
    select r.*, r.is_known or (r.in_path <= 20 and r.in_week <= case when r.by_human then 5000 else 1000 end) as is_own,
           r.in_week <= 5000 as fits
      from ranked_links r),
  weeks as (
    insert into pathmend.referrer_weeks as w
           (project_id, week, path_hash, referrer_hash, referrer, own, human, others, first_seen, last_seen)
    select project_id, week, case when is_own or fits then path_hash else ''::bytea end,
           case when is_own then referrer_hash else ''::bytea end,
           case when is_own then min(referrer) else '(other)' end,
           case when is_own then bool_or(own) end,
           sum(human), sum(others), min(first_seen), max(last_seen)
      from placed_links group by 1, 2, 3, 4, is_own
    on conflict (project_id, week, path_hash, referrer_hash) do update set
      own = coalesce(w.own or excluded.own, w.own, excluded.own),
      human = w.human + excluded.human, others = w.others + excluded.others,
      first_seen = least(w.first_seen, excluded.first_seen), last_seen = greatest(w.last_seen, excluded.last_seen))
  select jsonb_agg(distinct jsonb_build_object('project_id', l.project_id, 'day', l.day)) into v_full
    from placed l where l.missed and not l.own;
  if v_full is not null then
    perform pathmend.make_room(v_full);
  end if;

  if jsonb_path_exists(p_facts, '$[*] ? (@.n < 0)') then
    delete from pathmend.not_found_days d
     using (select distinct (f ->> 'project_id')::uuid as project_id, ((f ->> 'at')::timestamptz at time zone 'UTC')::date as day
              from jsonb_array_elements(p_facts) as f) as t
     where d.project_id = t.project_id and d.day = t.day and d.hits = 0;
  end if;
end $$;
