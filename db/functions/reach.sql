-- The numbers of a page's terms, for an index that finds pages by them.
create or replace function pathmend.term_numbers(terms sparsevec) returns integer[]
language sql immutable strict parallel safe
-- Reads the whole text of a page's terms: an index that has done so already is always the cheaper way.
cost 10000 as $$
  select array(
    select split_part(entry, ':', 1)::integer
      from unnest(string_to_array(trim(both '{}' from split_part(terms::text, '/', 1)), ',')) as entry
     where entry <> '')
$$;

-- Pages of a large project that are worth a closer look, through the project's own indexes (pathmend.own_indexes): the
-- nearest by passage, by wording, and by the trigrams of path and slug. Only rows that arrived up to p_covered.
--
-- Literals, not parameters: only they let the planner prove that a partial index holds what is asked for. Scans
-- and sorts are switched off because the planner takes a graph for dearer than it is; where an index is missing, the
-- answer is the same and slow.
--
-- With its owner's rights, for the same reason: a condition that is not leakproof is not looked up in an index where row
-- level security narrows the caller. It checks the project itself.
--
-- p_wanted: sets of term numbers as a JSON array of arrays; a page that has all of one set is looked at. The caller
-- chooses them rare enough. p_questions: the questions' weighted terms, by which the best of those pages are taken.
create or replace function pathmend.reach(
  p_project uuid, p_model integer, p_covered bigint, p_vector halfvec, p_questions sparsevec[], p_wanted jsonb,
  p_path bit, p_slug bit
)
returns table (page_id text)
language plpgsql stable security definer set search_path from current
set hnsw.ef_search = 250
set enable_seqscan = off
set enable_sort = off
set jit = off
as $$
declare
  wanted text;
begin
  perform pathmend.check_project(p_project);
  return query execute format(
    'select v.page_id from (
       select r.page_id from pathmend.passages r
        where r.project_id = %L and r.model_id = %s and r.arrival <= %s
        order by r.embedding::halfvec(%s) <#> $1::halfvec(%s) limit 250) as v',
    p_project, p_model, p_covered, vector_dims(p_vector), vector_dims(p_vector)) using p_vector;

  select string_agg(format('pathmend.term_numbers(r.terms) @> %L::integer[]', array(select jsonb_array_elements_text(one))::text), ' or ')
    into wanted
    from jsonb_array_elements(p_wanted) as one;
  if wanted is not null then
    -- Both questions' best of one and the same set of pages.
    return query execute format(
      'with asked as materialized (
         select r.page_id, -(r.terms <#> $1[1]) as one, -(r.terms <#> $1[cardinality($1)]) as other
           from pathmend.page_terms r
          where r.project_id = %L and r.arrival <= %s and (%s)
          -- Words that go together are found together more often than the caller could know.
          limit 8000)
       (select page_id from asked order by one desc, page_id limit 250)
       union all
       (select page_id from asked order by other desc, page_id limit 100)',
      p_project, p_covered, wanted) using p_questions;
  end if;

  if p_path is not null then
    perform set_config('hnsw.ef_search', '80', true);
    return query execute format(
      'select x.page_id from (
         select r.page_id from pathmend.indexed_pages r
          where r.project_id = %L and r.arrival <= %s order by r.path_trigrams <%%> $1 limit 60) as x', p_project, p_covered) using p_path;
    return query execute format(
      'select x.page_id from (
         select r.page_id from pathmend.indexed_pages r
          where r.project_id = %L and r.arrival <= %s order by r.slug_trigrams <%%> $1 limit 60) as x', p_project, p_covered) using p_slug;
  end if;
end $$;
