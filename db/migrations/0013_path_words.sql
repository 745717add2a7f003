-- Comparisons of paths weigh the words of path_words, so their counts need no list of their own.
alter table pathmend.indexed_pages drop column counted_words;
