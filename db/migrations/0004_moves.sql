-- What a project's own redirects, clicks and 404s say about where its pages went, and which are gone.

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
alter table pathmend.moves enable row level security;
comment on table pathmend.moves is 'Old paths and the pages that they became: the customer''s redirects, and what visitors clicked.';
comment on column pathmend.moves.old_path_hash is 'SHA-256 of the plain old path, with its query string where a redirect gives one.';
comment on column pathmend.moves.old_path is 'A redirect''s as the customer wrote it; a click''s as a plain path.';
comment on column pathmend.moves.clicks is 'Searches for this path that were followed by a click on this page; null for a redirect.';
comment on column pathmend.moves.last_seen_at is 'When the redirect was imported, or the latest click arrived.';

-- A search is a visit; who clicks twice says it once.
create table pathmend.counted_clicks (
  project_id uuid not null constraint counted_clicks__project references pathmend.projects on delete cascade,
  search_id  uuid not null,
  page_id    text collate "C" not null,
  counted_at timestamptz not null,
  constraint counted_clicks__pkey primary key (project_id, search_id, page_id)
);
create index counted_clicks__counted_at on pathmend.counted_clicks (counted_at);
comment on table pathmend.counted_clicks is
  'Searches whose click on a page has been learned from: the next click of the same search on it is not.';

-- Derived from moves; written by learning only.
create table pathmend.section_moves (
  project_id     uuid not null constraint section_moves__project references pathmend.projects on delete cascade,
  old_prefix     text collate "C" not null constraint section_moves__old_prefix check (octet_length(old_prefix) <= 1000),
  new_prefix     text collate "C" not null constraint section_moves__new_prefix check (octet_length(new_prefix) <= 1000),
  source         text not null default 'redirect' constraint section_moves__source check (source in ('redirect', 'click')),
  support        double precision not null,
  contradictions double precision not null,
  confidence     double precision not null constraint section_moves__confidence check (confidence > 0 and confidence < 1),
  constraint section_moves__pkey primary key (project_id, old_prefix, new_prefix)
);
alter table pathmend.section_moves enable row level security;
comment on table pathmend.section_moves is 'Sections that moved: a path below old_prefix is looked for below new_prefix.';
comment on column pathmend.section_moves.old_prefix is 'Beginning of plain paths, whole segments; # stands for any number; empty: every path.';
comment on column pathmend.section_moves.source is
  'redirect: shown by the customer''s redirects; click: by clicks alone, which never make an answer sure.';
comment on column pathmend.section_moves.support is 'Distinct moved paths that show it; one known by a single click counts half.';
comment on column pathmend.section_moves.contradictions is
  'Distinct moved paths that went elsewhere: below another new prefix, or though this one has such a page.';
comment on column pathmend.section_moves.confidence is
  'What lookups use, three decimals; the new prefixes of one old prefix share it out. A learning run that leaves it as it is changes no answer.';

-- Redirects whose page is not there: deleted, or not pushed yet. They become moves when the page is pushed.
create table pathmend.waiting_redirects (
  project_id    uuid not null constraint waiting_redirects__project references pathmend.projects on delete cascade,
  old_path_hash bytea not null,
  old_path      text not null,
  target        text not null,
  target_key    bytea not null,
  target_path   text not null,
  target_host   text,
  target_hash   bytea,
  imported_at   timestamptz not null,
  constraint waiting_redirects__pkey primary key (project_id, old_path_hash)
);
create index waiting_redirects__target on pathmend.waiting_redirects (project_id, target_key);
alter table pathmend.waiting_redirects enable row level security;
comment on table pathmend.waiting_redirects is 'Redirects to pages that the project does not have now; they answer nothing until such a page is pushed.';
comment on column pathmend.waiting_redirects.target is 'Where to: the url of the page that was deleted, or what the customer wrote.';
comment on column pathmend.waiting_redirects.target_key is
  'As pages.path_key; a page with it is the target, on target_host where that is given, the very one of target_hash first.';

-- Pages of which visitors report that they are missing on the site, and those that the proxy was asked for.
create table pathmend.missing_pages (
  project_id    uuid not null,
  page_id       text collate "C" not null,
  path_key      bytea not null,
  networks      text[] not null default '{}',
  hours         timestamptz[] not null default '{}',
  first_at      timestamptz,
  last_at       timestamptz,
  reported_at   timestamptz,
  asked_at      timestamptz,
  asked_test_at timestamptz,
  constraint missing_pages__pkey primary key (project_id, page_id),
  constraint missing_pages__page foreign key (project_id, page_id)
    references pathmend.pages (project_id, page_id) on delete cascade
);
create index missing_pages__reported on pathmend.missing_pages (project_id, page_id, path_key) where reported_at is not null;
alter table pathmend.missing_pages enable row level security;
comment on table pathmend.missing_pages is 'What 404s of pages'' own urls say since the page was last pushed; an upsert of the page clears it.';
comment on column pathmend.missing_pages.path_key is 'As in pages: a page that is reported missing may still be named for its own path.';
comment on column pathmend.missing_pages.networks is 'Networks of visitors who met the 404 (/24 or /48), a few of them.';
comment on column pathmend.missing_pages.hours is 'Hours in which somebody without an address met it, a few of them.';
comment on column pathmend.missing_pages.reported_at is 'When the reports were enough: from then on the page is not suggested for other paths.';
comment on column pathmend.missing_pages.asked_at is 'When the proxy was last asked for the page''s own url: it is no target of the next such question.';
comment on column pathmend.missing_pages.asked_test_at is 'The same by a test key.';
