-- What is known about old paths: rules of people, files and syncs, what clicks teach, and what is proposed.

create table pathmend.rules (
  project_id      uuid not null constraint rules__project references pathmend.projects on delete cascade,
  -- The hash, not the path: a path of 2,048 characters does not fit into a b-tree entry.
  rule_key        bytea not null,
  host            text,
  path            text not null,
  spellings       text[] not null default '{}',
  prefix          text collate "C" constraint rules__prefix check (octet_length(prefix) <= 1000),
  pattern_start   text collate "C" constraint rules__pattern_start check (octet_length(pattern_start) <= 1500),
  plain_key       bytea,
  -- Cut, because an index entry has a maximum size; stored, because row level security keeps functions out of an index.
  path_order      text collate "C" generated always as (left(lower(path), 200)) stored,
  folder_hash     bytea,
  action          text not null constraint rules__action check (action in ('redirect', 'gone', 'ignore')),
  code            smallint constraint rules__code check (code in (301, 302, 303, 307, 308, 410, 451)),
  target          text,
  target_key      bytea,
  target_bare_key bytea,
  target_path     text,
  target_host     text,
  target_hash     bytea,
  new_prefix      text,
  pass_query      boolean not null default false,
  valid_from      timestamptz,
  valid_until     timestamptz,
  origin          text not null
                  constraint rules__origin check (origin in ('import', 'sync', 'person', 'console', 'learned')),
  made_by         text,
  made_at         timestamptz not null,
  confidence      double precision constraint rules__confidence check (confidence between 0 and 1),
  constraint rules__pkey primary key (project_id, rule_key),
  constraint rules__one_target check (
    case when action <> 'redirect' then target is null and new_prefix is null and target_key is null
         when pattern_start is not null then target is not null and new_prefix is null
         else target is not null and (new_prefix is null) <> (target_key is null) end)
);
create index rules__bare_target on pathmend.rules (project_id, target_bare_key) where target_bare_key is not null;
create index rules__folder on pathmend.rules (project_id, folder_hash) where folder_hash is not null;
create index rules__made on pathmend.rules (project_id, made_at desc, rule_key);
create index rules__near on pathmend.rules (project_id, path_order) where action = 'redirect' and prefix is null;
create index rules__pattern on pathmend.rules (project_id, pattern_start) where pattern_start is not null;
create index rules__plain on pathmend.rules (project_id, plain_key) where plain_key is not null;
-- Several hosts may have a rule of one prefix.
create index rules__prefix on pathmend.rules (project_id, prefix) where prefix is not null;
create index rules__target on pathmend.rules (project_id, target_key) where target_key is not null;
alter table pathmend.rules enable row level security;
comment on table pathmend.rules is 'What people, files and syncs say of old paths: where they lead, that they are gone, or that they are not worth a redirect. One path''s rule comes before one of all below a path, and a longer prefix before a shorter one.';
comment on column pathmend.rules.rule_key is 'SHA-256 of the plain path, with its query string where it was given; of all paths below one that of the prefix and /#*; of a pattern that of its text; of one host that of host and the other.';
comment on column pathmend.rules.host is 'The host that it is for, in lower case, with its port if it has one; null: any.';
comment on column pathmend.rules.path is 'As it was written, without a host; with /* at its end: all paths below; of a pattern with :name, :number and *.';
comment on column pathmend.rules.spellings is 'In what other ways the path was listed: a web server compares letter by letter. Without the star.';
comment on column pathmend.rules.prefix is 'Of all paths below one: beginning of plain paths, whole segments; # stands for any number.';
comment on column pathmend.rules.pattern_start is 'Of a pattern such as /p-:id.html: its literal segments before the first placeholder, three at most, in lower case. Null: no pattern.';
comment on column pathmend.rules.plain_key is 'Of a rule of one host: the rule_key that it would have without. Null: rule_key.';
comment on column pathmend.rules.folder_hash is 'Of one path that is gone: SHA-256 of the plain path of its folder; null at the root of the site.';
comment on column pathmend.rules.action is 'redirect; gone: for good (410), until a page or another rule takes its place; ignore: not worth a redirect.';
comment on column pathmend.rules.code is 'How it is answered; null: 301, or 410 of what is gone.';
comment on column pathmend.rules.target is 'As it was written; with :splat at its end what stands behind the prefix follows.';
comment on column pathmend.rules.target_key is 'As pages.path_key, where all lead to one page: a page with it is the target, on target_host where that is given, the very one of target_hash first. While there is none, the redirect waits for it.';
comment on column pathmend.rules.target_bare_key is 'As target_key, without the query string of the target, where it has one: a page with target_key comes first.';
comment on column pathmend.rules.new_prefix is 'Beginning of plain paths, which the rest of the old path follows.';
comment on column pathmend.rules.pass_query is 'Whether the query string of the request is passed on to the target.';
comment on column pathmend.rules.valid_from is 'From when on it holds; null: always.';
comment on column pathmend.rules.valid_until is 'Up to when it holds; null: always.';
comment on column pathmend.rules.made_by is 'Who, where a person made it.';
comment on column pathmend.rules.made_at is 'When it was made as it is. Importing it again leaves this.';
comment on column pathmend.rules.confidence is 'Of a confirmed proposal: the probability with which it was proposed. Null: a person, a file or a sync said so.';

