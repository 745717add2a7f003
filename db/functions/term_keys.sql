-- The keys that a page is found by in an index over its terms: the number of each, and for those that are worth much in it
-- (their weights lie between 0 and 1, src/text/words/terms.ts) keys of their own: number + 10^9 from a third on, -number
-- from a half, -number - 10^9 from seven tenths. An inverted index cannot rank, but it can be asked for the pages that are
-- about a common word instead of for all that hold it (src/text/words/term-lookups.ts). One in four of a page's terms is
-- worth a half: an index takes two thirds more space for it.
create or replace function pathmend.term_keys(terms sparsevec) returns integer[]
language sql immutable strict parallel safe
-- Reads the whole text of a page's terms: an index that has done so already is always the cheaper way.
cost 10000 as $$
  select array(
    select unnest(
             array[number]
             || case when weight >= 0.33 then array[number + 1000000000] end
             || case when weight >= 0.5 then array[-number] end
             || case when weight >= 0.7 then array[-number - 1000000000] end)
      from unnest(string_to_array(trim(both '{}' from split_part(terms::text, '/', 1)), ',')) as entry
     cross join lateral (select split_part(entry, ':', 1)::integer as number, split_part(entry, ':', 2)::real as weight) as e
     where entry <> '')
$$;
