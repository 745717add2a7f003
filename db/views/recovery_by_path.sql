-- recovery_by_path_all, of people.
create view analytics.recovery_by_path with (security_barrier) as
select a.project_id, a.project, a.day, a.path, a.visitor, a.hits, a.recovered, a.redirected, a.clicked, a.suggested, a.nothing,
       a.gone, a.unlinked, a.last_seen, a.confirmed, a.contradicted, a.path_hash
  from analytics.recovery_by_path_all a
 where a.visitor in ('person', 'unknown');
comment on view analytics.recovery_by_path is
  'Outcomes of 404s of people, by UTC day and path. recovery_by_path_all has all visitors. 5,000 paths a day have rows of their own. Without test keys.';
comment on column analytics.recovery_by_path.project_id is 'Id of the project.';
comment on column analytics.recovery_by_path.project is 'Name of the project.';
comment on column analytics.recovery_by_path.day is 'UTC day of the 404.';
comment on column analytics.recovery_by_path.path is 'Path without query string; (other): sum of the paths without a row of their own.';
comment on column analytics.recovery_by_path.visitor is 'Same values as in recovery_daily.';
comment on column analytics.recovery_by_path.hits is '404s of people.';
comment on column analytics.recovery_by_path.recovered is '404s that were redirected, or whose visitor clicked a suggestion.';
comment on column analytics.recovery_by_path.redirected is '404s that were redirected.';
comment on column analytics.recovery_by_path.clicked is '404s whose visitor clicked a suggestion.';
comment on column analytics.recovery_by_path.suggested is '404s with suggestions, but without a click.';
comment on column analytics.recovery_by_path.nothing is '404s without a suggestion.';
comment on column analytics.recovery_by_path.gone is '404s on a path that is gone for good.';
comment on column analytics.recovery_by_path.unlinked is '404s whose outcome is unknown.';
comment on column analytics.recovery_by_path.last_seen is 'The latest 404.';
comment on column analytics.recovery_by_path.confirmed is
  '404s recovered for sure: with a click, or redirected where the latest judgement of the path is right. The other redirects are not known.';
comment on column analytics.recovery_by_path.contradicted is
  '404s that were redirected up to the day on which the latest judgement of the path is wrong.';
comment on column analytics.recovery_by_path.path_hash is 'SHA-256 of the path: grouping by it is faster than by the path. Empty: of (other).';