-- Which rules decide about missing paths, besides rules of their own. The service alone compares paths with wildcards and
-- patterns: views and lists read its result.
create table pathmend.path_rules (
  project_id uuid not null constraint path_rules__project references pathmend.projects on delete cascade,
  path_hash  bytea not null,
  rule_key   bytea not null,
  constraint path_rules__pkey primary key (project_id, path_hash)
);
alter table pathmend.path_rules enable row level security;
comment on table pathmend.path_rules is 'The wildcard or pattern that decides about each missing path or broken link. Where a project tells case or a slash at the end apart: a rule of a single path, too.';
comment on column pathmend.path_rules.path_hash is 'As missing_paths.path_hash. Of the empty path, which nobody asks for: of which rules the others are made.';
comment on column pathmend.path_rules.rule_key is 'As rules.rule_key: a row whose rule is gone, or not in force now, says nothing. Of the empty path: a hash of all these rules.';

-- No foreign key to a rule: a rule that is removed and restored has its hits again.
create table pathmend.rule_hits (
  project_id  uuid not null constraint rule_hits__project references pathmend.projects on delete cascade,
  rule_key    bytea not null,
  hits        bigint not null,
  last_hit_at timestamptz not null,
  constraint rule_hits__pkey primary key (project_id, rule_key)
) with (fillfactor = 50);
alter table pathmend.rule_hits enable row level security;
comment on table pathmend.rule_hits is 'How many answers a rule decided, and when the last one; dropped when the retention of events is over.';
comment on column pathmend.rule_hits.rule_key is 'As rules.rule_key.';

create table pathmend.rule_changes (
  project_id uuid not null constraint rule_changes__project references pathmend.projects on delete cascade,
  change_id  integer not null,
  changed_at timestamptz not null,
  changed_by text not null,
  kind       text not null constraint rule_changes__kind check (kind in ('change', 'confirm', 'undo')),
  undoes     integer,
  undone_by  integer,
  rules      jsonb not null,
  constraint rule_changes__pkey primary key (project_id, change_id)
);
alter table pathmend.rule_changes enable row level security;
comment on table pathmend.rule_changes is 'What people changed in a project''s rules, and all that it takes to undo it.';
comment on column pathmend.rule_changes.change_id is 'Counts from 1 in each project.';
comment on column pathmend.rule_changes.undone_by is 'The change that undid this one, while it is undone.';
comment on column pathmend.rule_changes.rules is 'As [{path, before, after}]; before and after are null where there was or is no rule.';

