-- The present segments of a large project's own indexes: the names of their tables. For a segment without tables (of a restored
-- dump without them), the place of its rows in the shared tables. If the project has no segment, the range that the caller takes
-- for covered.
--
-- `arrival + 0` keeps the planner from indexes in the order of arrival: for rows newer than its statistics it expects one row. It
-- read a fresh segment in that order, comparing the keys of 3,000 pages, in 2 s instead of 1 ms.
create or replace function pathmend.segments_of(p_project uuid, p_model integer, p_covered bigint)
returns table (vectors text, terms text, paths text, own boolean, place text, share double precision)
language sql volatile as $$
  with kept as (
    select format('%s_%s', replace(o.project_id::text, '-', ''), o.segment) as name, o.after, o.covered,
           o.chunks / greatest(1, sum(o.chunks) over ())::double precision as share
      from pathmend.index_segments o
     where o.project_id = p_project and o.model_id = p_model),
  used as (
    select * from kept
    union all
    select null, -1, p_covered, 1 where not exists (select from kept))
  select 'pathmend_segments.vectors_' || u.name, 'pathmend_segments.terms_' || u.name, 'pathmend_segments.paths_' || u.name,
         to_regclass('pathmend_segments.paths_' || u.name) is not null,
         format('r.project_id = %L and r.arrival + 0 > %s and r.arrival + 0 <= %s', p_project, u.after, u.covered), u.share
    from used u
   order by u.covered
$$;
