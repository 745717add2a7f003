-- pages_in_reach.sql as releases before segments ask for it, which go on answering while an upgrade replaces them one by one.
create or replace function pathmend.reach(
  p_project uuid, p_model integer, p_covered bigint, p_vector halfvec, p_questions sparsevec[], p_wanted jsonb, p_path bit, p_slug bit
)
returns table (page_id text)
language sql stable as $$
  select pathmend.pages_in_reach(
    p_project, p_model, array[-1], array[p_covered], p_vector, p_questions,
    case when p_wanted = '[]' then p_wanted else jsonb_build_array(p_wanted) end, p_path, p_slug)
$$;
