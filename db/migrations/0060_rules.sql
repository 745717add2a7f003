-- Redirects, gone and ignored paths stood in five tables, and a redirect moved to another one when its page came or went. From
-- now on a rule is one row, whose page is looked up when it is read. `moves` has what clicks teach alone.

create table pathmend.rules (
  project_id  uuid not null constraint rules__project references pathmend.projects on delete cascade,
  -- The hash, not the path: a path of 2,048 characters does not fit into a b-tree entry.
  rule_key    bytea not null,
  path        text not null,
  spellings   text[] not null default '{}',
  prefix      text collate "C" constraint rules__prefix check (octet_length(prefix) <= 1000),
  folder_hash bytea,
  action      text not null constraint rules__action check (action in ('redirect', 'gone', 'ignore')),
  target      text,
  target_key  bytea,
  target_path text,
  target_host text,
  target_hash bytea,
  new_prefix  text,
  origin      text not null constraint rules__origin check (origin in ('import', 'sync', 'person', 'console', 'learned')),
  made_by     text,
  made_at     timestamptz not null,
  confidence  double precision constraint rules__confidence check (confidence between 0 and 1),
  -- Cut, because an index entry has a maximum size; stored, because row level security keeps functions out of an index.
  path_order  text collate "C" generated always as (left(lower(path), 200)) stored,
  constraint rules__pkey primary key (project_id, rule_key),
  constraint rules__one_target check (
    case when action = 'redirect' then target is not null and (new_prefix is null) <> (target_key is null)
         else target is null and new_prefix is null and target_key is null end)
);
create unique index rules__prefix_of_project on pathmend.rules (project_id, prefix) where prefix is not null;
create index rules__target on pathmend.rules (project_id, target_key) where target_key is not null;
create index rules__folder on pathmend.rules (project_id, folder_hash) where folder_hash is not null;
create index rules__near on pathmend.rules (project_id, path_order) where action = 'redirect' and prefix is null;
create index rules__made on pathmend.rules (project_id, made_at desc, rule_key);
alter table pathmend.rules enable row level security;
comment on table pathmend.rules is
  'What people, files and syncs say of old paths: where they lead, that they are gone, or that they are not worth a redirect. One path''s rule comes before one of all below a path, and a longer prefix before a shorter one.';
comment on column pathmend.rules.rule_key is
  'SHA-256 of the plain path, with its query string where it was given; of all paths below one that of the prefix and /#*.';
comment on column pathmend.rules.path is 'As it was written; with /* at its end: all paths below.';
comment on column pathmend.rules.spellings is 'In what other ways the path was listed: a web server compares letter by letter. Without the star.';
comment on column pathmend.rules.prefix is 'Of all paths below one: beginning of plain paths, whole segments; # stands for any number.';
comment on column pathmend.rules.folder_hash is 'Of one path that is gone: SHA-256 of the plain path of its folder; null at the root of the site.';
comment on column pathmend.rules.action is 'redirect; gone: for good (410), until a page or another rule takes its place; ignore: not worth a redirect.';
comment on column pathmend.rules.target is 'As it was written; with :splat at its end what stands behind the prefix follows.';
comment on column pathmend.rules.target_key is
  'As pages.path_key, where all lead to one page: a page with it is the target, on target_host where that is given, the very one of target_hash first. While there is none, the redirect waits for it.';
comment on column pathmend.rules.new_prefix is 'Beginning of plain paths, which the rest of the old path follows.';
comment on column pathmend.rules.made_by is 'Who, where a person made it.';
comment on column pathmend.rules.made_at is 'When it was made as it is. Importing it again leaves this.';
comment on column pathmend.rules.confidence is
  'Of a confirmed proposal: the probability with which it was proposed. Null: a person, a file or a sync said so.';

-- What the five tables hold, as rules.
create function pathmend.earlier_rules() returns table (
  project_id uuid, rule_key bytea, path text, spellings text[], prefix text, folder_hash bytea, action text, target text,
  target_key bytea, target_path text, target_host text, target_hash bytea, new_prefix text, origin text, made_by text,
  made_at timestamptz, confidence double precision)
