-- What makes searches of large projects fast: an order of arrival, so that an index can cover what came before a moment
-- while a scan reads what came after; signatures of paths, whose likeness is counted in bits; filters found by an index.

-- One order for all that a page adds to an index. The default is set apart from the column, which existing rows then
-- get without being written again: they all came "first".
create sequence pathmend.arrivals;
alter table pathmend.passages add column arrival bigint not null default 0;
alter table pathmend.passages alter column arrival set default nextval('pathmend.arrivals');
alter table pathmend.page_terms add column arrival bigint not null default 0;
alter table pathmend.page_terms alter column arrival set default nextval('pathmend.arrivals');
alter table pathmend.indexed_pages add column arrival bigint not null default 0;
alter table pathmend.indexed_pages alter column arrival set default nextval('pathmend.arrivals');
create index passages__arrival on pathmend.passages (project_id, arrival);
create index page_terms__arrival on pathmend.page_terms (project_id, arrival);
create index indexed_pages__arrival on pathmend.indexed_pages (project_id, arrival);
comment on column pathmend.passages.arrival is 'Order in which rows of the index came; 0 from before there was one.';

-- Null for pages from before this migration, until house-keeping has filled them.
alter table pathmend.indexed_pages
  add column path_trigrams bit(512),
  add column slug_trigrams bit(512),
  add column counted_words text[];
create index indexed_pages__unsigned on pathmend.indexed_pages (project_id, page_id) where path_trigrams is null;
comment on column pathmend.indexed_pages.path_trigrams is
  'One bit per trigram of path_words, by hash: Jaccard of two such sets is the likeness of two paths, in nanoseconds.';
comment on column pathmend.indexed_pages.slug_trigrams is 'The same of slug_words.';
comment on column pathmend.indexed_pages.counted_words is
  'The words of the path, and the forms of its slug''s, whose counts in the vocabulary weigh a comparison with it.';

-- A project whose passages are many gets indexes of its own (partial ones: no tenant reads another's rows), which cover
-- what arrived up to `covered`.
create table pathmend.own_indexes (
  project_id uuid not null constraint own_indexes__project references pathmend.projects on delete cascade,
  model_id   integer not null constraint own_indexes__model references pathmend.models,
  covered    bigint not null,
  passages   bigint not null,
  built_at   timestamptz not null default now(),
  constraint own_indexes__pkey primary key (project_id, model_id)
);
comment on table pathmend.own_indexes is
  'Projects that are searched through indexes of their own, named after the project, the model and `covered`.';
comment on column pathmend.own_indexes.covered is 'Rows that arrived up to here are in them; later ones are scanned.';
comment on column pathmend.own_indexes.passages is 'Passages when they were built.';

-- Filters. The project first, so that a filter never reads what another tenant stored under the same key and value.
create index pages__metadata on pathmend.pages using gin (project_id, metadata jsonb_path_ops);
