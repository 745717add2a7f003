-- Missing paths without a rule in force, with the page that is probably right.
create view analytics.redirects_worth_adding with (security_barrier) as
select p.project_id,
       p.project,
       m.path,
       m.best_url as target,
       m.best_score::numeric(5, 4) as score,
       m.people + m.unknown as people,
       m.not_redirected,
       round((m.not_redirected * m.best_score)::numeric, 1) as gain,
       m.last_human as last_seen,
       m.best_at as suggested_at,
       (select coalesce(sum(v.clicks), 0)::bigint from pathmend.learned_redirects v
         where v.project_id = m.project_id and v.old_path_hash = m.plain_hash and v.page_id = m.best_page_id) as clicks,
       (select coalesce(sum(v.clicks), 0)::bigint from pathmend.learned_redirects v
         where v.project_id = m.project_id and v.old_path_hash = m.plain_hash) as clicks_all
  from analytics.accessible_projects p
 cross join lateral (
   -- The 5,000 paths of the project with most people.
   select m.*, m.suggested + m.nothing + m.clicked + m.unlinked as not_redirected
     from pathmend.missing_paths m
    where m.project_id = p.project_id and m.people + m.unknown > 0 and m.path_hash <> ''::bytea
    order by m.people + m.unknown desc, m.path_hash limit 5000) as m
 where m.best_url is not null and m.not_redirected > 0
   -- A rule in force decides about the path: one of its own by its key, any other by path_rules, since the service has compared
   -- the paths with wildcards and patterns. A key does not tell case and slash apart, and paths without letters have that of
   -- the home page. Each path is looked up: a join would read all rules, of which there may be a hundred thousand.
   and not (exists (select from pathmend.path_rules c join pathmend.rules r on r.project_id = c.project_id and r.rule_key = c.rule_key
                  where c.project_id = p.project_id and c.path_hash = m.path_hash
                    and (r.valid_from <= now()) is not false and (r.valid_until > now()) is not false
                    and ((sha256(convert_to(r.prefix, 'UTF8')) = m.plain_hash) is not true or not exists (
                      select from pathmend.pages f join pathmend.indexed_pages i on i.project_id = f.project_id and i.page_id = f.page_id
                       where f.project_id = r.project_id and f.path_key = m.plain_hash and i.indexed_at is not null)) offset 0)
         or exists (select from pathmend.rules r
                     where r.project_id = p.project_id and (r.rule_key = m.plain_hash or r.plain_key = m.plain_hash)
                       and (r.valid_from <= now()) is not false and (r.valid_until > now()) is not false
                       and m.plain_hash <> sha256('') and not exists (
                         select from pathmend.projects t
                          where t.project_id = r.project_id and 'matters' in (t.path_case, t.path_slash)) offset 0));
comment on view analytics.redirects_worth_adding is
  'Of the 5,000 paths with most people: those that have no rule in force and for which there is a suggestion. Without test keys.';
comment on column analytics.redirects_worth_adding.project_id is 'Id of the project.';
comment on column analytics.redirects_worth_adding.project is 'Name of the project.';
comment on column analytics.redirects_worth_adding.path is 'The missing path, without query string.';
comment on column analytics.redirects_worth_adding.target is 'Path of the best suggestion.';
comment on column analytics.redirects_worth_adding.score is 'Score of its latest suggestion; suggest may answer differently now.';
comment on column analytics.redirects_worth_adding.people is '404s of people on the path.';
comment on column analytics.redirects_worth_adding.not_redirected is '404s among them that were not redirected.';
comment on column analytics.redirects_worth_adding.gain is 'not_redirected × score: about how many of these a redirect would have led to the right page.';
comment on column analytics.redirects_worth_adding.last_seen is 'The latest 404 of a person.';
comment on column analytics.redirects_worth_adding.suggested_at is 'When target was the answer; suggest may answer differently now.';
comment on column analytics.redirects_worth_adding.clicks is 'Clicks of people on target, among the suggestions for the path.';
comment on column analytics.redirects_worth_adding.clicks_all is 'Clicks of people on any suggestion for the path.';
