-- What a score promised, and what visitors chose: a score of 0.8 should be the page that was meant in four of five cases. Of
-- those who click nothing nobody knows what they meant, so the share is one of clicks.
create view analytics.calibration with (security_barrier) as
select p.project_id,
       p.project,
       s.day,
       s.kind,
       (s.band / 10.0)::numeric(2, 1) as score_from,
       ((s.band + 1) / 10.0)::numeric(2, 1) as score_to,
       s.searches - s.others as searches,
       s.clicked - s.others_clicked as clicked,
       coalesce(f.clicked - f.others_clicked, 0) as clicked_first,
       round(coalesce(f.clicked - f.others_clicked, 0)::numeric / nullif(s.clicked - s.others_clicked, 0), 4) as first_of_clicked,
       s.searches as searches_all,
       s.clicked as clicked_all,
       coalesce(f.clicked, 0) as clicked_first_all
  from analytics.accessible_projects p
  join pathmend.search_days s on s.project_id = p.project_id and s.band >= 0
  left join pathmend.position_days f
    on f.project_id = s.project_id and f.day = s.day and f.kind = s.kind and f.position = 1 and f.band = s.band;
comment on view analytics.calibration is
  'What the best score promised and what visitors chose, by UTC day and kind of search. Add up days before you divide. Test keys left out.';
comment on column analytics.calibration.project_id is 'Id of the project.';
comment on column analytics.calibration.project is 'Name of the project.';
comment on column analytics.calibration.day is 'UTC day of the search.';
comment on column analytics.calibration.kind is 'suggest, semantic-search, search, proxy or not-found.';
comment on column analytics.calibration.score_from is 'The best score was at least this,';
comment on column analytics.calibration.score_to is 'and less than this (1.0 itself is among the last).';
comment on column analytics.calibration.searches is 'Searches of people with such a best score.';
comment on column analytics.calibration.clicked is 'Of these, the ones with a click within seven days.';
comment on column analytics.calibration.clicked_first is 'Of these, the ones whose first suggestion was clicked.';
comment on column analytics.calibration.first_of_clicked is 'clicked_first / clicked: compare it with the score; null: no click.';
comment on column analytics.calibration.searches_all is 'As searches, robots'' among them.';
comment on column analytics.calibration.clicked_all is 'As clicked, robots'' among them.';
comment on column analytics.calibration.clicked_first_all is 'As clicked_first, robots'' among them.';
