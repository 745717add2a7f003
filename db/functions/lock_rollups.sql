-- Locks the sums of these projects until the end of the transaction, in the order of their ids to avoid deadlocks.
create or replace function pathmend.lock_rollups(p_what text, p_projects uuid[]) returns void
language plpgsql as $$
begin
  insert into pathmend.rollups (project_id, what)
  select distinct project_id, p_what from unnest(p_projects) as project_id order by 1
      on conflict do nothing;
  perform from pathmend.rollups r where r.project_id = any (p_projects) and r.what = p_what order by r.project_id for no key update;
end $$;
