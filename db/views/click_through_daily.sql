-- Click-through by project, day and kind of search. A click counts for the day of its search if it came within seven days.
-- Several clicks on the results of one search count once. Redirected visitors saw no suggestions: their searches are only in
-- the column `redirected`.
create view analytics.click_through_daily with (security_barrier) as
select p.project_id,
       p.project,
       s.day,
       s.kind,
       s.searches,
       s.answered,
       s.clicked,
       round(s.clicked::numeric / nullif(s.answered, 0), 4) as click_through,
       c.average_rank,
       s.redirected,
       s.searches_all,
       s.answered_all,
       s.clicked_all,
       s.redirected_all
  from analytics.accessible_projects p
  join (select d.project_id, d.day, d.kind,
               sum(d.searches - d.redirected)::bigint as searches_all,
               coalesce(sum(d.searches - d.redirected) filter (where d.band >= 0), 0)::bigint as answered_all,
               sum(d.clicked)::bigint as clicked_all,
               sum(d.redirected)::bigint as redirected_all,
               sum(d.searches - d.redirected - d.others + d.others_redirected)::bigint as searches,
               coalesce(sum(d.searches - d.redirected - d.others + d.others_redirected) filter (where d.band >= 0), 0)::bigint as answered,
               sum(d.clicked - d.others_clicked)::bigint as clicked,
               sum(d.redirected - d.others_redirected)::bigint as redirected
          from pathmend.search_days d group by 1, 2, 3) as s on s.project_id = p.project_id
  left join lateral (
    select round(sum(d.position * (d.clicked - d.others_clicked))::numeric / nullif(sum(d.clicked - d.others_clicked), 0), 2) as average_rank
      from pathmend.position_days d
     where d.project_id = s.project_id and d.day = s.day and d.kind = s.kind) as c on true;
comment on view analytics.click_through_daily is
  'Searches of people, with their answers and clicks; redirects are counted apart. A search counts as a person''s until its 404 or its own user agent shows otherwise. Without test keys.';
comment on column analytics.click_through_daily.project_id is 'Id of the project.';
comment on column analytics.click_through_daily.project is 'Name of the project.';
comment on column analytics.click_through_daily.day is 'UTC day of the search.';
comment on column analytics.click_through_daily.kind is 'suggest, semantic-search, search, proxy or not-found: pathmend''s own 404 page.';
comment on column analytics.click_through_daily.searches is 'Searches of people, without those that ended in a redirect.';
comment on column analytics.click_through_daily.answered is 'Searches among them with a result. It is unknown whether the visitor saw it.';
comment on column analytics.click_through_daily.clicked is 'Searches among answered with a click within seven days.';
comment on column analytics.click_through_daily.click_through is 'clicked / answered.';
comment on column analytics.click_through_daily.average_rank is 'Average of the best clicked rank of each search. Ranks from 10 on count as 10.';
comment on column analytics.click_through_daily.redirected is
  'Searches of people that ended in a redirect: by proxy or not-found, or by the site (reported with its 404). No other column counts them, except redirected_all.';
comment on column analytics.click_through_daily.searches_all is 'Like searches, but including robots.';
comment on column analytics.click_through_daily.answered_all is 'Like answered, but including robots.';
comment on column analytics.click_through_daily.clicked_all is 'Like clicked, but including robots.';
comment on column analytics.click_through_daily.redirected_all is 'Like redirected, but including robots.';
