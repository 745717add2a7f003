-- Pages of a large project that are worth a closer look, through the project's own indexes (pathmend.own_indexes): the
-- nearest by passage, by wording, and by the trigrams of path and slug. Only rows of the segments: those that arrived
-- after p_after[n], and up to p_upto[n], which are p_shares[n] of all. Of each segment so many are taken as its share of what
-- one that holds everything is asked for, and some in any case, since what arrived together is often about the same; then
-- the best of all. Of a million passages in one segment 250 passages find .998 of a scan's ten best pages, 80 find .993.
--
-- Literals, not parameters: only they let the planner prove that a partial index holds what is asked for. Scans
-- and sorts are switched off because the planner takes a graph for dearer than it is; where an index is missing, the
-- answer is the same and slow. `arrival + 0`: no index is in the order of that. Of rows newer than its statistics the planner
-- expects one, and read a fresh segment by the order of arrival, comparing the keys of 3,000 pages, in 2 s instead of 1 ms.
--
-- With its owner's rights, for the same reason: a condition that is not leakproof is not looked up in an index where row
-- level security narrows the caller. It checks the project itself.
--
-- p_lookups: a JSON array of arrays of sets of keys (term_keys.sql). A page that has all keys of one of the sets is looked
-- at, up to a limit for each array. p_questions: the questions' weighted terms, by which the best of those pages are taken.
create or replace function pathmend.pages_in_reach(
  p_project uuid, p_model integer, p_after bigint[], p_upto bigint[], p_shares double precision[],
  p_vector halfvec, p_questions sparsevec[], p_lookups jsonb, p_path bit, p_slug bit
)
returns table (page_id text)
language plpgsql stable security definer set search_path from current
set enable_seqscan = off
set enable_sort = off
set jit = off
as $$
declare
  -- A row's place, for each segment, as the conditions of its indexes have it (src/database/queries/build-own-indexes.ts).
  v_places text[] := array(
    select format('r.project_id = %L and r.arrival + 0 > %s and r.arrival + 0 <= %s', p_project, s.after, s.upto)
      from unnest(p_after, p_upto) as s (after, upto));
  v_largest double precision := (select max(share) from unnest(p_shares) as share);
  v_passages integer := greatest(80, ceil(250 * v_largest));
  -- Many pages of a large site have the same words in their paths, such as a page for each version: a hundred of a million
  -- passages had, and of the 60 nearest, the best three were .93 of a scan's; of 120 they are .98.
  v_paths integer := greatest(50, ceil(120 * v_largest));
  v_distance text := format('r.embedding::halfvec(%1$s) <#> $1::halfvec(%1$s)', vector_dims(p_vector));
  v_branches text;
begin
  perform pathmend.check_project(p_project);
  -- Not by a `set` of the function: whoever restores a dump may not write that into a function while pgvector is not loaded,
  -- but for a superuser. So it lasts until the end of the transaction, in which nothing else asks such an index.
  perform set_config('hnsw.ef_search', v_passages::text, true);
  select string_agg(format(
           '(select r.page_id, %1$s as far from pathmend.passages r where %2$s and r.model_id = %3$s order by %1$s limit %4$s)',
           v_distance, place, p_model, v_passages), ' union all ')
    into v_branches
    from unnest(v_places) as place;
  return query execute format('select v.page_id from (%s) as v order by v.far limit 250', v_branches) using p_vector;

  -- Of each lookup, pages that have all keys of one of its sets; up to 2,500, since common words go together oftener than
  -- the caller can know, and 4,000 of all, the first lookups' first: of a million passages that takes a sixth off the slowest
  -- questions' time, and finds .991 of a scan's ten best pages in place of .992.
  select string_agg(found.branches, ' union all ')
    into v_branches
    from jsonb_array_elements(p_lookups) as lookup
   cross join lateral (
     select string_agg(format('pathmend.term_keys(r.terms) @> %L::integer[]', array(select jsonb_array_elements_text(keys))::text), ' or ') as condition
       from jsonb_array_elements(lookup) as keys) as held
   cross join lateral (
     select string_agg(format(
              '(select r.page_id, -(r.terms <#> $1[1]) as one, -(r.terms <#> $1[cardinality($1)]) as other
                  from pathmend.page_terms r where %s and (%s) limit %s)', place, held.condition, greatest(300, ceil(2500 * share))), ' union all ') as branches
       from unnest(v_places, p_shares) as s (place, share)) as found;
  if v_branches is not null then
    -- Both questions' best of one and the same set of pages.
    return query execute format(
      'with asked as materialized (select v.page_id, max(v.one) as one, max(v.other) as other
                                      from (select * from (%s) as u limit 4000) as v group by v.page_id)
       (select page_id from asked order by one desc, page_id limit 250)
       union all
       (select page_id from asked order by other desc, page_id limit 100)', v_branches) using p_questions;
  end if;

  if p_path is not null then
    perform set_config('hnsw.ef_search', (v_paths * 5 / 4)::text, true);
    for v_distance in select unnest(array['r.path_trigrams <%> $1', 'r.slug_trigrams <%> $2']) loop
      select string_agg(format(
               '(select r.page_id, %1$s as far from pathmend.indexed_pages r where %2$s order by %1$s limit %3$s)', v_distance, place, v_paths), ' union all ')
        into v_branches
        from unnest(v_places) as place;
      return query execute format('select v.page_id from (%s) as v order by v.far limit 120', v_branches) using p_path, p_slug;
    end loop;
  end if;
end $$;