language sql stable as $$
select m.project_id, m.old_path_hash as rule_key, m.old_path as path, m.spellings, null::text as prefix, null::bytea as folder_hash,
       'redirect' as action, p.url as target, p.path_key as target_key,
       substr(p.url, length(split_part(p.url, '/', 1)) + length(split_part(p.url, '/', 3)) + 3) as target_path,
       split_part(p.url, '/', 3) as target_host, p.url_hash as target_hash, null::text as new_prefix,
       coalesce(m.origin, 'import') as origin, m.made_by, coalesce(m.made_at, m.last_seen_at) as made_at,
       null::double precision as confidence
  from pathmend.moves m join pathmend.pages p on p.project_id = m.project_id and p.page_id = m.page_id
 where m.source = 'redirect'
union all
select w.project_id, w.old_path_hash, w.old_path, w.spellings, null, null, 'redirect', w.target, w.target_key, w.target_path,
       w.target_host, w.target_hash, null, coalesce(w.origin, 'import'), w.made_by, coalesce(w.made_at, w.imported_at), null
  from pathmend.waiting_redirects w
union all
select g.project_id, g.path_hash, g.path, g.spellings, null, g.folder_hash, 'gone', null, null, null, null, null, null,
       coalesce(g.origin, 'import'), g.made_by, coalesce(g.made_at, g.imported_at), null
  from pathmend.gone_paths g
union all
select i.project_id, i.path_hash, i.path, '{}', null, null, 'ignore', null, null, null, null, null, null, i.origin, i.made_by,
       i.made_at, null
  from pathmend.ignored_paths i
union all
select w.project_id, sha256(convert_to(w.old_prefix || '/#*', 'UTF8')), w.old_path || '*', w.spellings, w.old_prefix, null, w.action,
       w.target, w.target_key, null, w.target_host, null, w.new_prefix, coalesce(w.origin, 'import'), w.made_by, w.imported_at,
       w.confidence
  from pathmend.wildcard_redirects w;
$$;
comment on function pathmend.earlier_rules() is 'Rules in the tables of earlier releases. Goes with them.';

insert into pathmend.rules
  (project_id, rule_key, path, spellings, prefix, folder_hash, action, target, target_key, target_path, target_host, target_hash,
   new_prefix, origin, made_by, made_at, confidence)
select * from pathmend.earlier_rules()
on conflict (project_id, rule_key) do nothing;

-- Processes of the release before go on until they are replaced: what they write becomes a rule. What goes because its page goes
-- (a trigger's trigger) stays a rule.
create function pathmend.keep_earlier_rule() returns trigger
language plpgsql security definer set search_path = pg_catalog, pathmend, pg_temp as $$
declare
  v_row jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  v_key bytea := case tg_table_name
    when 'wildcard_redirects' then sha256(convert_to(v_row ->> 'old_prefix' || '/#*', 'UTF8'))
    else (coalesce(v_row ->> 'old_path_hash', v_row ->> 'path_hash'))::bytea end;
begin
  if pg_trigger_depth() > 1 or v_row ->> 'source' = 'click' then return null; end if;
  delete from pathmend.rules where project_id = (v_row ->> 'project_id')::uuid and rule_key = v_key;
  insert into pathmend.rules
    (project_id, rule_key, path, spellings, prefix, folder_hash, action, target, target_key, target_path, target_host,
     target_hash, new_prefix, origin, made_by, made_at, confidence)
  select * from pathmend.earlier_rules() where project_id = (v_row ->> 'project_id')::uuid and rule_key = v_key
  on conflict (project_id, rule_key) do nothing;
  return null;
end $$;
comment on function pathmend.keep_earlier_rule() is 'Goes with the tables of earlier releases.';
do $$
declare
  v_table text;
begin
  -- Citus has no triggers on its tables. There processes of the release before are stopped first.
  if exists (select from pg_extension where extname = 'citus') then return; end if;
  foreach v_table in array array['moves', 'waiting_redirects', 'gone_paths', 'ignored_paths', 'wildcard_redirects'] loop
    execute format('create trigger keep_rule after insert or update or delete on pathmend.%I
                      for each row execute function pathmend.keep_earlier_rule()', v_table);
  end loop;
end $$;
