-- Candidate pages of a large project, found by its own indexes (pathmend.index_segments): the nearest by chunk, by words, and by
-- the trigrams of path and slug. Reads only rows of the segments. Each segment gives its share of the number that one segment
-- with all rows would give, and a minimum, because pages that arrived together often have similar content. Then the best of
-- all are taken. Of a million chunks in one segment, 250 chunks find .998 of a scan's ten best pages, 80 find .993. A page may
-- have changed or been deleted since its rows were copied, so the caller checks it.
--
-- The segments are the present ones, because the caller's list may be old. If the project no longer has segments, the rows that
-- arrived up to p_covered are read from the shared tables.
--
-- Scans and sorts are off because the planner overestimates the cost of a graph index. Keys are literals instead of
-- parameters, so that a plan may count them.
--
-- Runs with its owner's rights: no other role may read a segment's tables, which have no policies. It checks the project itself.
--
-- Volatile, so that a second attempt sees changes since its caller began: a merge drops the old tables.
--
-- p_lookups: a JSON array of arrays of sets of keys (term_keys.sql). Pages with all keys of one of the sets are read, up to a
-- limit for each array. p_questions: the questions' weighted terms, which choose the best of those pages.
create or replace function pathmend.pages_in_reach(
  p_project uuid, p_model integer, p_covered bigint,
  p_vector halfvec, p_questions sparsevec[], p_lookups jsonb, p_path bit, p_slug bit
)
returns table (page_id text)
language plpgsql volatile security definer set search_path from current
set enable_seqscan = off
set enable_sort = off
set jit = off
as $$
declare
  -- For each segment: the `from` and `where` of each kind, and the distance of its vectors.
  v_vectors text[];
  v_terms text[];
  v_paths text[];
  v_distances text[];
  v_shares double precision[];
  v_largest double precision;
  v_chunks integer;
  v_pages integer;
  v_distance text;
  v_branches text;
begin
  perform pathmend.check_project(p_project);
  for v_try in 1..3 loop
    begin
      select array_agg(case when s.own then format('%s r where true', s.vectors)
                            else format('pathmend.chunks r where %s and r.model_id = %s', s.place, p_model) end),
             array_agg(case when s.own then format('%s r where true', s.terms) else format('pathmend.page_terms r where %s', s.place) end),
             array_agg(case when s.own then format('%s r where true', s.paths) else format('pathmend.indexed_pages r where %s', s.place) end),
             array_agg(case when s.own then 'r.embedding <#> $1' else format('r.embedding::halfvec(%1$s) <#> $1::halfvec(%1$s)', vector_dims(p_vector)) end),
             array_agg(s.share), max(s.share)
        into v_vectors, v_terms, v_paths, v_distances, v_shares, v_largest
        from pathmend.segments_of(p_project, p_model, p_covered) as s;
      v_chunks := greatest(80, ceil(250 * v_largest));
      -- Many pages of a large site have the same words in their paths, such as one page for each version: a hundred of a
      -- million chunks had. Of the 60 nearest, the best three were .93 of a scan's; of the 120 nearest, .98.
      v_pages := greatest(50, ceil(120 * v_largest));

      -- Not a `set` of the function: while pgvector is not loaded, only a superuser may restore a function with it. So it
      -- lasts until the end of the transaction, which reads no other such index.
      perform set_config('hnsw.ef_search', v_chunks::text, true);
      select string_agg(format('(select r.page_id, %1$s as far from %2$s order by %1$s limit %3$s)', distance, rows_of, v_chunks), ' union all ')
        into v_branches
        from unnest(v_vectors, v_distances) as s (rows_of, distance);
      return query execute format('select v.page_id from (%s) as v order by v.far limit 250', v_branches) using p_vector;

      -- For each lookup, up to 2,500 pages with all keys of one of its sets, because common words occur together more often
      -- than the caller can know. At most 4,000 of all lookups, the first lookups first: with a million chunks, this saves a
      -- sixth of the slowest questions' time, and finds .991 of a scan's ten best pages instead of .992.
      select string_agg(found.branches, ' union all ')
        into v_branches
        from jsonb_array_elements(p_lookups) as lookup
       cross join lateral (
         select string_agg(format('pathmend.term_keys(r.terms) @> %L::integer[]', array(select jsonb_array_elements_text(keys))::text), ' or ') as condition
           from jsonb_array_elements(lookup) as keys) as held
       cross join lateral (
         select string_agg(format(
                  '(select r.page_id, -(r.terms <#> $1[1]) as one, -(r.terms <#> $1[cardinality($1)]) as other
                      from %s and (%s) limit %s)', rows_of, held.condition, greatest(300, ceil(2500 * share))), ' union all ') as branches
           from unnest(v_terms, v_shares) as s (rows_of, share)) as found;
      if v_branches is not null then
        -- The best pages for both questions, from the same set of pages.
        return query execute format(
          'with asked as materialized (select v.page_id, max(v.one) as one, max(v.other) as other
                                          from (select * from (%s) as u limit 4000) as v group by v.page_id)
           (select page_id from asked order by one desc, page_id limit 250)
           union all
           (select page_id from asked order by other desc, page_id limit 100)', v_branches) using p_questions;
      end if;

      if p_path is not null then
        perform set_config('hnsw.ef_search', (v_pages * 5 / 4)::text, true);
        for v_distance in select unnest(array['r.path_trigrams <%> $1', 'r.slug_trigrams <%> $2']) loop
          select string_agg(format('(select r.page_id, %1$s as far from %2$s order by %1$s limit %3$s)', v_distance, rows_of, v_pages), ' union all ')
            into v_branches
            from unnest(v_paths) as rows_of;
          return query execute format('select v.page_id from (%s) as v order by v.far limit 120', v_branches) using p_path, p_slug;
        end loop;
      end if;
      return;
    exception when undefined_table then
      -- A merge dropped the tables meanwhile: try again. Pages found before may be returned twice.
      if v_try = 3 then
        raise;
      end if;
    end;
  end loop;
end $$;