create table pathmend.rule_proposals (
  project_id     uuid not null constraint rule_proposals__project references pathmend.projects on delete cascade,
  rule_key       bytea not null,
  path           text not null,
  target         text not null,
  source         text not null
                 constraint rule_proposals__source check (source in ('sections', 'redirects', 'clicks', 'map')),
  support        double precision not null,
  contradictions double precision not null,
  confidence     double precision not null,
  evidence       jsonb not null,
  paths          integer not null,
  requests       integer not null,
  examples       jsonb not null,
  proposed_at    timestamptz not null,
  rejected_at    timestamptz,
  rejected_by    text,
  constraint rule_proposals__pkey primary key (project_id, rule_key)
);
alter table pathmend.rule_proposals enable row level security;
comment on table pathmend.rule_proposals is 'Rules that the service learned and nobody has confirmed. A rejected one stays, and is not proposed again.';
comment on column pathmend.rule_proposals.rule_key is 'As rules.rule_key.';
comment on column pathmend.rule_proposals.source is 'What proposes it: sections that moved, redirects, clicks; map: a sheet of old urls. Of such a row the rule_key is made of the rule''s, support is 1 once it is looked up, requests is how often the sheet says it was asked for, evidence holds one object with its decision, and rejected_at is set: it is no proposal of pathmend.';
comment on column pathmend.rule_proposals.requests is 'Stored 404s that it would have answered; paths: distinct ones; examples: some of them.';

create table pathmend.learned_redirects (
  project_id    uuid not null,
  -- The hash, not the path: a path of 2,048 characters does not fit into a b-tree entry.
  old_path_hash bytea not null,
  page_id       text collate "C" not null,
  old_path      text not null,
  clicks        bigint not null constraint learned_redirects__clicks check (clicks > 0),
  last_seen_at  timestamptz not null,
  constraint learned_redirects__pkey primary key (project_id, old_path_hash, page_id),
  constraint learned_redirects__page foreign key (project_id, page_id) references pathmend.pages on delete cascade
);
create index learned_redirects__page_of_project on pathmend.learned_redirects (project_id, page_id);
create index learned_redirects__recent on pathmend.learned_redirects (project_id, last_seen_at desc);
alter table pathmend.learned_redirects enable row level security;
comment on table pathmend.learned_redirects is 'Old paths and the pages that visitors chose for them: what clicks teach.';
comment on column pathmend.learned_redirects.old_path_hash is 'SHA-256 of the plain old path.';
comment on column pathmend.learned_redirects.old_path is 'A plain path.';
comment on column pathmend.learned_redirects.clicks is 'Searches for this path that were followed by a click on this page.';
comment on column pathmend.learned_redirects.last_seen_at is 'When the latest click arrived.';

-- A search is a visit; who clicks twice says it once.
create table pathmend.counted_clicks (
  project_id uuid not null constraint counted_clicks__project references pathmend.projects on delete cascade,
  search_id  uuid not null,
  page_id    text collate "C" not null,
  counted_at timestamptz not null,
  constraint counted_clicks__pkey primary key (project_id, search_id, page_id)
);
create index counted_clicks__counted_at on pathmend.counted_clicks (counted_at);
comment on table pathmend.counted_clicks is 'Searches whose click on a page has been learned from: the next click of the same search on it is not.';

-- Derived from rules and learned redirects; written by learning only.
create table pathmend.section_redirects (
  project_id     uuid not null constraint section_redirects__project references pathmend.projects on delete cascade,
  old_prefix     text collate "C" not null
                 constraint section_redirects__old_prefix check (octet_length(old_prefix) <= 1000),
  new_prefix     text collate "C" not null
                 constraint section_redirects__new_prefix check (octet_length(new_prefix) <= 1000),
  source         text not null default 'redirect'
                 constraint section_redirects__source check (source in ('redirect', 'click')),
  support        double precision not null,
  contradictions double precision not null,
  confidence     double precision not null
                 constraint section_redirects__confidence check (confidence > 0 and confidence < 1),
  constraint section_redirects__pkey primary key (project_id, old_prefix, new_prefix)
);
alter table pathmend.section_redirects enable row level security;
comment on table pathmend.section_redirects is 'Sections that moved: a path below old_prefix is looked for below new_prefix.';
comment on column pathmend.section_redirects.old_prefix is 'Beginning of plain paths, whole segments; # stands for any number; empty: every path.';
comment on column pathmend.section_redirects.source is 'redirect: shown by the customer''s redirects; click: by clicks alone, which never make an answer sure.';
comment on column pathmend.section_redirects.support is 'Distinct moved paths that show it; one known by a single click counts half.';
comment on column pathmend.section_redirects.contradictions is 'Distinct moved paths that went elsewhere: below another new prefix, or though this one has such a page.';
comment on column pathmend.section_redirects.confidence is 'What lookups use, three decimals; the new prefixes of one old prefix share it out. A learning run that leaves it as it is changes no answer.';
