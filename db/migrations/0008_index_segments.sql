-- Indexes of a project's own cover segments of the order of arrival, one beside the other, so that what is new is built by
-- itself and not with all that was there before. Those that are there know nothing of segments, and find terms by their
-- numbers only: they go, and large projects are scanned until workers have built theirs anew, in minutes.
delete from pathmend.own_indexes;
alter table pathmend.own_indexes
  add column segment bigint not null,
  add column after   bigint not null,
  drop constraint own_indexes__pkey,
  add constraint own_indexes__pkey primary key (project_id, model_id, segment);

comment on table pathmend.own_indexes is
  'Segments of large projects'' order of arrival that have indexes of their own, named after the project, what is indexed, and `segment`. They join without a gap.';
comment on column pathmend.own_indexes.segment is 'The number in the names of its indexes; of the sequence of arrivals, which gives none twice.';
comment on column pathmend.own_indexes.after is 'Rows that arrived after this are in them; -1: from the first on.';
comment on column pathmend.own_indexes.covered is 'Rows that arrived up to here are in them. What came after the last segment of a project is scanned.';
comment on column pathmend.own_indexes.passages is 'Passages when they were built.';

-- With the indexes over it.
drop function if exists pathmend.term_numbers(sparsevec) cascade;
