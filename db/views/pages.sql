-- The pages of a project.
create view analytics.pages with (security_barrier) as
select g.project_id,
       p.project,
       g.url,
       coalesce(substring(split_part(g.url, '#', 1) from '^[^:]+://[^/?]*(.+)$'), '/') as path,
       pathmend.section_of(substring(g.url from '^[^:]+://[^/?]*([^?#]*)')) as section,
       g.title,
       coalesce(lower(substring(coalesce(g.metadata ->> 'lang', g.metadata ->> 'language') from '^\s*([A-Za-z]{2,3})(?:[-_]|\s*$)')),
                pathmend.language_of(substring(g.url from '^[^:]+://[^/?]*([^?#]*)'))) as language,
       g.status,
       case when i.understood then m.name end as model,
       i.indexed_at,
       regexp_count(g.content, '\S+') as words,
       g.metadata,
       g.created_at as first_seen,
       g.updated_at
  from pathmend.pages g
  join analytics.accessible_projects p on p.project_id = g.project_id
  join pathmend.projects t on t.project_id = g.project_id
  left join pathmend.indexed_pages i on i.project_id = g.project_id and i.page_id = g.page_id
  left join pathmend.models m on m.model_id = t.model_id;
comment on view analytics.pages is 'The pages of a project, of every status.';
comment on column analytics.pages.project_id is 'Id of the project.';
comment on column analytics.pages.project is 'Name of the project.';
comment on column analytics.pages.url is 'Full url of the page, normalized.';
comment on column analytics.pages.path is 'Path with query string, as suggestions have it.';
comment on column analytics.pages.section is 'First folder of the path that is not a language, year or version; null: it has none.';
comment on column analytics.pages.title is 'Title; null: none.';
comment on column analytics.pages.language is 'Language in the metadata (lang or language), else in the first or second folder of the path; null: neither names one.';
comment on column analytics.pages.status is 'PENDING_VECTORIZATION, PROCESSING, INDEXED or ERROR.';
comment on column analytics.pages.model is 'Name of the model of its vectors; null: it has none.';
comment on column analytics.pages.indexed_at is 'When its vectors were stored; null: it has none, or of its beginning alone.';
comment on column analytics.pages.words is 'Words of the content: what stands between spaces.';
comment on column analytics.pages.metadata is 'Metadata as they were pushed; null: none.';
comment on column analytics.pages.first_seen is 'When the page came.';
comment on column analytics.pages.updated_at is 'When its content, title or metadata were last pushed with a change.';
