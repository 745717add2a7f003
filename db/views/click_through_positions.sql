-- Which place in the list is clicked, by score.
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
  'Suggestions that people were answered, and clicks, by UTC day, kind of search, position and score. Test keys left out.';
comment on column analytics.click_through_positions.project_id is 'Id of the project.';
comment on column analytics.click_through_positions.project is 'Name of the project.';
comment on column analytics.click_through_positions.day is 'UTC day of the search.';
comment on column analytics.click_through_positions.kind is 'suggest, semantic-search, search, proxy or not-found.';
comment on column analytics.click_through_positions.position is 'From 1 on; 10: the tenth and all behind it.';
comment on column analytics.click_through_positions.score_from is 'The score was at least this,';
comment on column analytics.click_through_positions.score_to is 'and less than this (1.0 itself is among the last).';
comment on column analytics.click_through_positions.shown is 'Searches of people that had a suggestion there and did not end in a redirect. Whether the visitor saw it is not known.';
comment on column analytics.click_through_positions.clicked is 'Of these, the ones whose best clicked position it was, within seven days.';
comment on column analytics.click_through_positions.shown_all is 'As shown, robots'' searches among them.';
comment on column analytics.click_through_positions.clicked_all is 'As clicked, robots'' searches among them.';
