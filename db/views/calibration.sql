-- Score accuracy: of answers with a score of 0.8, about 80% should be right. What visitors without a click wanted is unknown,
-- so the share is of searches with a click.
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
  'Score accuracy: the best score of searches and what visitors clicked, by UTC day and kind of search. Add up days before you divide. Without test keys.';
comment on column analytics.calibration.project_id is 'Id of the project.';
comment on column analytics.calibration.project is 'Name of the project.';
comment on column analytics.calibration.day is 'UTC day of the search.';
comment on column analytics.calibration.kind is 'suggest, semantic-search, search, proxy or not-found.';
comment on column analytics.calibration.score_from is 'Lower bound of the best score, included.';
comment on column analytics.calibration.score_to is 'Upper bound, not included (but 1.0 is in the last band).';
comment on column analytics.calibration.searches is 'Searches of people whose best score is in this band.';
comment on column analytics.calibration.clicked is 'Searches among them with a click within seven days.';
comment on column analytics.calibration.clicked_first is 'Searches among clicked whose first suggestion was clicked.';
comment on column analytics.calibration.first_of_clicked is 'clicked_first / clicked, to compare with the score; null: no click.';
comment on column analytics.calibration.searches_all is 'Like searches, but including robots.';
comment on column analytics.calibration.clicked_all is 'Like clicked, but including robots.';
comment on column analytics.calibration.clicked_first_all is 'Like clicked_first, but including robots.';
