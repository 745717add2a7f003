-- Which pages send visitors to missing paths.
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
       r.last_seen
  from analytics.accessible_projects p
  join pathmend.referrer_weeks r on r.project_id = p.project_id
  join pathmend.missing_paths m on m.project_id = r.project_id and m.path_hash = r.path_hash;
comment on view analytics.referrers is
  'Pages that link to missing paths, by week: twenty a path, 5,000 a project and week. Test keys left out.';
comment on column analytics.referrers.project_id is 'Id of the project.';
comment on column analytics.referrers.project is 'Name of the project.';
comment on column analytics.referrers.week is 'Monday of the UTC week.';
comment on column analytics.referrers.referrer is 'Url without query string; (other): those beyond.';
comment on column analytics.referrers.host is 'Host of the referrer.';
comment on column analytics.referrers.own is 'Whether it is the site''s own; null: the 404s did not tell their origin.';
comment on column analytics.referrers.path is 'The missing path.';
comment on column analytics.referrers.people is '404s of people who came from there.';
comment on column analytics.referrers.others is '404s of others who named it.';
comment on column analytics.referrers.first_seen is 'The first of them.';
comment on column analytics.referrers.last_seen is 'The latest of them.';
