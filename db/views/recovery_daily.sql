-- Outcomes of 404s of people, by day and origin.
create view analytics.recovery_daily with (security_barrier) as
select p.project_id, p.project, x.*
  from analytics.accessible_projects p
 cross join lateral (
   select d.day,
          nullif(d.origin, '') as origin,
          d.visitor,
          sum(d.hits)::bigint as hits,
          coalesce(sum(d.hits) filter (where d.outcome in ('redirected', 'clicked')), 0)::bigint as recovered,
          coalesce(sum(d.hits) filter (where d.outcome = 'redirected'), 0)::bigint as redirected,
          coalesce(sum(d.hits) filter (where d.outcome = 'clicked'), 0)::bigint as clicked,
          coalesce(sum(d.hits) filter (where d.outcome = 'suggested'), 0)::bigint as suggested,
          coalesce(sum(d.hits) filter (where d.outcome = 'nothing'), 0)::bigint as nothing,
          coalesce(sum(d.hits) filter (where d.outcome = 'gone'), 0)::bigint as gone,
          coalesce(sum(d.hits) filter (where d.outcome = 'unlinked'), 0)::bigint as unlinked,
          -- Judgements are counted by path, and paths not by origin: they are those of the only origin that redirected.
          (coalesce(sum(d.hits) filter (where d.outcome = 'clicked'), 0)
            + case when coalesce(min(j.confirmed), 0) = 0 or sum(d.hits) filter (where d.outcome = 'redirected') is null then 0
                 when count(sum(d.hits) filter (where d.outcome = 'redirected')) over origins = 1 then min(j.confirmed) end)::bigint as confirmed,
          case when coalesce(min(j.contradicted), 0) = 0 or sum(d.hits) filter (where d.outcome = 'redirected') is null then 0
                 when count(sum(d.hits) filter (where d.outcome = 'redirected')) over origins = 1 then min(j.contradicted) end::bigint as contradicted
     from pathmend.not_found_days d
     -- One row a day and visitor: a query that asks for neither column reads no judgements.
     left join (select g.day, g.visitor, sum(g.redirected_right) as confirmed, sum(g.redirected_wrong) as contradicted
                  from analytics.judged_daily g where g.project_id = p.project_id
                 group by 1, 2) as j on j.day = d.day and j.visitor = d.visitor
    where d.project_id = p.project_id and d.visitor in ('person', 'unknown')
    group by 1, 2, 3
   window origins as (partition by d.day, d.visitor)) as x;
comment on view analytics.recovery_daily is 'Outcomes of 404s of people, by UTC day and origin. recovery_daily_all has all visitors. Without test keys.';
comment on column analytics.recovery_daily.project_id is 'Id of the project.';
comment on column analytics.recovery_daily.project is 'Name of the project.';
comment on column analytics.recovery_daily.day is 'UTC day of the 404.';
comment on column analytics.recovery_daily.origin is 'Scheme and host of the site; null if unknown; (other): sum of those beyond twenty origins a day.';
comment on column analytics.recovery_daily.visitor is
  'person, or unknown (no user agent). Both count as people.';
comment on column analytics.recovery_daily.hits is '404s of people.';
comment on column analytics.recovery_daily.recovered is '404s that were redirected, or whose visitor clicked a suggestion.';
comment on column analytics.recovery_daily.redirected is '404s that were redirected.';
comment on column analytics.recovery_daily.clicked is '404s whose visitor clicked a suggestion.';
comment on column analytics.recovery_daily.suggested is '404s with suggestions, but without a click.';
comment on column analytics.recovery_daily.nothing is '404s without a suggestion.';
comment on column analytics.recovery_daily.gone is '404s on paths that are gone for good.';
comment on column analytics.recovery_daily.unlinked is '404s whose outcome is unknown.';
comment on column analytics.recovery_daily.confirmed is
  '404s recovered for sure: as in recovery_by_path. Null: judged paths were redirected on a day on which several origins redirected.';
comment on column analytics.recovery_daily.contradicted is
  '404s that were redirected, wrongly: as in recovery_by_path. Null as confirmed.';
