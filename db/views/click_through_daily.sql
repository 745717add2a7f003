-- Click-through per project, day and kind of search. A click counts for the day of its search if it came within seven
-- days; several clicks on the results of one search count once. What `proxy` redirected by itself nobody was asked about:
-- it has a column of its own. Searches carry no user agent, so those that a robot's visit caused cannot be told apart.
create view analytics.click_through_daily with (security_barrier) as
select p.project_id,
       p.project,
       s.day,
       s.kind,
       case when s.kind = 'proxy' then 0 else s.searches end as searches,
       case when s.kind = 'proxy' then 0 else s.answered end as answered,
       case when s.kind = 'proxy' then 0 else s.clicked end as clicked,
       case when s.kind <> 'proxy' then round(s.clicked::numeric / nullif(s.answered, 0), 4) end as click_through,
       case when s.kind <> 'proxy' then c.average_rank end as average_rank,
       -- As GET /v1/proxy decides it (src/http/routes/proxy.ts), but that a score of exactly 0.9 counts.
       case when s.kind = 'proxy' then s.sure else 0 end as redirected
  from analytics.accessible_projects p
  join (select d.project_id, d.day, d.kind, sum(d.searches)::bigint as searches,
               coalesce(sum(d.searches) filter (where d.band >= 0), 0)::bigint as answered,
               sum(d.clicked)::bigint as clicked,
               coalesce(sum(d.searches) filter (where d.band = 9), 0)::bigint as sure
          from pathmend.search_days d group by 1, 2, 3) as s on s.project_id = p.project_id
  left join lateral (
    select round(sum(d.position * d.clicked)::numeric / nullif(sum(d.clicked), 0), 2) as average_rank
      from pathmend.position_days d
     where d.project_id = s.project_id and d.day = s.day and d.kind = s.kind) as c on true;
comment on view analytics.click_through_daily is
  'Searches whose answers a site could show, and the rank clicked. Robots are counted where the site asks for them: searches carry no user agent. Test keys left out.';
comment on column analytics.click_through_daily.project_id is 'Id of the project.';
comment on column analytics.click_through_daily.project is 'Name of the project.';
comment on column analytics.click_through_daily.day is 'UTC day of the search.';
comment on column analytics.click_through_daily.kind is 'suggest, semantic-search, search or proxy.';
comment on column analytics.click_through_daily.searches is 'Searches whose answers a site could show: all kinds but proxy.';
comment on column analytics.click_through_daily.answered is 'Of these, the ones with a result. Whether anybody saw it is not known.';
comment on column analytics.click_through_daily.clicked is 'Of these, the ones with a click within seven days.';
comment on column analytics.click_through_daily.click_through is 'clicked / answered.';
comment on column analytics.click_through_daily.average_rank is 'Of the best clicked ranks; the tenth and all behind it count as ten.';
comment on column analytics.click_through_daily.redirected is 'Automatic redirects by proxy, in the row of that kind. They are in no other column.';
