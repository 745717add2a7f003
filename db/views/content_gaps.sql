-- What people look for and the site does not have: paths that recover nobody, by their first folder that says something: no
-- language, year or version. As src/analytics/store/links.ts.
create view analytics.content_gaps with (security_barrier) as
select g.project_id,
       g.project,
       g.topic,
       count(*) as paths,
       sum(g.people)::bigint as people,
       sum(g.lost)::bigint as not_recovered,
       (array_agg(g.path order by g.lost desc, g.path))[1:5] as examples,
       (array_agg(g.best_url order by g.best_score desc nulls last, g.best_url))[1] as nearest_page,
       max(g.best_score)::numeric(5, 4) as nearest_score,
       min(g.first_seen) as first_seen,
       max(g.last_seen) as last_seen
  from (
    select p.project_id, p.project, m.*
      from analytics.accessible_projects p
     cross join lateral (
       -- The first two thousand of the project, by people.
       select m.path, translate(lower(substring(m.path from '/([^/]*[^0-9/._-]{3}[^/]*)/')), '-_+', '   ') as topic,
              m.people + m.unknown as people, m.suggested + m.nothing as lost, m.first_seen, m.last_human as last_seen,
              m.best_url, m.best_score
         from pathmend.missing_paths m
        where m.project_id = p.project_id and m.people + m.unknown > 0 and m.path_hash <> ''::bytea
        order by m.people + m.unknown desc, m.path_hash limit 2000) as m
     where m.lost > m.people * 0.5 and coalesce(m.best_score, 0) < 0.5) as g
 group by 1, 2, 3;
comment on view analytics.content_gaps is
  'What people look for and the site does not have: of the 2,000 paths with most people, those that mostly recover nobody and whose best suggestion is below 0.5, by folder. Test keys left out.';
comment on column analytics.content_gaps.project_id is 'Id of the project.';
comment on column analytics.content_gaps.project is 'Name of the project.';
comment on column analytics.content_gaps.topic is
  'The first folder of the paths that is no language, year or version, as words. null: paths in no such folder.';
comment on column analytics.content_gaps.paths is 'Missing paths of the topic.';
comment on column analytics.content_gaps.people is '404s of people on them.';
comment on column analytics.content_gaps.not_recovered is 'Of these, the ones that were neither redirected nor followed by a click.';
comment on column analytics.content_gaps.examples is 'Up to five of the paths, most asked for first.';
comment on column analytics.content_gaps.nearest_page is 'The best suggestion for any of them; null: none.';
comment on column analytics.content_gaps.nearest_score is 'The score with which it was last suggested.';
comment on column analytics.content_gaps.first_seen is 'The first 404 on any of them.';
comment on column analytics.content_gaps.last_seen is 'The latest 404 of a person.';
