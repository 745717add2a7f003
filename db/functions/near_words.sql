-- Words of a project's vocabulary within Levenshtein distance 2 of another, which share its first two letters or its last
-- three, and whose length differs by no more than the slips that a word of its length may hold: the nearest ones first, of
-- these the commonest, 50 at most.
--
-- It looks at 2,500 words at most, those of the word's own length first: 500 of each beginning and ending. No site of those
-- that spelling is measured on has more than 403 correctable words of one beginning or ending and length; pages pushed for
-- the purpose have hundreds of thousands, which took seconds. Sequential and bitmap scans are switched off because they would read all
-- of them before the limit counts.
--
-- Its callers plan without parameters (session-settings.ts): else, of a project that has come since the table was analyzed, the
-- planner expects no words at all, and reads all of them by the primary key. Set here, Citus could not plan it.
--
-- With its owner's rights: hashes of what is in a row are not leakproof, see matching_pages.
create or replace function pathmend.near_words(p_project uuid, p_word text)
returns table (word text, pages integer)
language plpgsql stable security definer set search_path from current
set enable_seqscan = off
set enable_bitmapscan = off
rows 10 as $$
declare
  v_length constant integer := length(p_word);
  -- As maxEdits() in src/search/ranking/spelling/word-readings.ts.
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
     -- Two letters swapped have distance 2, too; in a short word other slips of that distance are too many.
     where n.distance <= 1
        or n.distance = 2 and (v_slips = 2 or (length(n.word) = v_length and translate(n.word, p_word, '') = '' and translate(p_word, n.word, '') = ''))
     order by n.distance, n.pages desc, n.word
     limit 50;
end $$;
