-- Pages that send visitors to missing paths.
create view analytics.referrers with (security_barrier) as
select p.project_id,
       p.project,
       r.week,
       r.referrer,
       substring(lower(r.referrer) from '^https?://(?:[^/?#@]*@)?([^/?#:]+)') as host,
       r.own,
       m.path,
       r.human as people,
       r.others,
       r.first_seen,
       r.last_seen,
       r.path_hash
  from analytics.accessible_projects p
  join pathmend.referrer_weeks r on r.project_id = p.project_id
  -- Outer: a query that names no path reads no paths.
  left join pathmend.missing_paths m on m.project_id = r.project_id and m.path_hash = r.path_hash;
comment on view analytics.referrers is
  'Pages that link to missing paths, by week. At most twenty for each path, and 5,000 for each project and week. Without test keys.';
comment on column analytics.referrers.project_id is 'Id of the project.';
comment on column analytics.referrers.project is 'Name of the project.';
comment on column analytics.referrers.week is 'Monday of the UTC week.';
comment on column analytics.referrers.referrer is 'Url without query string; (other): sum of those beyond the limits.';
comment on column analytics.referrers.host is 'Host of the referrer.';
comment on column analytics.referrers.own is
  'Whether the referrer is on the host of the 404, or of a page of the project; null: the 404s had no origin, and no page is on its host.';
comment on column analytics.referrers.path is 'The missing path.';
comment on column analytics.referrers.people is '404s of people with this referrer.';
comment on column analytics.referrers.others is '404s of others with this referrer.';
comment on column analytics.referrers.first_seen is 'The first 404.';
comment on column analytics.referrers.last_seen is 'The latest 404.';
comment on column analytics.referrers.path_hash is 'SHA-256 of the path: grouping by it is faster than by the path. Empty: of (other).';
