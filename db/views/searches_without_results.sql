-- Searches without a result above their threshold: content that the site lacks, or has under another name.
create view analytics.searches_without_results with (security_barrier) as
select p.project_id,
       p.project,
       s.day,
       s.kind,
       s.understood,
       s.searches - s.others as searches,
       s.example_input,
       s.last_searched,
       s.searches as searches_all
  from analytics.accessible_projects p
  join pathmend.empty_search_days s on s.project_id = p.project_id;
comment on view analytics.searches_without_results is
  'Unfiltered searches without a result, by the text as understood. 1,000 texts a day have their own row. Without test keys.';
comment on column analytics.searches_without_results.project_id is 'Id of the project.';
comment on column analytics.searches_without_results.project is 'Name of the project.';
comment on column analytics.searches_without_results.day is 'UTC day of the search.';
comment on column analytics.searches_without_results.kind is 'suggest, semantic-search, search, proxy or not-found.';
comment on column analytics.searches_without_results.understood is 'The question, or the path after sanitizing and spelling correction; (other): sum of the rest.';
comment on column analytics.searches_without_results.searches is 'Searches of people; 0: only robots searched.';
comment on column analytics.searches_without_results.example_input is 'One of the inputs, as received.';
comment on column analytics.searches_without_results.last_searched is 'The latest search.';
comment on column analytics.searches_without_results.searches_all is 'Like searches, but including robots.';
