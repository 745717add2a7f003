-- For analytics.not_founds_daily, the one view that reads 404s themselves: with it a day is read and not its week. 404s are
-- stored nearly in the order of their time, so ranges of pages are enough: some 50 KB for 700,000 rows, and nothing to keep
-- up at each insert. Imported logs are out of order: their pages are read as before.
create index not_founds__day on pathmend.not_founds
  using brin (((received_at at time zone 'UTC')::date)) with (pages_per_range = 16, autosummarize = on);
