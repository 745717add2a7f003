-- Clicks by position in the list and by score.
create view analytics.click_through_positions with (security_barrier) as
select p.project_id,
       p.project,
       d.day,
       d.kind,
       d.position,
       (d.band / 10.0)::numeric(2, 1) as score_from,
       ((d.band + 1) / 10.0)::numeric(2, 1) as score_to,
       d.shown - d.others_shown as shown,
       d.clicked - d.others_clicked as clicked,
       d.shown as shown_all,
       d.clicked as clicked_all
  from analytics.accessible_projects p
  join pathmend.position_days d on d.project_id = p.project_id
 where d.band >= 0;
comment on view analytics.click_through_positions is
  'Suggestions to people and their clicks, by UTC day, kind of search, position and score. Without test keys.';
comment on column analytics.click_through_positions.project_id is 'Id of the project.';
comment on column analytics.click_through_positions.project is 'Name of the project.';
comment on column analytics.click_through_positions.day is 'UTC day of the search.';
comment on column analytics.click_through_positions.kind is 'suggest, semantic-search, search, proxy or not-found.';
comment on column analytics.click_through_positions.position is 'Position in the list, from 1; 10 stands for 10 and above.';
comment on column analytics.click_through_positions.score_from is 'Lower bound of the score, included.';
comment on column analytics.click_through_positions.score_to is 'Upper bound, not included (but 1.0 is in the last band).';
comment on column analytics.click_through_positions.shown is 'Searches of people with a suggestion at this position, without redirects. It is unknown whether the visitor saw it.';
comment on column analytics.click_through_positions.clicked is 'Searches among them whose best clicked position is this one, within seven days.';
comment on column analytics.click_through_positions.shown_all is 'Like shown, but including robots.';
comment on column analytics.click_through_positions.clicked_all is 'Like clicked, but including robots.';
