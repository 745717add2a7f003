-- A question is compared with all headings of a page, not with its first line alone. Pages that are indexed already get
-- theirs when they are indexed again (`pages reindex`).
alter table pathmend.indexed_pages add column headings text not null default '';
comment on column pathmend.indexed_pages.headings is 'Headings of the content but its first line, one a line, as words without endings.';
