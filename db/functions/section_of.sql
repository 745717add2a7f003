-- The first folder of a path that is not a language, year or version, as content_gaps has it; null if there is none.
create or replace function pathmend.section_of(p_path text) returns text
language sql immutable parallel safe as $$
  select substring(p_path from '/([^/]*[^0-9/._-]{3}[^/]*)/')
$$;
