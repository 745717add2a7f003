-- How many pages of a project searches can find.
create view analytics.index_health with (security_barrier) as
select p.project_id,
       p.project,
       coalesce(c.pages, 0) as pages,
       coalesce(c.indexed, 0) as indexed,
       coalesce(c.waiting, 0) as waiting,
       coalesce(c.failed, 0) as failed,
       w.oldest as waiting_since,
       i.latest as last_indexed_at,
       v.version as index_version,
       v.words
  from analytics.accessible_projects p
 cross join lateral (
   select count(*) as pages,
          count(*) filter (where g.status = 'INDEXED') as indexed,
          count(*) filter (where g.status in ('PENDING_VECTORIZATION', 'PROCESSING')) as waiting,
          count(*) filter (where g.status = 'ERROR') as failed
     from pathmend.pages g where g.project_id = p.project_id) as c
 cross join lateral (
   select min(g.status_at) as oldest from pathmend.pages g
    where g.project_id = p.project_id and g.status in ('PENDING_VECTORIZATION', 'PROCESSING')) as w
 cross join lateral (
   select (select x.indexed_at from pathmend.indexed_pages x
            where x.project_id = p.project_id and x.indexed_at is not null order by x.arrival desc limit 1) as latest) as i
  left join pathmend.index_versions v on v.project_id = p.project_id;
comment on view analytics.index_health is 'Pages of a project by status.';
comment on column analytics.index_health.project_id is 'Id of the project.';
comment on column analytics.index_health.project is 'Name of the project.';
comment on column analytics.index_health.pages is 'All pages.';
comment on column analytics.index_health.indexed is 'Pages whose latest content searches can find.';
comment on column analytics.index_health.waiting is 'Pages that wait or are being indexed. Searches still find their previous content.';
comment on column analytics.index_health.failed is 'Pages in ERROR.';
comment on column analytics.index_health.waiting_since is 'When the oldest of these began to wait; null if there is none.';
comment on column analytics.index_health.last_indexed_at is 'When the newest page was indexed; null if there is none.';
comment on column analytics.index_health.index_version is 'Grows with every change of the index.';
comment on column analytics.index_health.words is 'Distinct words of the pages.';
