-- Every stored 404. What only some questions need is looked up for the rows that are asked for it: the answer of the 404's
-- search, and the hosts of the project's pages.
create view analytics.not_founds with (security_barrier) as
select n.project_id,
       p.project,
       n.received_at as at,
       coalesce(pathmend.host_of(n.origin), pathmend.host_of(n.raw_path), split_part(n.host, ':', 1)) as host,
       x.path,
       pathmend.section_of(x.path) as section,
       -- Most paths have no folder that begins with a code of two letters (or fil), and need nothing more.
       case when x.path ~* '^/*(?:[^/]*/)?(?:[a-z]{2}|fil)(?:[-_/]|$)' then pathmend.language_of(x.path) end as language,
       nullif(n.referrer, '') as referrer,
       case when coalesce(n.referrer, '') = '' then 'none'
            -- The host as a column of its own, since the planner inlines referrer_kind for nothing longer.
            else (select case when n.referrer like '/%' or r.host = pathmend.host_of(n.origin) or r.host = any (h.hosts) then 'own'
                              else coalesce(pathmend.referrer_kind(r.host), 'other') end
                    from (select pathmend.host_of(n.referrer) as host offset 0) as r) end as referrer_kind,
       case when n.raw_path like '%utm\_source=%' then pathmend.parameter_of(n.raw_path, 'utm_source') end as utm_source,
       case when n.raw_path like '%utm\_medium=%' then pathmend.parameter_of(n.raw_path, 'utm_medium') end as utm_medium,
       case when n.raw_path like '%utm\_campaign=%' then pathmend.parameter_of(n.raw_path, 'utm_campaign') end as utm_campaign,
       -- Not by coalesce: the planner knows how many rows the column has of each kind.
       n.visitor not in ('person', 'unknown') as is_robot,
       n.outcome,
       (select coalesce(s.led_to, s.results -> 0 ->> 'url') from pathmend.searches s
         where s.project_id = n.project_id and s.search_id = n.search_id
           and (s.searched_at at time zone 'UTC')::date between (n.received_at at time zone 'UTC')::date - 8
                                                            and (n.received_at at time zone 'UTC')::date + 8
         limit 1) as answered_url,
       (select case when s.led_to is null then pathmend.shown_score(s.best_score) end from pathmend.searches s
         where s.project_id = n.project_id and s.search_id = n.search_id
           and (s.searched_at at time zone 'UTC')::date between (n.received_at at time zone 'UTC')::date - 8
                                                            and (n.received_at at time zone 'UTC')::date + 8
         limit 1) as score,
       k.name as key_name,
       (n.received_at at time zone 'UTC')::date as day,
       n.visitor,
       n.search_id
  from analytics.accessible_projects p
  -- Before the rows, so that they are read for each project and not for each row.
  left join lateral (select pathmend.hosts_of(p.project_id) as hosts offset 0) as h on true
  join pathmend.not_founds n on n.project_id = p.project_id
  left join pathmend.api_keys k on k.project_id = n.project_id and k.key_id = n.key_id
 cross join lateral (
   select split_part(split_part(case when n.raw_path like 'http%' then regexp_replace(n.raw_path, '^https?://[^/?#]+', '', 'i') else n.raw_path end,
                                '?', 1), '#', 1) as path) as x
 where not n.is_test;
comment on view analytics.not_founds is
  'Every stored 404, for EVENT_RETENTION_DAYS and within HISTORY_MB_PER_DAY. Always filter by day: its weeks alone are read then. Without test keys.';
comment on column analytics.not_founds.project_id is 'Id of the project.';
comment on column analytics.not_founds.project is 'Name of the project.';
comment on column analytics.not_founds.at is 'Time of the 404; if its sender gave none, of its arrival.';
comment on column analytics.not_founds.host is 'Host that the visitor asked for, without port; null: neither origin nor X-Original-Host named it.';
comment on column analytics.not_founds.path is 'Path without query string and fragment.';
comment on column analytics.not_founds.section is 'First folder of the path that is not a language, year or version; null: it has none.';
comment on column analytics.not_founds.language is 'Language that the first or second folder of the path names, as en of /en-us/; null: neither does.';
comment on column analytics.not_founds.referrer is 'Url of the page that led there, as it was sent; null: none.';
comment on column analytics.not_founds.referrer_kind is
  'own (the host of the 404, or of a page of the project), search_engine, social, other, or none.';
comment on column analytics.not_founds.utm_source is 'Parameter utm_source of the dead url, decoded; null: none.';
comment on column analytics.not_founds.utm_medium is 'Parameter utm_medium of the dead url, decoded; null: none.';
comment on column analytics.not_founds.utm_campaign is 'Parameter utm_campaign of the dead url, decoded; null: none.';
comment on column analytics.not_founds.is_robot is 'Whether the visitor is no person: a robot, scanner, search engine or assistant. Unknown visitors count as people.';
comment on column analytics.not_founds.outcome is
  'redirected, clicked, suggested (no click), nothing (no suggestion), gone, unlinked (unknown), or robot: of robots and scanners, whatever was answered.';
comment on column analytics.not_founds.answered_url is
  'Where the answer of its search leads: the path of the first suggestion, or a full url if it led elsewhere; null: there is no search, or no answer.';
comment on column analytics.not_founds.score is 'Score of answered_url, if it is the first suggestion; else null.';
comment on column analytics.not_founds.key_name is 'Name of the API key that reported it; null: the key has no name, or the row is of a log.';
comment on column analytics.not_founds.day is 'UTC day of the 404.';
comment on column analytics.not_founds.visitor is 'person, assistant, search_engine, scanner, robot, or unknown: no user agent.';
comment on column analytics.not_founds.search_id is 'The search that answered it; null: it names none.';
