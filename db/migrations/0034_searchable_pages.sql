-- A search needs the number of a project's searchable pages to weigh words: counting a million of them took a tenth of a
-- second after each change of the index. Kept beside the version, which the same transactions change.
alter table pathmend.index_versions add column pages bigint not null default 0;
comment on column pathmend.index_versions.pages is 'Searchable pages: rows of indexed_pages. Counted anew by maintenance where an older release has changed pages beside this one.';

update pathmend.index_versions v
   set pages = x.pages
  from (select project_id, count(*) as pages from pathmend.indexed_pages group by project_id) as x
 where x.project_id = v.project_id;

-- The console says how many pages a rule for a whole section would hide: of a million, without an index, in a second. A
-- path may be longer than an index entry.
create index indexed_pages__section on pathmend.indexed_pages (project_id, lower(left(path, 255)) text_pattern_ops);
