-- What keeps the work of spelling small, whatever a project's vocabulary holds (db/functions/near_words.sql).

-- Words of one beginning and length, and of one ending and length, are rows of one key: a look-up can stop after so many of
-- them, where a range of words would first be read whole to find those of the right length. The key has the project in it,
-- so that no other index serves, which the planner might take for the better one. The column of counts must be in none of
-- them: it changes with every page, and the row could not stay where it is.
create index vocabulary__beginning on pathmend.vocabulary (uuid_hash_extended(project_id, hashtextextended(left(word, 2), length(word))));
create index vocabulary__end on pathmend.vocabulary (uuid_hash_extended(project_id, hashtextextended(right(word, 3), length(word))));
drop index pathmend.vocabulary__ending;

-- How many words there are: counting them takes a tenth of a second where they are many, and storing a page asks.
alter table pathmend.index_versions add column words bigint not null default 0;
update pathmend.index_versions i
   set words = (select count(*) from pathmend.vocabulary v where v.project_id = i.project_id);
comment on column pathmend.index_versions.words is 'Distinct words of the vocabulary. At a limit, pages bring no new ones (src/pages/bounded-vocabulary.ts).';
