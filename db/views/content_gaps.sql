-- Content that people look for and the site does not have: paths that are mostly not recovered, by their first folder that is not
-- a language, year or version. Like src/analytics/store/links.ts.
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
       -- The 2,000 paths of the project with most people.
       select m.path, translate(lower(substring(m.path from '/([^/]*[^0-9/._-]{3}[^/]*)/')), '-_+', '   ') as topic,
              m.people + m.unknown as people, m.suggested + m.nothing as lost, m.first_seen, m.last_human as last_seen,
              m.best_url, m.best_score
         from pathmend.missing_paths m
        where m.project_id = p.project_id and m.people + m.unknown > 0 and m.path_hash <> ''::bytea
        order by m.people + m.unknown desc, m.path_hash limit 2000) as m
     where m.lost > m.people * 0.5 and coalesce(m.best_score, 0) < 0.5) as g
 group by 1, 2, 3;
comment on view analytics.content_gaps is
  'Content that people look for and the site does not have, by folder. Of the 2,000 paths with most people: those that are mostly not recovered and whose best suggestion is below 0.5. Without test keys.';
comment on column analytics.content_gaps.project_id is 'Id of the project.';
comment on column analytics.content_gaps.project is 'Name of the project.';
comment on column analytics.content_gaps.topic is
  'Words of the first folder that is not a language, year or version; null: paths without such a folder.';
comment on column analytics.content_gaps.paths is 'Missing paths of the topic.';
comment on column analytics.content_gaps.people is '404s of people on these paths.';
comment on column analytics.content_gaps.not_recovered is '404s among them without a redirect or a click.';
comment on column analytics.content_gaps.examples is 'Up to five of the paths, most requested first.';
comment on column analytics.content_gaps.nearest_page is 'The best suggestion for any of these paths; null if there is none.';
comment on column analytics.content_gaps.nearest_score is 'Score of its latest suggestion.';
comment on column analytics.content_gaps.first_seen is 'The first 404 on any of these paths.';
comment on column analytics.content_gaps.last_seen is 'The latest 404 of a person.';
