-- One vector for each page: what its chunks say together. The row of a page's beginning (ordinal -1) repeats a part of it.
create view analytics.page_vectors with (security_barrier) as
select g.project_id,
       p.project,
       g.url,
       m.name as model,
       v.vector
  from pathmend.pages g
  join analytics.accessible_projects p on p.project_id = g.project_id
  join pathmend.projects t on t.project_id = g.project_id
  join pathmend.models m on m.model_id = t.model_id
 cross join lateral (
   select l2_normalize(avg(s.embedding::vector)) as vector from pathmend.chunks s
    where s.project_id = g.project_id and s.page_id = g.page_id and s.model_id = t.model_id and s.ordinal >= 0
   having count(*) > 0) as v;
comment on view analytics.page_vectors is
  'One vector of each page that has vectors, by the model that answers its project. Of pgvector''s type vector: <=> is the cosine distance of two.';
comment on column analytics.page_vectors.project_id is 'Id of the project.';
comment on column analytics.page_vectors.project is 'Name of the project.';
comment on column analytics.page_vectors.url is 'Full url of the page, as in pages.';
comment on column analytics.page_vectors.model is 'Name of the model; vectors of two models cannot be compared.';
comment on column analytics.page_vectors.vector is 'The mean of the vectors of the page''s chunks, of length 1.';
