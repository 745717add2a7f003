-- A page is found by its words and path before its vectors are there: a job of its own stores them, a project at a time.

create table pathmend.wordless_pages (
  project_id uuid not null constraint wordless_pages__project references pathmend.projects on delete cascade,
  is_bulk    boolean not null,
  page_id    text collate "C" not null,
  constraint wordless_pages__pkey primary key (project_id, is_bulk, page_id)
);
alter table pathmend.wordless_pages enable row level security;
comment on table pathmend.wordless_pages is 'Pages whose words wait to be stored. A row of a deleted or indexed page means nothing, and the next job drops it.';
comment on column pathmend.wordless_pages.is_bulk is 'It was pushed with many others: pages that were pushed alone go first.';

alter table pathmend.indexed_pages alter column indexed_at drop not null;
comment on column pathmend.indexed_pages.indexed_at is 'When its vectors were stored. Null: it is found by its words and path alone.';

alter table pathmend.indexed_pages add column understood boolean not null default true;
create index indexed_pages__not_understood on pathmend.indexed_pages (project_id) where not understood;
comment on column pathmend.indexed_pages.understood is 'It has vectors: of its beginning at least, and of all its content once indexed_at is set.';

alter table pathmend.indexed_pages add column unread integer not null default 0;
create index indexed_pages__unread on pathmend.indexed_pages (project_id) where unread > 0;
comment on column pathmend.indexed_pages.unread is 'Characters at the end of a long page that have no vectors: words alone find them.';
