-- Words of a project's vocabulary within Levenshtein distance 2 of another that share its first two letters or its last
-- three: two short index ranges.
--
-- With its owner's rights: `right` is not leakproof, see matching_pages.
create or replace function pathmend.near_words(p_project uuid, p_word text)
returns table (word text, pages integer)
language plpgsql stable security definer set search_path from current
rows 10 as $$
begin
  perform pathmend.check_project(p_project);
  return query
    select n.word, n.pages
      from (select v.word, v.pages from pathmend.vocabulary v
             where v.project_id = p_project
               and v.word >= left(p_word, 2) collate "C" and v.word < (left(p_word, 2) || chr(1114111)) collate "C"
               and length(v.word) between length(p_word) - 2 and length(p_word) + 2
            union
            select v.word, v.pages from pathmend.vocabulary v
             where v.project_id = p_project
               and right(v.word, 3) = right(p_word, 3)
               and length(v.word) between length(p_word) - 2 and length(p_word) + 2) as n
     where octet_length(n.word) <= 255 and levenshtein_less_equal(p_word, n.word, 2) <= 2;
end $$;
