-- What a site's server said of a page when it was last read, by which the next sync asks whether it has changed.

create table pathmend.page_validators (
  project_id    uuid not null,
  page_id       text collate "C" not null,
  etag          text,
  last_modified text,
  lastmod       text,
  stored_at     timestamptz not null default now(),
  constraint page_validators__pkey primary key (project_id, page_id),
  constraint page_validators__page foreign key (project_id, page_id) references pathmend.pages on delete cascade
);
alter table pathmend.page_validators enable row level security;
comment on table pathmend.page_validators is
  'Of pages that were read from their site. A row counts while the page has not been changed since stored_at.';
comment on column pathmend.page_validators.lastmod is 'The word of the sitemap.';
