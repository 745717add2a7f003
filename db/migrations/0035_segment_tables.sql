-- A large project's own indexes were partial indexes of tables that all projects share: planning a statement there locks
-- and reads each of them. From now on a segment is three small tables with their own indexes (docs/evidence/decisions/0083).
-- Those of earlier releases stay in use until their project's next build.
comment on schema pathmend_segments is
  'Segments of large projects, named in pathmend.own_indexes: copies of what is searched by an index. What is missing is built anew, so no backup needs it.';

alter table pathmend.own_indexes
  add column pages bigint,
  add column swept_at timestamptz not null default now();
comment on table pathmend.own_indexes is
  'Segments of large projects'' order of arrival, which are searched by indexes. They join without a gap. Each is the tables vectors_, terms_ and paths_ of the schema pathmend_segments, named after the project and `segment`.';
comment on column pathmend.own_indexes.segment is
  'The number in the names of its tables; of the sequence of arrivals, which gives none twice.';
comment on column pathmend.own_indexes.pages is
  'Pages when it was built or swept; null: an earlier release built it, as partial indexes of passages, page_terms and indexed_pages.';
comment on column pathmend.own_indexes.swept_at is 'When rows of pages that had changed or gone were last deleted from its tables.';
