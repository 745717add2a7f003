-- Redirects of all paths below an old one, as `/old/* /new/:splat` in a file of redirects.

create table pathmend.wildcard_redirects (
  project_id  uuid not null constraint wildcard_redirects__project references pathmend.projects on delete cascade,
  old_prefix  text collate "C" not null constraint wildcard_redirects__old_prefix check (octet_length(old_prefix) <= 1000),
  old_path    text not null,
  target      text not null,
  target_host text,
  new_prefix  text,
  target_key  bytea,
  imported_at timestamptz not null,
  constraint wildcard_redirects__pkey primary key (project_id, old_prefix),
  constraint wildcard_redirects__one_target check ((new_prefix is null) <> (target_key is null))
);
alter table pathmend.wildcard_redirects enable row level security;
comment on table pathmend.wildcard_redirects is
  'Redirects of all paths below an old one. A redirect of one path overrules them, and a longer one a shorter one.';
comment on column pathmend.wildcard_redirects.old_prefix is 'Beginning of plain paths, whole segments.';
comment on column pathmend.wildcard_redirects.old_path is 'As the customer wrote it, up to the slash before the star.';
comment on column pathmend.wildcard_redirects.new_prefix is 'Beginning of plain paths, which the rest of the old path follows.';
comment on column pathmend.wildcard_redirects.target_key is 'As pages.path_key, where all lead to one page.';
