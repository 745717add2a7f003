-- recovery_daily_all, of people.
create view analytics.recovery_daily with (security_barrier) as
select a.project_id, a.project, a.day, a.origin, a.visitor, a.hits, a.recovered, a.redirected, a.clicked, a.suggested, a.nothing,
       a.gone, a.unlinked, a.confirmed, a.contradicted
  from analytics.recovery_daily_all a
 where a.visitor in ('person', 'unknown');
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
