-- Comparisons of paths weigh the words of path_words, so nothing reads this list any more. It stays for instances of the
-- release before, which read and write it while others are upgraded.
alter table pathmend.indexed_pages alter column counted_words set default '{}';
comment on column pathmend.indexed_pages.counted_words is 'Not read any more.';
