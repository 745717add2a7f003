-- Pages of a large project that are worth a closer look, through the project's own indexes (pathmend.own_indexes): the
-- nearest by passage, by wording, and by the trigrams of path and slug. Only rows of the segments: those that arrived
-- after p_after[n], and up to p_upto[n].
--
-- Literals, not parameters: only they let the planner prove that a partial index holds what is asked for. Scans
-- and sorts are switched off because the planner takes a graph for dearer than it is; where an index is missing, the
-- answer is the same and slow.
--
-- With its owner's rights, for the same reason: a condition that is not leakproof is not looked up in an index where row
-- level security narrows the caller. It checks the project itself.
--
-- p_lookups: a JSON array of arrays of sets of keys (term_keys.sql). A page that has all keys of one of the sets is looked
-- at, up to a limit for each array. p_questions: the questions' weighted terms, by which the best of those pages are taken.
create or replace function pathmend.pages_in_reach(
  p_project uuid, p_model integer, p_after bigint[], p_upto bigint[], p_vector halfvec, p_questions sparsevec[], p_lookups jsonb,
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
  -- A row's place, for each segment.
  places text[] := array(
    select format('r.project_id = %L and r.arrival > %s and r.arrival <= %s', p_project, s.after, s.upto)
      from unnest(p_after, p_upto) as s (after, upto));
  distance text := format('r.embedding::halfvec(%1$s) <#> $1::halfvec(%1$s)', vector_dims(p_vector));
  branches text;
begin
  perform pathmend.check_project(p_project);
  select string_agg(format(
           '(select r.page_id, %1$s as far from pathmend.passages r where %2$s and r.model_id = %3$s order by %1$s limit 250)',
           distance, place, p_model), ' union all ')
    into branches
    from unnest(places) as place;
  return query execute format('select v.page_id from (%s) as v order by v.far limit 250', branches) using p_vector;

  select string_agg(format('(select v.* from (%s) as v limit 2500)', found.rows), ' union all ')
    into branches
    from jsonb_array_elements(p_lookups) as lookup
   cross join lateral (
     select string_agg(format('pathmend.term_keys(r.terms) @> %L::integer[]', array(select jsonb_array_elements_text(keys))::text), ' or ') as condition
       from jsonb_array_elements(lookup) as keys) as held
   cross join lateral (
     select string_agg(format(
              'select r.page_id, -(r.terms <#> $1[1]) as one, -(r.terms <#> $1[cardinality($1)]) as other
                 from pathmend.page_terms r where %s and (%s)', place, held.condition), ' union all ') as rows
       from unnest(places) as place) as found;
  if branches is not null then
    -- Both questions' best of one and the same set of pages.
    return query execute format(
      'with asked as materialized (select v.page_id, max(v.one) as one, max(v.other) as other from (%s) as v group by v.page_id)
       (select page_id from asked order by one desc, page_id limit 250)
       union all
       (select page_id from asked order by other desc, page_id limit 100)', branches) using p_questions;
  end if;

  if p_path is not null then
    -- Many pages of a large site have the same words in their paths, such as a page for each version: a hundred of a million
    -- passages had, and of the 60 nearest, the best three were .93 of a scan's; of 120 they are .98.
    perform set_config('hnsw.ef_search', '150', true);
    for distance in select unnest(array['r.path_trigrams <%> $1', 'r.slug_trigrams <%> $2']) loop
      select string_agg(format(
               '(select r.page_id, %1$s as far from pathmend.indexed_pages r where %2$s order by %1$s limit 120)', distance, place), ' union all ')
        into branches
        from unnest(places) as place;
      return query execute format('select v.page_id from (%s) as v order by v.far limit 120', branches) using p_path, p_slug;
    end loop;
  end if;
end $$;
