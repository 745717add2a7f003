-- Makes the weekly partitions of the searches and events that arrive between two moments. Safe to call from many
-- sessions at once: a partition that another session is making is waited for, then found.
create or replace function pathmend.ensure_weeks(p_from timestamptz, p_to timestamptz)
returns void
language plpgsql security definer set search_path from current as $$
declare
  v_week timestamptz := date_trunc('week', p_from, 'UTC');
  v_table text;
  v_partition text;
begin
  perform pg_advisory_xact_lock(hashtextextended('pathmend.ensure_weeks', 0));
  while v_week <= p_to loop
    foreach v_table in array array['searches', 'clicks', 'not_founds'] loop
      v_partition := v_table || '_' || to_char(v_week at time zone 'UTC', 'IYYY"w"IW');
      if to_regclass('pathmend.' || v_partition) is null then
        execute format('create table pathmend.%I partition of pathmend.%I for values from (%L) to (%L)',
                       v_partition, v_table, v_week, v_week + interval '7 days');
      end if;
    end loop;
    v_week := v_week + interval '7 days';
  end loop;
end $$;
