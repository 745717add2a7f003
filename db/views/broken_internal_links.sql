-- Links of the site to its own missing pages, and where they should lead.
create view analytics.broken_internal_links with (security_barrier) as
select p.project_id,
       p.project,
       r.page,
       m.path as link,
       coalesce(x.path, m.best_url) as proposed_target,
       case when x.path is null then m.best_score::numeric(5, 4) end as score,
       r.people,
       r.others,
       r.first_seen,
       r.last_seen
  from analytics.accessible_projects p
 cross join lateral (
   -- The first five thousand of the project, by people.
   select r.path_hash, r.referrer as page, sum(r.human)::bigint as people, sum(r.others)::bigint as others,
          min(r.first_seen) as first_seen, max(r.last_seen) as last_seen
     from pathmend.referrer_weeks r
    where r.project_id = p.project_id and r.own and r.path_hash <> ''::bytea and r.referrer <> '(other)'
    group by r.path_hash, r.referrer_hash, r.referrer
    order by sum(r.human) desc, r.path_hash, r.referrer_hash limit 5000) as r
  join pathmend.missing_paths m on m.project_id = p.project_id and m.path_hash = r.path_hash
  left join lateral (
    select x.path
      from pathmend.rules r
     cross join lateral (
       -- As selectTargetOf in src/rules/store/rules-of-path.ts. Where its very url is found, its path is not looked up.
       select t.page_id
         from (select coalesce(
                 (select p.page_id from pathmend.pages p where p.project_id = r.project_id and p.url_hash = r.target_hash),
                 (select p.page_id
                    from (select p.page_id, p.url from pathmend.pages p
                           where p.project_id = r.project_id and p.path_key = r.target_key limit 1000) as p
                   where r.target_host is null or split_part(p.url, '/', 3) = r.target_host
                   order by (substr(p.url, length(split_part(p.url, '/', 1)) + length(split_part(p.url, '/', 3)) + 3) = r.target_path)
                            desc nulls last, p.page_id
                   limit 1)) as page_id offset 0) as t
        where t.page_id is not null) as p
      join pathmend.indexed_pages x on x.project_id = r.project_id and x.page_id = p.page_id
     where r.project_id = m.project_id and r.rule_key = m.plain_hash limit 1) as x on true;
comment on view analytics.broken_internal_links is
  'Links of the site to its own missing paths, as referrers of 404s show them: the 5,000 that most people followed. Test keys left out.';
comment on column analytics.broken_internal_links.project_id is 'Id of the project.';
comment on column analytics.broken_internal_links.project is 'Name of the project.';
comment on column analytics.broken_internal_links.page is 'Url of the page that has the link, without query string.';
comment on column analytics.broken_internal_links.link is 'The missing path that it links to.';
comment on column analytics.broken_internal_links.proposed_target is 'Where a redirect of yours leads, else the best suggestion; null: none.';
comment on column analytics.broken_internal_links.score is 'With which it was last suggested; suggest may answer otherwise now. null: it is a redirect of yours.';
comment on column analytics.broken_internal_links.people is '404s of people who followed it.';
comment on column analytics.broken_internal_links.others is '404s of others who followed it.';
comment on column analytics.broken_internal_links.first_seen is 'The first of them.';
comment on column analytics.broken_internal_links.last_seen is 'The latest of them: whether it was mended meanwhile.';
