-- What the guard of `pages sync --prune` once held back stays held until somebody says --force, or the source names it again:
-- new pages beside it would make its share look small in the next run.

create table pathmend.held_pages (
  project_id uuid not null,
  page_id    text collate "C" not null,
  constraint held_pages__pkey primary key (project_id, page_id),
  constraint held_pages__page foreign key (project_id, page_id) references pathmend.pages on delete cascade
);
alter table pathmend.held_pages enable row level security;
comment on table pathmend.held_pages is 'Pages that their source does not have, and that `pages sync --prune` did not delete because they were too many.';
