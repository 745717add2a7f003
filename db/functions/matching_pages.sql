-- The pages of a project whose metadata contain, at every place of the two arrays, one value or the other. So a filter
-- matches a field that equals its scalar, or an array that contains it.
--
-- Runs with its owner's rights. `@>` is not leakproof: under row level security, the planner would not use the index, but
-- read every page of the project.
create or replace function pathmend.matching_pages(p_project uuid, p_equal jsonb[], p_contained jsonb[])
returns table (page_id text)
language plpgsql stable security definer set search_path from current as $$
begin
  perform pathmend.check_project(p_project);
  return query execute
    'select p.page_id from pathmend.pages p where p.project_id = $1'
    || coalesce((select string_agg(format(' and (p.metadata @> $2[%1$s] or p.metadata @> $3[%1$s])', place), '')
                   from generate_subscripts(p_equal, 1) as place), '')
    using p_project, p_equal, p_contained;
end $$;
