-- Click-through per project, day and kind of search. A click counts for the day of its search; several clicks on
-- the results of one search count once.
create view analytics.click_through_daily as
with clicked as (
  select c.project_id, c.search_id, min(c.clicked_rank) as best_rank
    from pathmend.clicks c
   where not c.is_test
   group by 1, 2
)
select s.project_id,
       p.name as project,
       (s.searched_at at time zone 'UTC')::date as day,
       s.kind,
       count(*) as searches,
       count(*) filter (where jsonb_array_length(s.results) > 0) as answered,
       count(c.search_id) as clicked,
       round(count(c.search_id)::numeric
             / nullif(count(*) filter (where jsonb_array_length(s.results) > 0), 0), 4) as click_through,
       round(avg(c.best_rank), 2) as average_rank
  from pathmend.searches s
  join pathmend.projects p on p.project_id = s.project_id
  left join clicked c on c.project_id = s.project_id and c.search_id = s.search_id
 where not s.is_test
 group by 1, 2, 3, 4;
comment on view analytics.click_through_daily is 'Searches, answered searches, searches with a click, and the rank clicked. Test keys left out.';
