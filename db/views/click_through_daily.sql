-- Click-through per project, day and kind of search. A click counts for the day of its search if it came within seven
-- days; several clicks on the results of one search count once. What `proxy` redirected by itself nobody was asked about:
-- it has a column of its own. Searches carry no user agent, so those that a robot's visit caused cannot be told apart.
create view analytics.click_through_daily as
select s.project_id,
       p.name as project,
       (s.searched_at at time zone 'UTC')::date as day,
       s.kind,
       count(*) filter (where s.kind <> 'proxy') as searches,
       count(*) filter (where s.kind <> 'proxy' and jsonb_array_length(s.results) > 0) as answered,
       count(c.best_rank) as clicked,
       round(count(c.best_rank)::numeric
             / nullif(count(*) filter (where s.kind <> 'proxy' and jsonb_array_length(s.results) > 0), 0), 4) as click_through,
       round(avg(c.best_rank), 2) as average_rank,
       -- As GET /v1/proxy decides it (src/http/routes/proxy.ts).
       count(*) filter (where s.kind = 'proxy' and s.best_score > 0.9) as redirected
  from pathmend.searches s
  join pathmend.projects p on p.project_id = s.project_id
  -- Asked once for each search, of the week or two that its clicks are in: joined as a whole, all weeks of clicks are read.
  left join lateral (
    select min(c.clicked_rank) as best_rank
      from pathmend.clicks c
     where c.project_id = s.project_id and c.search_id = s.search_id and not c.is_test
       and (c.received_at at time zone 'UTC')::date between (s.searched_at at time zone 'UTC')::date
                                                        and (s.searched_at at time zone 'UTC')::date + 7
       and s.kind <> 'proxy') as c on true
 where not s.is_test
 group by 1, 2, 3, 4;
comment on view analytics.click_through_daily is
  'Searches whose answers a site could show, and the rank clicked. Robots are counted where the site asks for them: searches carry no user agent. Test keys left out.';
comment on column analytics.click_through_daily.searches is 'Searches whose answers a site could show: all kinds but proxy.';
comment on column analytics.click_through_daily.answered is 'Of these, the ones with a result. Whether anybody saw it is not known.';
comment on column analytics.click_through_daily.clicked is 'Of these, the ones with a click within seven days.';
comment on column analytics.click_through_daily.redirected is 'Automatic redirects by proxy, in the row of that kind. They are in no other column.';
