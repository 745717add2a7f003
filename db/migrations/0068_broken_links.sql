-- What a crawl met of links that lead to no page, with the pages that have them. A page that has not changed is not read again:
-- its links are kept with what its server said of it.
create table pathmend.broken_links (
  project_id uuid not null constraint broken_links__project references pathmend.projects on delete cascade,
  place      integer not null constraint broken_links__place check (place between 1 and 10000),
  url        text not null,
  path       text not null,
  path_hash  bytea not null,
  plain_hash bytea not null,
  status     smallint,
  answer     text not null constraint broken_links__answer check (char_length(answer) <= 500),
  pages      text[] not null constraint broken_links__pages check (cardinality(pages) <= 20),
  page_count integer not null,
  checked_at timestamptz not null,
  constraint broken_links__pkey primary key (project_id, place)
);
create index broken_links__path on pathmend.broken_links (project_id, path_hash);
alter table pathmend.broken_links enable row level security;
comment on table pathmend.broken_links is
  'Links of the site that led to no page when its latest crawl asked for them: the ten thousand that most pages have, by place.';
comment on column pathmend.broken_links.path is 'Of the url, without query string: as missing_paths.path.';
comment on column pathmend.broken_links.path_hash is 'As missing_paths.path_hash.';
comment on column pathmend.broken_links.plain_hash is 'As missing_paths.plain_hash.';
comment on column pathmend.broken_links.status is 'Null: there was no answer, or none that ends.';
comment on column pathmend.broken_links.answer is 'In words.';
comment on column pathmend.broken_links.pages is 'Urls of the first pages that have the link.';
comment on column pathmend.broken_links.page_count is 'How many pages have it.';

alter table pathmend.page_validators add column links bytea
  constraint page_validators__links check (octet_length(links) <= 8000);
comment on column pathmend.page_validators.links is
  'Of each link to the site that the page has, the first eight bytes of the SHA-256 of its url. Null: it was not crawled.';
