-- The project that near_duplicates and similar_pages are asked for, by its name or id; null: it cannot be seen. Refuses projects
-- with more pages than they compare. It runs with the rights of its caller and reads views, as they do.
create or replace function analytics.comparable_project(project text, max_pages integer, called text) returns uuid
language plpgsql stable set search_path from current as $$
#variable_conflict use_column
declare
  v_project uuid := (select a.project_id from analytics.accessible_projects a
                      where a.project = $1 or a.project_id::text = lower($1) order by a.project = $1 desc limit 1);
begin
  if (select count(*) from (select from analytics.pages g where g.project_id = v_project limit $2 + 1) as c) > $2 then
    raise program_limit_exceeded using message = format('%s compares up to %s pages, and this project has more', $3, $2);
  end if;
  return v_project;
end $$;
comment on function analytics.comparable_project is
  'For near_duplicates and similar_pages: the id of a project (name or id) that has at most max_pages pages.';
