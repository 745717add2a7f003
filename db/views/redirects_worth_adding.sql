-- Missing paths without a rule, with the page that is probably right.
create view analytics.redirects_worth_adding with (security_barrier) as
select p.project_id,
       p.project,
       m.path,
       m.best_url as target,
       m.best_score::numeric(5, 4) as score,
       m.people + m.unknown as people,
       m.not_redirected,
       round((m.not_redirected * m.best_score)::numeric, 1) as gain,
       m.last_human as last_seen
  from analytics.accessible_projects p
 cross join lateral (
   -- Like patternsOf in src/rules/store/rules-of-path.ts: patterns as LIKE has them, in which a number or name is any text,
   -- with their segments; null with a star.
   select array_agg(regexp_replace(replace(regexp_replace(split_part(lower(r.path), '?', 1), '([\\%_])', '\\\1', 'g'), '*', '%'),
                                   '(?<![[:alnum:]]):[a-z]\w*', '%', 'g')) as likes,
          array_agg(case when r.path not like '%*%' then cardinality(string_to_array(split_part(r.path, '?', 1), '/')) end) as segments
     from (select r.path from pathmend.rules r where r.project_id = p.project_id and r.pattern_start is not null limit 1000) as r) as q
 cross join lateral (
   -- The 5,000 paths of the project with most people.
   select m.*, m.suggested + m.nothing + m.clicked + m.unlinked as not_redirected
     from pathmend.missing_paths m
    where m.project_id = p.project_id and m.people + m.unknown > 0 and m.path_hash <> ''::bytea
    order by m.people + m.unknown desc, m.path_hash limit 5000) as m
 where m.best_url is not null and m.not_redirected > 0
   and not exists (select from pathmend.rules r where r.project_id = m.project_id and r.rule_key = m.plain_hash)
   and not exists (select from pathmend.rules r where r.project_id = m.project_id and r.plain_key = m.plain_hash)
   -- Looks up the beginnings of the path, with and without numbers, as searches do. Comparing each wildcard would take longer
   -- the more wildcards a project has.
   and not exists (select from pathmend.rules r
                    where r.project_id = m.project_id
                      and r.prefix = any (array(
                        select k.prefix
                          from (select string_to_array(ltrim(lower(m.path), '/'), '/') as parts) as s
                         cross join lateral generate_series(1, least(cardinality(s.parts), 20)) as n
                         cross join lateral (select '/' || array_to_string(s.parts[:n], '/') as prefix) as b
                         cross join lateral (values (b.prefix), (regexp_replace(b.prefix, '/\d+(?=/|$)', '/#', 'g'))) as k (prefix)))
                   offset 0)
   and not exists (select from unnest(q.likes, q.segments) as k (likes, segments)
                    where lower(m.path) like k.likes
                      and coalesce(k.segments = cardinality(string_to_array(m.path, '/')), true));
comment on view analytics.redirects_worth_adding is
  'Of the 5,000 paths with most people: those that have no rule and for which there is a suggestion. Without test keys.';
comment on column analytics.redirects_worth_adding.project_id is 'Id of the project.';
comment on column analytics.redirects_worth_adding.project is 'Name of the project.';
comment on column analytics.redirects_worth_adding.path is 'The missing path, without query string.';
comment on column analytics.redirects_worth_adding.target is 'Path of the best suggestion.';
comment on column analytics.redirects_worth_adding.score is 'Score of its latest suggestion; suggest may answer differently now.';
comment on column analytics.redirects_worth_adding.people is '404s of people on the path.';
comment on column analytics.redirects_worth_adding.not_redirected is '404s among them that were not redirected.';
comment on column analytics.redirects_worth_adding.gain is 'not_redirected × score: about how many of these a redirect would have led to the right page.';
comment on column analytics.redirects_worth_adding.last_seen is 'The latest 404 of a person.';
