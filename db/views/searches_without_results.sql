-- Searches that found nothing at their threshold: what the site lacks, or calls by another name.
create view analytics.searches_without_results as
select s.project_id,
       p.name as project,
       (s.searched_at at time zone 'UTC')::date as day,
       s.kind,
       s.understood,
       count(*) as searches,
       min(s.input) as example_input,
       max(s.searched_at) as last_searched
  from pathmend.searches s
  join pathmend.projects p on p.project_id = s.project_id
 where not s.is_test
   and jsonb_array_length(s.results) = 0
   -- A filter that no page matches says nothing about the site's words.
   and not s.filtered
 group by 1, 2, 3, 4, 5;
comment on view analytics.searches_without_results is 'Unfiltered searches without any result, by what was understood. Test keys left out.';
