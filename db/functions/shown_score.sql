-- A stored score as answers show it: like shownScore in src/search/ranking/scores/score.ts.
create or replace function pathmend.shown_score(p_score double precision) returns numeric(5, 4)
language sql immutable parallel safe as $$
  select (floor(p_score * 10000 + 1e-9) / 10000)::numeric(5, 4)
$$;
