-- Pairs of pages that say nearly the same. All pages are compared with all others, which is why it refuses projects with more
-- pages than comparable_project allows. It runs with the rights of its caller and reads views, so it knows no more than they show.
create or replace function analytics.near_duplicates(project text, at_least double precision default 0.95)
returns table (url text, other_url text, similarity double precision)
language plpgsql stable set search_path from current set work_mem = '64MB' as $$
#variable_conflict use_column
declare
  v_project uuid := analytics.comparable_project($1, 5000, 'near_duplicates');
begin
  return query
    with pages as materialized (
      select row_number() over (order by v.url) as place, v.url, v.vector from analytics.page_vectors v where v.project_id = v_project)
    select a.url, b.url, -(a.vector <#> b.vector)
      from pages a join pages b on b.place > a.place
     where a.vector <#> b.vector <= -$2
     order by 3 desc, 1, 2;
end $$;
comment on function analytics.near_duplicates is
  'Pairs of pages of a project (name or id) whose vectors have at least this cosine, the most similar first. Refuses projects of more than 5,000 pages.';
