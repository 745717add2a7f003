-- Words of a project's vocabulary within Levenshtein distance 2 of a word. They share its first two or its last three
-- letters, and differ in length by at most the typos that a word of its length may have. Nearest first, then most frequent
-- first, at most 50.
--
-- Reads at most 2,500 words, words of the same length first: 500 for each beginning and ending. On the sites that spelling is
-- measured on, no beginning or ending and length has more than 403 correctable words. Pages pushed on purpose had hundreds of
-- thousands, which took seconds. Sequential and bitmap scans are off because they would read all of them before the limit
-- counts.
--
-- Callers plan without parameters (session-settings.ts). Otherwise, for a project newer than the table's statistics, the
-- planner expects no words and reads all of them by the primary key. With the setting in this function, Citus could not plan it.
--
-- Runs with its owner's rights: hashes of a row's values are not leakproof, see matching_pages.
create or replace function pathmend.near_words(p_project uuid, p_word text)
returns table (word text, pages integer)
language plpgsql stable security definer set search_path from current
set enable_seqscan = off
set enable_bitmapscan = off
rows 10 as $$
declare
  v_length constant integer := length(p_word);
  -- Like maxEdits() in src/search/ranking/spelling/word-readings.ts.
  v_slips constant integer := case when v_length <= 8 then 1 else 2 end;
begin
  perform pathmend.check_project(p_project);
  if v_length > 40 then return; end if;
  return query
    select n.word, n.pages
      from (select distinct c.word, c.pages, levenshtein_less_equal(p_word, c.word, 2) as distance
              from (select k.word, k.pages
                      from unnest(array[0, -1, 1, -2, 2]) as difference
                     cross join lateral (
                       (select v.word, v.pages from pathmend.vocabulary v
                         where v.project_id = p_project
                           and uuid_hash_extended(v.project_id, hashtextextended(left(v.word, 2), length(v.word)))
                             = uuid_hash_extended(p_project, hashtextextended(left(p_word, 2) collate "C", v_length + difference))
                         limit 500)
                       union all
                       (select v.word, v.pages from pathmend.vocabulary v
                         where v.project_id = p_project
                           and uuid_hash_extended(v.project_id, hashtextextended(right(v.word, 3), length(v.word)))
                             = uuid_hash_extended(p_project, hashtextextended(right(p_word, 3) collate "C", v_length + difference))
                         limit 500)) as k
                     where abs(difference) <= v_slips and octet_length(k.word) <= 255
                     limit 2500) as c) as n
     -- Two swapped letters also have distance 2. In a short word, other typos of that distance are too many.
     where n.distance <= 1
        or n.distance = 2 and (v_slips = 2 or (length(n.word) = v_length and translate(n.word, p_word, '') = '' and translate(p_word, n.word, '') = ''))
     order by n.distance, n.pages desc, n.word
     limit 50;
end $$;
