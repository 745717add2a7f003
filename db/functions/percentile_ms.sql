-- The milliseconds within which a share of some searches ended, by a histogram: the upper bounds of its buckets, and how many
-- searches each has. Null where there is none. Upper bounds are an eighth apart, so it is at most an eighth too high.
create or replace function pathmend.percentile_ms(p_share double precision, p_bounds double precision[], p_searches bigint[])
  returns double precision
language sql immutable parallel safe as $$
  select min(b.bound)
    from (select h.bound, sum(h.searches) over (order by h.bound) as so_far, sum(h.searches) over () as total
            from unnest(p_bounds, p_searches) as h (bound, searches)) as b
   where b.total > 0 and b.so_far >= p_share * b.total
$$;
