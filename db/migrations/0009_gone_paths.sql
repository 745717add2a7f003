-- Old paths of which the customer says that nothing took their place. Folders with several of them are given up.

create table pathmend.gone_paths (
  project_id  uuid not null constraint gone_paths__project references pathmend.projects on delete cascade,
  path_hash   bytea not null,
  folder_hash bytea,
  path        text not null,
  imported_at timestamptz not null,
  constraint gone_paths__pkey primary key (project_id, path_hash)
);
create index gone_paths__folder on pathmend.gone_paths (project_id, folder_hash) where folder_hash is not null;
alter table pathmend.gone_paths enable row level security;
comment on table pathmend.gone_paths is 'Old paths that are gone for good (410). A page or a redirect of such a path removes the row.';
comment on column pathmend.gone_paths.path_hash is 'As moves.old_path_hash.';
comment on column pathmend.gone_paths.folder_hash is 'SHA-256 of the plain path of its folder; null at the root of the site.';
comment on column pathmend.gone_paths.path is 'As the customer wrote it.';
