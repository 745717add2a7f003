-- Copies a month of 404s into a file of DuckDB, with which you ask the rest. PGHOST, PGUSER and the like name the login.
install postgres;
load postgres;
attach '' as pathmend (type postgres, read_only);

-- The server runs this text, and reads the weeks of these days alone.
create or replace table missed as
  from postgres_query('pathmend', $$
    select at, day, host, path, section, referrer_kind, outcome, is_robot from analytics.not_founds
     where project = 'demo' and day between '2026-03-01' and '2026-03-31'
  $$);

select section, count(*) as people, round(avg((outcome in ('redirected', 'clicked'))::int), 2) as share
  from missed where not is_robot group by all order by people desc, section;
