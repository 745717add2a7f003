-- A rule is for one host or for any, may be a pattern, and says when it holds and how it is answered. Processes of the release
-- before leave out what they do not know: they find no rule of a host and no pattern.

alter table pathmend.rules
  add column host text,
  add column plain_key bytea,
  add column pattern_start text collate "C" constraint rules__pattern_start check (octet_length(pattern_start) <= 1500),
  add column code smallint constraint rules__code check (code in (301, 302, 303, 307, 308, 410, 451)),
  add column pass_query boolean not null default false,
  add column valid_from timestamptz,
  add column valid_until timestamptz;
alter table pathmend.rules drop constraint rules__one_target;
alter table pathmend.rules add constraint rules__one_target check (
  case when action <> 'redirect' then target is null and new_prefix is null and target_key is null
       when pattern_start is not null then target is not null and new_prefix is null
       else target is not null and (new_prefix is null) <> (target_key is null) end);
-- Several hosts may have a rule of one prefix.
drop index pathmend.rules__prefix_of_project;
create index rules__prefix on pathmend.rules (project_id, prefix) where prefix is not null;
create index rules__plain on pathmend.rules (project_id, plain_key) where plain_key is not null;
create index rules__pattern on pathmend.rules (project_id, pattern_start) where pattern_start is not null;

comment on column pathmend.rules.host is 'The host that it is for, in lower case, with its port if it has one; null: any.';
comment on column pathmend.rules.plain_key is
  'Of a rule of one host: the rule_key that it would have without. Null: rule_key.';
comment on column pathmend.rules.pattern_start is
  'Of a pattern such as /p-:id.html: its literal segments before the first placeholder, three at most, in lower case. Null: no pattern.';
comment on column pathmend.rules.code is 'How it is answered; null: 301, or 410 of what is gone.';
comment on column pathmend.rules.pass_query is 'Whether the query string of the request is passed on to the target.';
comment on column pathmend.rules.valid_from is 'From when on it holds; null: always.';
comment on column pathmend.rules.valid_until is 'Up to when it holds; null: always.';
comment on column pathmend.rules.path is
  'As it was written, without a host; with /* at its end: all paths below; of a pattern with :name, :number and *.';
comment on column pathmend.rules.rule_key is
  'SHA-256 of the plain path, with its query string where it was given; of all paths below one that of the prefix and /#*; of a pattern that of its text; of one host that of host and the other.';

alter table pathmend.projects
  add column path_case text constraint projects__path_case check (path_case in ('ignored', 'matters')),
  add column path_slash text constraint projects__path_slash check (path_slash in ('ignored', 'matters'));
comment on column pathmend.projects.path_case is
  'Whether the site tells upper and lower case in paths apart. Null: not said; rules ignore it, and exports compare letter by letter.';
comment on column pathmend.projects.path_slash is
  'The same of a slash at the end of a path.';

alter table pathmend.api_keys drop constraint api_keys__scopes;
alter table pathmend.api_keys
  add constraint api_keys__scopes check (scopes <@ array['read', 'write', 'rules'] and scopes <> '{}');
