-- pages_in_reach.sql as releases before segments ask for it, which go on answering while an upgrade replaces them one by one:
-- they know of one segment, up to p_covered, and scan what came later. Where its indexes are gone, all pages are in reach.
create or replace function pathmend.reach(
  p_project uuid, p_model integer, p_covered bigint, p_vector halfvec, p_questions sparsevec[], p_wanted jsonb, p_path bit, p_slug bit
)
returns table (page_id text)
language plpgsql stable security definer set search_path from current as $$
declare
  v_after bigint[];
  v_upto bigint[];
  v_shares double precision[];
begin
  perform pathmend.check_project(p_project);
  select array_agg(o.after order by o.covered), array_agg(o.covered order by o.covered),
         array_agg(o.passages::float8 / greatest(1, sum) order by o.covered)
    into v_after, v_upto, v_shares
    from (select s.*, sum(s.passages) over () as sum from pathmend.own_indexes s
           where s.project_id = p_project and s.model_id = p_model and s.covered <= p_covered) as o;
  if v_upto[cardinality(v_upto)] = p_covered then
    return query select * from pathmend.pages_in_reach(
      p_project, p_model, v_after, v_upto, v_shares, p_vector, p_questions,
      case when p_wanted = '[]' then p_wanted else jsonb_build_array(p_wanted) end, p_path, p_slug);
  else
    return query select x.page_id from pathmend.indexed_pages x where x.project_id = p_project and x.arrival <= p_covered;
  end if;
end $$;
