-- Drops the weekly partitions in which everything is older than p_before, and returns their names. A partition that is being
-- read (such as by an analyst's open transaction) stays until the next time: a drop that waits makes all writers wait behind it.
create or replace function pathmend.drop_old_weeks(p_before timestamptz)
returns setof text
language plpgsql security definer set search_path from current set lock_timeout = '1s' as $$
declare
  v_partition record;
begin
  for v_partition in
    select c.relname as name,
           (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \(''([^'']+)''\)'))[1]::timestamp at time zone 'UTC' as ends
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
     where i.inhparent in ('pathmend.searches'::regclass, 'pathmend.clicks'::regclass, 'pathmend.not_founds'::regclass)
     order by c.relname
  loop
    if v_partition.ends <= p_before then
      begin
        execute format('drop table pathmend.%I', v_partition.name);
        return next v_partition.name;
      exception when lock_not_available then
        return;
      end;
    end if;
  end loop;
end $$;
