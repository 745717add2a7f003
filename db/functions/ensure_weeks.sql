-- Creates the weekly partitions of the searches and events that arrive between two moments. Many sessions may call it at
-- once: each waits for a partition that another session is creating, then finds it.
--
-- It waits only for the service's own sessions. They take turns by a lock that only they can take; any login can take an
-- advisory lock. A partition is created on its own, then attached, which does not wait for readers of its table
-- (`create table … partition of` would wait for an analyst's open transaction, and all other sessions behind it).
create or replace function pathmend.ensure_weeks(p_from timestamptz, p_to timestamptz)
returns void
language plpgsql security definer set search_path from current as $$
declare
  v_week timestamptz := date_trunc('week', p_from, 'UTC');
  v_table text;
  v_partition text;
  v_my_turn boolean := false;
begin
  while v_week <= p_to loop
    foreach v_table in array array['searches', 'clicks', 'not_founds'] loop
      v_partition := v_table || '_' || to_char(v_week at time zone 'UTC', 'IYYY"w"IW');
      continue when to_regclass('pathmend.' || v_partition) is not null;
      if not v_my_turn then
        -- The lock that attaching takes, on the first table for all three. It does not block readers and writers.
        lock table pathmend.searches in share update exclusive mode;
        v_my_turn := true;
        continue when to_regclass('pathmend.' || v_partition) is not null;
      end if;
      execute format('create table pathmend.%I (like pathmend.%I including defaults including constraints including storage including compression,
                                                primary key (project_id, %s))',
                     v_partition, v_table, case v_table when 'searches' then 'search_id, searched_at' else 'event_id, received_at' end);
      execute format('alter table pathmend.%I attach partition pathmend.%I for values from (%L) to (%L)',
                     v_table, v_partition, (v_week at time zone 'UTC')::date, (v_week at time zone 'UTC')::date + 7);
    end loop;
    v_week := v_week + interval '7 days';
  end loop;
end $$;
