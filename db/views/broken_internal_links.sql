-- Links of the site to its own missing pages, with a proposed target. Sources: visitors who followed them, and the last crawl.
create view analytics.broken_internal_links with (security_barrier) as
select p.project_id,
       p.project,
       l.page,
       l.link,
       coalesce(x.path, m.best_url) as proposed_target,
       case when x.path is null then m.best_score::numeric(5, 4) end as score,
       l.people,
       l.others,
       l.first_seen,
       l.last_seen,
       l.status,
       l.checked_at,
       -- A rule in force decides about the path: one of its own by its key, any other by path_rules, since the service has compared
       -- the paths with wildcards and patterns. A key does not tell case and slash apart, and paths without letters have that of
       -- the home page. Each path is looked up: a join would read all rules, of which there may be a hundred thousand.
       not (exists (select from pathmend.path_rules c join pathmend.rules r on r.project_id = c.project_id and r.rule_key = c.rule_key
                  where c.project_id = p.project_id and c.path_hash = l.path_hash
                    and (r.valid_from <= now()) is not false and (r.valid_until > now()) is not false
                    and ((sha256(convert_to(r.prefix, 'UTF8')) = l.plain_hash) is not true or not exists (
                      select from pathmend.pages f join pathmend.indexed_pages i on i.project_id = f.project_id and i.page_id = f.page_id
                       where f.project_id = r.project_id and f.path_key = l.plain_hash and i.indexed_at is not null)) offset 0)
         or exists (select from pathmend.rules r
                     where r.project_id = p.project_id and (r.rule_key = l.plain_hash or r.plain_key = l.plain_hash)
                       and (r.valid_from <= now()) is not false and (r.valid_until > now()) is not false
                       and l.plain_hash <> sha256('') and not exists (
                         select from pathmend.projects t
                          where t.project_id = r.project_id and 'matters' in (t.path_case, t.path_slash)) offset 0))
       and not exists (select from pathmend.pages o join pathmend.indexed_pages i on i.project_id = o.project_id and i.page_id = o.page_id
                        where o.project_id = p.project_id and o.path_key = l.plain_hash) as broken,
       l.answer,
       case when x.path is null then m.best_at end as suggested_at
  from analytics.accessible_projects p
 cross join lateral (
   select coalesce(v.page, c.page) as page, coalesce(v.link, c.link) as link, coalesce(v.path_hash, c.path_hash) as path_hash,
          coalesce(v.plain_hash, c.plain_hash) as plain_hash, coalesce(v.people, 0) as people, coalesce(v.others, 0) as others,
          v.first_seen, v.last_seen, c.status, c.checked_at, c.answer
     from (
       select f.*, m.path as link, m.plain_hash
         from (
           -- The 5,000 links of the project that most people followed.
           select r.path_hash, r.referrer as page, sum(r.human)::bigint as people, sum(r.others)::bigint as others,
                  min(r.first_seen) as first_seen, max(r.last_seen) as last_seen
             from pathmend.referrer_weeks r
            where r.project_id = p.project_id and r.own and r.path_hash <> ''::bytea and r.referrer <> '(other)'
            group by r.path_hash, r.referrer_hash, r.referrer
            order by sum(r.human) desc, r.path_hash, r.referrer_hash limit 5000) as f
         join pathmend.missing_paths m on m.project_id = p.project_id and m.path_hash = f.path_hash) as v
     full join (
       select b.path_hash, b.plain_hash, b.path as link, u.page, min(b.status) as status, max(b.checked_at) as checked_at,
              min(b.answer) as answer
         from pathmend.broken_links b
        cross join lateral (select distinct split_part(t.url, '?', 1) as page from unnest(b.pages) as t (url)) as u
        where b.project_id = p.project_id
        group by b.path_hash, b.plain_hash, b.path, u.page) as c on c.path_hash = v.path_hash and c.page = v.page) as l
  left join pathmend.missing_paths m on m.project_id = p.project_id and m.path_hash = l.path_hash
  left join lateral (
    select x.path
      from pathmend.rules r
     cross join lateral (
       -- Like selectTargetOf in src/rules/store/rules-of-path.ts. The path is looked up only if the exact url is not found.
       select t.page_id
         from (select coalesce(
                 (select o.page_id from pathmend.pages o where o.project_id = r.project_id and o.url_hash = r.target_hash),
                 (select p.page_id
                    from (select p.page_id, p.url, p.path_key from pathmend.pages p
                           where p.project_id = r.project_id and p.path_key in (r.target_key, r.target_bare_key) limit 1000) as p
                   where r.target_host is null or split_part(p.url, '/', 3) = r.target_host
                   order by (substr(p.url, length(split_part(p.url, '/', 1)) + length(split_part(p.url, '/', 3)) + 3) = r.target_path)
                            desc nulls last, p.path_key = r.target_key desc, p.page_id
                   limit 1)) as page_id offset 0) as t
        where t.page_id is not null) as o
      join pathmend.indexed_pages x on x.project_id = r.project_id and x.page_id = o.page_id
     where r.project_id = p.project_id and r.rule_key = l.plain_hash limit 1) as x on true;
comment on view analytics.broken_internal_links is
  'Links of the site to its own missing paths: the 5,000 that most people followed (from referrers of 404s), and those that the last crawl found. Without test keys.';
comment on column analytics.broken_internal_links.project_id is 'Id of the project.';
comment on column analytics.broken_internal_links.project is 'Name of the project.';
comment on column analytics.broken_internal_links.page is 'Url of the page with the link, without query string.';
comment on column analytics.broken_internal_links.link is 'The missing path.';
comment on column analytics.broken_internal_links.proposed_target is 'Target of your redirect, else the best suggestion; null if there is none.';
comment on column analytics.broken_internal_links.score is 'Score of the latest suggestion; suggest may answer differently now. null: the target is from your redirect.';
comment on column analytics.broken_internal_links.people is '404s of people who followed the link; 0: only the crawl found it.';
comment on column analytics.broken_internal_links.others is '404s of other visitors who followed the link.';
comment on column analytics.broken_internal_links.first_seen is 'The first 404; null: only the crawl found the link.';
comment on column analytics.broken_internal_links.last_seen is 'The latest 404: shows whether the link was fixed since.';
comment on column analytics.broken_internal_links.status is 'HTTP status in the last crawl; null: no answer, or not in the crawl.';
comment on column analytics.broken_internal_links.checked_at is 'End of that crawl; null: the crawl did not find the link.';
comment on column analytics.broken_internal_links.broken is 'True if the path has no rule in force and no page now. A rule that waits for its page counts as a rule.';
comment on column analytics.broken_internal_links.answer is 'What the last crawl was answered, in words; null: the crawl did not find the link.';
comment on column analytics.broken_internal_links.suggested_at is 'When proposed_target was the answer; null: the target is from your redirect, or there is none.';
