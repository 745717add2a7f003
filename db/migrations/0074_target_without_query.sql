-- A target may have a query string that its page's url does not have: the page is also found without it.

alter table pathmend.rules add column target_bare_key bytea;
create index rules__bare_target on pathmend.rules (project_id, target_bare_key) where target_bare_key is not null;
comment on column pathmend.rules.target_bare_key is
  'As target_key, without the query string of the target, where it has one: a page with target_key comes first.';

-- Plain paths of plain letters, as src/text/paths/plain-path.ts makes them. Rules with other targets get the key when they are
-- next written.
update pathmend.rules r
   set target_bare_key = sha256(convert_to(k.plain, 'UTF8'))
  from (select r.project_id, r.rule_key,
               (select coalesce(string_agg('/' || s.name, '' order by s.at), '')
                  from (select p.at, trim(both '-' from regexp_replace(regexp_replace(lower(p.part),
                                 '(?:\.(?:html?|xhtml|php[345]?|aspx?|jsp|cgi|pdf|md|txt|docx?|xml|zip|tar|gz))+$', ''), '[_.-]+', '-', 'g')) as name
                          from regexp_split_to_table(split_part(r.target_path, '?', 1), '/') with ordinality as p (part, at)
                         where lower(p.part) !~ '^(?:index|default)(?:\.[a-z]{2})?(?:\.(?:html?|php|aspx?|jsp))?$') as s
                 where s.name <> '') as plain
          from pathmend.rules r
         where r.target_key is not null and r.target_path ~ '^(?:/[A-Za-z0-9][A-Za-z0-9_.-]*)*/?[?][^#]'
           and lower(r.target_path) !~ '/(?:index|default)[^/?]*/') as k
 where r.project_id = k.project_id and r.rule_key = k.rule_key;
