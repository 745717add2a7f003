-- The pages of a project that are most like one of them: it reads the vectors of all its pages, which is why it refuses projects
-- with more pages than comparable_project allows. It runs with the rights of its caller and reads views, so it knows no more
-- than they show.
create or replace function analytics.similar_pages(project text, page_url text, n integer default 10)
returns table (url text, title text, similarity double precision)
language plpgsql stable set search_path from current as $$
#variable_conflict use_column
declare
  v_project uuid := analytics.comparable_project($1, 100000, 'similar_pages');
begin
  return query
    select f.url, (select g.title from analytics.pages g where g.project_id = v_project and g.url = f.url), 1 - f.distance
      from (select v.url, v.vector <=> a.vector as distance
              from (select o.vector from analytics.page_vectors o where o.project_id = v_project and o.url = $2) as a
              join analytics.page_vectors v on v.project_id = v_project and v.url <> $2
             order by 2, 1 limit greatest(0, $3)) as f
     order by f.distance, f.url;
end $$;
comment on function analytics.similar_pages is
  'The n pages of a project (name or id) whose vectors are most like that of the page with this url, the most similar first; none for a page without a vector. similarity: the cosine, 1 for equal texts. Refuses projects of more than 100,000 pages.';
