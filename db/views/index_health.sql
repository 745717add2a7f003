-- How many pages of a project searches can find.
create view analytics.index_health with (security_barrier) as
select p.project_id,
       p.project,
       -- Each counts by an index, if it is asked for.
       (select count(*) from pathmend.pages g where g.project_id = p.project_id) as pages,
       (select count(*) from pathmend.pages g where g.project_id = p.project_id and g.status = 'INDEXED') as indexed,
       (select count(*) from pathmend.pages g
         where g.project_id = p.project_id and g.status in ('PENDING_VECTORIZATION', 'PROCESSING')) as waiting,
       (select count(*) from pathmend.pages g where g.project_id = p.project_id and g.status = 'ERROR') as failed,
       (select min(g.status_at) from pathmend.pages g
         where g.project_id = p.project_id and g.status in ('PENDING_VECTORIZATION', 'PROCESSING')) as waiting_since,
       (select x.indexed_at from pathmend.indexed_pages x
         where x.project_id = p.project_id and x.indexed_at is not null order by x.arrival desc limit 1) as last_indexed_at,
       v.version as index_version,
       v.words,
       coalesce(v.pages, 0) as searchable
  from analytics.accessible_projects p
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
comment on column analytics.index_health.searchable is 'Pages that searches can find, with their previous content where the latest waits.';
