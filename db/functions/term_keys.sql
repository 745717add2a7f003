-- The keys that find a page in an index over its terms. Each term has its number as a key. Terms with a high weight in the
-- page (weights lie between 0 and 1, src/text/words/terms.ts) have more keys: number + 10^9 from 0.33 on, -number from 0.5,
-- -number - 10^9 from 0.7. An inverted index cannot rank, but these keys find the pages that are about a common word, instead
-- of all pages that contain it (src/text/words/term-lookups.ts). One in four of a page's terms has a weight of a half or more.
-- The keys make an index two thirds larger.
create or replace function pathmend.term_keys(terms sparsevec) returns integer[]
language sql immutable strict parallel safe
-- Reads the whole text of a page's terms, so an index that has its result is always cheaper.
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
