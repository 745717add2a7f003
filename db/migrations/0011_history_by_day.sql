-- Searches and events are partitioned by their UTC day, as the analysts' views show it: a filter on the views' day then
-- reads the weeks that it is about and no others. The weeks go over as they are, each read once to prove its days;
-- until the week of today has its turn, nobody who writes waits. The primary keys stay with the partitions: one over all
-- cannot hold an expression.

drop view if exists analytics.click_through_daily, analytics.not_founds_daily, analytics.searches_without_results;

do $$
declare
  v_tables constant text[] := array['searches', 'clicks', 'not_founds'];
  v_table text;
  v_week record;
begin
  create temporary table weeks on commit drop as
    select t.name as parent, c.relname as name, to_date(right(c.relname, 7), 'IYYY"w"IW') as monday,
           format('(%I at time zone ''UTC'')::date', case t.name when 'searches' then 'searched_at' else 'received_at' end) as day
      from unnest(v_tables) as t (name)
      join pg_inherits i on i.inhparent = ('pathmend.' || t.name)::regclass
      join pg_class c on c.oid = i.inhrelid;

  for v_week in select * from weeks order by monday, name loop
    execute format('alter table pathmend.%I add constraint of_its_week
                      check ((%2$s) is not null and (%2$s) >= %3$L and (%2$s) < %4$L)',
                   v_week.name, v_week.day, v_week.monday, v_week.monday + 7);
  end loop;

  -- It was never asked, and refused paths of more than 2,704 bytes.
  drop index pathmend.not_founds__path;

  foreach v_table in array v_tables loop
    execute format('alter table pathmend.%I rename to %I', v_table, v_table || '_until_now');
    execute format('create table pathmend.%I (like pathmend.%I including comments including constraints) partition by range (((%I at time zone ''UTC'')::date))',
                   v_table, v_table || '_until_now', case v_table when 'searches' then 'searched_at' else 'received_at' end);
    for v_week in select * from weeks where parent = v_table order by monday loop
      execute format('alter table pathmend.%I detach partition pathmend.%I', v_table || '_until_now', v_week.name);
      execute format('alter table pathmend.%I attach partition pathmend.%I for values from (%L) to (%L)',
                     v_table, v_week.name, v_week.monday, v_week.monday + 7);
      execute format('alter table pathmend.%I drop constraint of_its_week', v_week.name);
    end loop;
    execute format('drop table pathmend.%I', v_table || '_until_now');
  end loop;
end $$;

create index clicks__search on pathmend.clicks (project_id, search_id);

-- Neither has a foreign key, as the history itself: whoever deletes a project deletes them.
create table pathmend.history_days (
  project_id uuid not null,
  day        date not null,
  what       text not null constraint history_days__what check (what in ('searches', 'events')),
  bytes      bigint not null,
  stored     bigint not null,
  not_kept   bigint not null,
  constraint history_days__pkey primary key (project_id, day, what)
) with (fillfactor = 50);
comment on table pathmend.history_days is 'How much of a project''s searches and events arrived on a UTC day, and what of it was only counted (HISTORY_MB_PER_DAY).';
comment on column pathmend.history_days.bytes is 'Of all that arrived, as JSON.';
comment on column pathmend.history_days.stored is 'Searches or events that were stored.';
comment on column pathmend.history_days.not_kept is 'Searches or events that came beyond the limit, and were counted here and not stored.';

create table pathmend.refused_events (
  project_id  uuid not null,
  event_id    uuid not null,
  received_at timestamptz not null,
  refused_at  timestamptz not null default now(),
  reason      text not null,
  event       jsonb not null,
  constraint refused_events__pkey primary key (project_id, event_id)
);
comment on table pathmend.refused_events is 'Events that were acknowledged and that the database refuses to store, set aside so that others do not wait for them.';
comment on column pathmend.refused_events.event is 'The whole event, as it was queued.';
