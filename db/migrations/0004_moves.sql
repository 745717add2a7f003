-- What a project's own redirects and clicks say about where its pages went.

-- Null for pages from before this migration, until house-keeping has filled it.
alter table pathmend.pages add column path_key bytea;
create index pages__path_key on pathmend.pages (project_id, path_key);
create index pages__path_key_missing on pathmend.pages (project_id, page_id) where path_key is null;
comment on column pathmend.pages.path_key is
  'SHA-256 of the plain path of url with its query string: pages that differ in case, ending or trailing slash share it.';

create table pathmend.moves (
  project_id    uuid not null,
  -- The hash, not the path: a path of 2,048 characters does not fit into a b-tree entry.
  old_path_hash bytea not null,
  source        text not null constraint moves__source check (source in ('redirect', 'click')),
  page_id       text collate "C" not null,
  old_path      text not null,
  clicks        bigint constraint moves__clicks check ((source = 'click') = (clicks is not null) and clicks > 0),
  last_seen_at  timestamptz not null,
  constraint moves__pkey primary key (project_id, old_path_hash, source, page_id),
  constraint moves__page foreign key (project_id, page_id)
    references pathmend.pages (project_id, page_id) on delete cascade
);
create index moves__page_of_project on pathmend.moves (project_id, page_id);
create index moves__recent on pathmend.moves (project_id, last_seen_at desc);
comment on table pathmend.moves is 'Old paths and the pages that they became: the customer''s redirects, and what visitors clicked.';
comment on column pathmend.moves.old_path_hash is 'SHA-256 of the plain old path, with its query string where a redirect gives one.';
comment on column pathmend.moves.old_path is 'A redirect''s as the customer wrote it; a click''s as a plain path.';
comment on column pathmend.moves.clicks is 'Clicks on this page among the suggestions for this path; null for a redirect.';
comment on column pathmend.moves.last_seen_at is 'When the redirect was imported, or the latest click arrived.';

-- Derived from moves; written by learning only.
create table pathmend.section_moves (
  project_id     uuid not null constraint section_moves__project references pathmend.projects on delete cascade,
  old_prefix     text collate "C" not null constraint section_moves__old_prefix check (octet_length(old_prefix) <= 1000),
  new_prefix     text collate "C" not null constraint section_moves__new_prefix check (octet_length(new_prefix) <= 1000),
  support        double precision not null,
  contradictions double precision not null,
  confidence     double precision not null constraint section_moves__confidence check (confidence > 0 and confidence < 1),
  constraint section_moves__pkey primary key (project_id, old_prefix, new_prefix)
);
comment on table pathmend.section_moves is 'Sections that moved: a path below old_prefix is looked for below new_prefix.';
comment on column pathmend.section_moves.old_prefix is 'Beginning of plain paths, whole segments; # stands for any number; empty: every path.';
comment on column pathmend.section_moves.support is 'Distinct moved paths that show it; one known by a single click counts half.';
comment on column pathmend.section_moves.contradictions is 'Distinct moved paths that it would have sent to another live page.';
comment on column pathmend.section_moves.confidence is 'What lookups use, two decimals: a learning run that leaves it as it is changes no answer.';
