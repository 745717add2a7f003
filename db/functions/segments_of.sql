-- The present segments of a large project's own indexes: the names of their tables. For a segment without tables (of an
-- earlier release, or of a restored dump without them), the place of its rows in the shared tables. If the project has no
-- segment, the ranges that the caller takes for covered.
--
-- The place is written like the partial indexes of earlier releases. `arrival + 0` keeps the planner from indexes in the order
-- of arrival: for rows newer than its statistics it expects one row. It read a fresh segment in that order, comparing the keys
-- of 3,000 pages, in 2 s instead of 1 ms.
create or replace function pathmend.segments_of(
  p_project uuid, p_model integer, p_after bigint[], p_upto bigint[], p_shares double precision[]
)
returns table (vectors text, terms text, paths text, own boolean, place text, share double precision)
language sql volatile as $$
  with kept as (
    select format('%s_%s', replace(o.project_id::text, '-', ''), o.segment) as name, o.after, o.covered, o.pages is not null as own,
           o.passages / greatest(1, sum(o.passages) over ())::double precision as share
      from pathmend.own_indexes o
     where o.project_id = p_project and o.model_id = p_model),
  used as (
    select * from kept
    union all
    select null, c.after, c.covered, false, c.share
      from unnest(p_after, p_upto, p_shares) as c (after, covered, share)
     where not exists (select from kept))
  select 'pathmend_segments.vectors_' || u.name, 'pathmend_segments.terms_' || u.name, 'pathmend_segments.paths_' || u.name,
         u.own and to_regclass('pathmend_segments.paths_' || u.name) is not null,
         format('r.project_id = %L and r.arrival + 0 > %s and r.arrival + 0 <= %s', p_project, u.after, u.covered), u.share
    from used u
   order by u.covered
$$;
