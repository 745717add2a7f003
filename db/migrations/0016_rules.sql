-- Redirects, gone and ignored paths as rules: who made each, how often it answers, what was changed, what is proposed.

alter table pathmend.moves
  add column origin text constraint moves__origin check (origin in ('import', 'sync', 'person', 'console', 'learned')),
  add column made_by text;
alter table pathmend.waiting_redirects
  add column origin text constraint waiting_redirects__origin check (origin in ('import', 'sync', 'person', 'console', 'learned')),
  add column made_by text;
alter table pathmend.gone_paths
  add column origin text constraint gone_paths__origin check (origin in ('import', 'sync', 'person', 'console', 'learned')),
  add column made_by text;
comment on column pathmend.moves.origin is 'What made the redirect; null: an import before this was kept, or a click.';
comment on column pathmend.moves.made_by is 'Who, where a person made it.';

alter table pathmend.wildcard_redirects
  add column origin text constraint wildcard_redirects__origin check (origin in ('import', 'sync', 'person', 'console', 'learned')),
  add column made_by text,
  add column action text not null default 'redirect'
    constraint wildcard_redirects__action check (action in ('redirect', 'gone', 'ignore')),
  alter column target drop not null,
  drop constraint wildcard_redirects__one_target,
  add constraint wildcard_redirects__one_target check (
    case when action = 'redirect' then target is not null and (new_prefix is null) <> (target_key is null)
         else target is null and new_prefix is null and target_key is null end);
comment on column pathmend.wildcard_redirects.action is 'gone: all paths below are gone for good; ignore: none is worth a redirect.';
comment on column pathmend.wildcard_redirects.old_prefix is
  'Beginning of plain paths, whole segments; # stands for any number, as in section_moves.';

create table pathmend.ignored_paths (
  project_id uuid not null constraint ignored_paths__project references pathmend.projects on delete cascade,
  path_hash  bytea not null,
  path       text not null,
  origin     text not null,
  made_by    text,
  made_at    timestamptz not null,
  constraint ignored_paths__pkey primary key (project_id, path_hash)
);
alter table pathmend.ignored_paths enable row level security;
comment on table pathmend.ignored_paths is 'Paths of which a person says that they are not worth a redirect. They change no answer.';
comment on column pathmend.ignored_paths.path_hash is 'As moves.old_path_hash.';

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
comment on column pathmend.rule_hits.rule_key is 'As moves.old_path_hash; of a wildcard the SHA-256 of its old prefix and /#*.';

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
  source         text not null constraint rule_proposals__source check (source in ('sections', 'redirects', 'clicks')),
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
comment on column pathmend.rule_proposals.rule_key is 'As rule_hits.rule_key.';
comment on column pathmend.rule_proposals.requests is 'Stored 404s that it would have answered; paths: distinct ones; examples: some of them.';
