-- Makes room for paths that people miss when a project has the maximum number of paths with their own row
-- (count_not_founds.sql). The rarest paths move to (other): the rarest twentieth of the project, or the 500 of a day that are
-- the rarest of the project. So no one can hide a frequently missed page behind a hundred thousand others. A new path counts
-- as having had as many 404s as the most frequent path that made room, so a path that keeps coming stays.
-- p_full: [{project_id, day}]. The caller holds the lock of the sums, and has just added to (other).
create or replace function pathmend.make_room(p_full jsonb) returns void
language plpgsql as $$
declare
  v record;
  v_hashes bytea[];
  v_most bigint;
begin
  for v in
    select distinct r.project_id
      from jsonb_array_elements(p_full) as f
      join pathmend.rollups r on r.project_id = (f ->> 'project_id')::uuid and r.what = 'not_founds' and r.paths > 99000
  loop
    with gone as (
      delete from pathmend.missing_paths m
       where m.project_id = v.project_id
         and m.path_hash in (select r.path_hash from pathmend.missing_paths r
                              where r.project_id = v.project_id and r.path_hash <> ''::bytea
                              order by r.people + r.unknown + r.forgotten, r.last_seen
                              limit (select 1 + count(*) / 20 from pathmend.missing_paths a where a.project_id = v.project_id))
      returning m.*),
    others as (
      update pathmend.missing_paths m
         set people = m.people + g.people, unknown = m.unknown + g.unknown, assistants = m.assistants + g.assistants,
             search_engines = m.search_engines + g.search_engines, robots = m.robots + g.robots, scanners = m.scanners + g.scanners,
             redirected = m.redirected + g.redirected, clicked = m.clicked + g.clicked, suggested = m.suggested + g.suggested,
             nothing = m.nothing + g.nothing, gone = m.gone + g.gone, unlinked = m.unlinked + g.unlinked,
             first_seen = least(m.first_seen, g.first_seen), last_seen = greatest(m.last_seen, g.last_seen),
             last_human = greatest(m.last_human, g.last_human)
        from (select sum(people) as people, sum(unknown) as unknown, sum(assistants) as assistants, sum(search_engines) as search_engines,
                     sum(robots) as robots, sum(scanners) as scanners, sum(redirected) as redirected, sum(clicked) as clicked,
                     sum(suggested) as suggested, sum(nothing) as nothing, sum(gone) as gone, sum(unlinked) as unlinked,
                     min(first_seen) as first_seen, max(last_seen) as last_seen, max(last_human) as last_human from gone) as g
       where m.project_id = v.project_id and m.path_hash = ''::bytea and g.people is not null)
    select array_agg(path_hash), max(people + unknown + forgotten) into v_hashes, v_most from gone;
    update pathmend.rollups r set paths = r.paths - coalesce(cardinality(v_hashes), 0), forgotten = greatest(r.forgotten, v_most)
     where r.project_id = v.project_id and r.what = 'not_founds';
    perform pathmend.move_to_other_paths(v.project_id, null, v_hashes);
    with gone as (delete from pathmend.referrer_weeks w where w.project_id = v.project_id and w.path_hash = any (v_hashes) returning w.*)
    insert into pathmend.referrer_weeks as w
           (project_id, week, path_hash, referrer_hash, referrer, own, human, others, first_seen, last_seen)
    select v.project_id, week, ''::bytea, ''::bytea, '(other)', null, sum(human), sum(others), min(first_seen), max(last_seen)
      from gone group by week
    on conflict (project_id, week, path_hash, referrer_hash) do update set
      human = w.human + excluded.human, others = w.others + excluded.others,
      first_seen = least(w.first_seen, excluded.first_seen), last_seen = greatest(w.last_seen, excluded.last_seen);
  end loop;

  for v in select distinct (f ->> 'project_id')::uuid as project_id, (f ->> 'day')::date as day from jsonb_array_elements(p_full) as f loop
    with known as (select distinct d.path_hash from pathmend.path_days d
                    where d.project_id = v.project_id and d.day = v.day and d.path_hash <> ''::bytea)
    select array(select k.path_hash from known k
                   left join pathmend.missing_paths m on m.project_id = v.project_id and m.path_hash = k.path_hash
                  order by m.people + m.unknown + m.forgotten nulls first, m.last_seen limit 500)
      into v_hashes where (select count(*) from known) > 4900;
    perform pathmend.move_to_other_paths(v.project_id, v.day, v_hashes);
  end loop;
end $$;

-- Moves these paths' sums of a day, or of all days, to (other).
create or replace function pathmend.move_to_other_paths(p_project uuid, p_day date, p_hashes bytea[]) returns void
language sql as $$
  with gone as (
    delete from pathmend.path_days d
     where d.project_id = p_project and d.path_hash = any (p_hashes) and (p_day is null or d.day = p_day)
    returning d.*)
  insert into pathmend.path_days as d
         (project_id, day, path_hash, visitor, hits, redirected, clicked, suggested, nothing, gone, unlinked, first_seen, last_seen)
  select p_project, g.day, ''::bytea, g.visitor, sum(g.hits), sum(g.redirected), sum(g.clicked), sum(g.suggested), sum(g.nothing),
         sum(g.gone), sum(g.unlinked), min(g.first_seen), max(g.last_seen)
    from gone g group by g.day, g.visitor
  on conflict (project_id, day, path_hash, visitor) do update set
    hits = d.hits + excluded.hits, redirected = d.redirected + excluded.redirected, clicked = d.clicked + excluded.clicked,
    suggested = d.suggested + excluded.suggested, nothing = d.nothing + excluded.nothing, gone = d.gone + excluded.gone,
    unlinked = d.unlinked + excluded.unlinked,
    first_seen = least(d.first_seen, excluded.first_seen), last_seen = greatest(d.last_seen, excluded.last_seen)
$$;
