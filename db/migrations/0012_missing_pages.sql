-- Pages that are gone from a site: redirects wait for them, visitors report them. And clicks count once for a search.

-- What clicks teach: which searches have been counted for which page. A search is a visit; who clicks twice says it once.
create table pathmend.counted_clicks (
  project_id uuid not null constraint counted_clicks__project references pathmend.projects on delete cascade,
  search_id  uuid not null,
  page_id    text collate "C" not null,
  counted_at timestamptz not null,
  constraint counted_clicks__pkey primary key (project_id, search_id, page_id)
);
create index counted_clicks__counted_at on pathmend.counted_clicks (counted_at);
comment on table pathmend.counted_clicks is 'Searches whose click on a page has been learned from: the next click of the same search on it is not.';

alter table pathmend.section_moves add column source text not null default 'redirect'
  constraint section_moves__source check (source in ('redirect', 'click'));
comment on column pathmend.section_moves.source is 'redirect: shown by the customer''s redirects; click: by clicks alone, which never make an answer sure.';
comment on column pathmend.section_moves.support is 'Distinct moved paths that show it; one known by a single click counts half.';
comment on column pathmend.moves.clicks is 'Searches for this path that were followed by a click on this page; null for a redirect.';
-- Until they are learned again, nobody knows which of these came from clicks alone.
update pathmend.section_moves s set source = 'click'
 where exists (select from pathmend.moves m where m.project_id = s.project_id and m.source = 'click');

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
comment on table pathmend.waiting_redirects is 'Redirects to pages that the project does not have now; they answer nothing until such a page is pushed.';
comment on column pathmend.waiting_redirects.target is 'Where to: the url of the page that was deleted, or what the customer wrote.';
comment on column pathmend.waiting_redirects.target_key is 'As pages.path_key; a page with it is the target, on target_host where that is given, the very one of target_hash first.';

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
comment on table pathmend.missing_pages is 'What 404s of pages'' own urls say since the page was last pushed; an upsert of the page clears it.';
comment on column pathmend.missing_pages.path_key is 'As in pages: a page that is reported missing may still be named for its own path.';
comment on column pathmend.missing_pages.networks is 'Networks of visitors who met the 404 (/24 or /48), a few of them.';
comment on column pathmend.missing_pages.hours is 'Hours in which somebody without an address met it, a few of them.';
comment on column pathmend.missing_pages.reported_at is 'When the reports were enough: from then on the page is not suggested for other paths.';
comment on column pathmend.missing_pages.asked_at is 'When the proxy was last asked for the page''s own url: it is no target of the next such question.';
comment on column pathmend.missing_pages.asked_test_at is 'The same by a test key.';

alter table pathmend.models add column configured_at timestamptz not null default now();
comment on column pathmend.models.configured_at is
  'When a worker last started with this model: the latest is what projects change to, whichever worker does the work.';

alter table pathmend.waiting_redirects enable row level security;
alter table pathmend.missing_pages enable row level security;

comment on column pathmend.section_moves.contradictions is
  'Distinct moved paths that went elsewhere: below another new prefix, or though this one has such a page.';
comment on column pathmend.section_moves.confidence is
  'What lookups use, three decimals; the new prefixes of one old prefix share it out. A learning run that leaves it as it is changes no answer.';
