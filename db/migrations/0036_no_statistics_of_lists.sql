-- No statement chooses a plan by these columns, and most of the time of an ANALYZE went into them: it compared vectors, and
-- counted the elements of lists of words. While pages arrive the service analyzes each time that the index has grown by half.
do $$
begin
  -- Citus takes no such change of a distributed table, and plans by the statistics of its shards.
  if exists (select from pg_extension where extname = 'citus') then return; end if;
  alter table pathmend.indexed_pages
    alter column words set statistics 0, alter column counted_words set statistics 0,
    alter column path_trigrams set statistics 0, alter column slug_trigrams set statistics 0;
  alter table pathmend.passages alter column embedding set statistics 0;
end $$;
