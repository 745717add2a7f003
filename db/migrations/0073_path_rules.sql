-- Which rules decide about missing paths, beside rules of their own. The service alone compares paths with wildcards and
-- patterns: views and lists read what it found.
create table pathmend.path_rules (
  project_id uuid not null constraint path_rules__project references pathmend.projects on delete cascade,
  path_hash  bytea not null,
  rule_key   bytea not null,
  constraint path_rules__pkey primary key (project_id, path_hash)
);
alter table pathmend.path_rules enable row level security;
comment on table pathmend.path_rules is
  'The wildcard or pattern that decides about each missing path or broken link. Where a project tells case or a slash at the end apart: a rule of a single path, too.';
comment on column pathmend.path_rules.path_hash is
  'As missing_paths.path_hash. Of the empty path, which nobody asks for: of which rules the others are made.';
comment on column pathmend.path_rules.rule_key is
  'As rules.rule_key: a row whose rule is gone, or not in force now, says nothing. Of the empty path: a hash of all these rules.';
