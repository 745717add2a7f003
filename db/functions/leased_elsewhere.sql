-- For how many milliseconds yet a process other than p_process may answer from a project's index as it was before this
-- call. Asked by who has committed a change of the index and wants to acknowledge it (src/projects/index-changes.ts).
--
-- A lease is 25 ms long by the clock of its holder, from before it asked (src/projects/rate-leases.ts); 30 ms after the
-- grant, by the clock that granted it, it is over. Never longer than that: where the clock has been set back since, the
-- grant lies in its future. The lock waits for grants under way, which may have read the index
-- before the change; those after it read the change. Where there is no bucket one is made: a grant under way may be making
-- it.
create or replace function pathmend.leased_elsewhere(p_project uuid, p_process uuid)
returns double precision
language plpgsql as $$
declare
  b record;
begin
  loop
    select r.leased_to, r.updated_at + interval '30 ms' as leased_until, r.others_until into b
      from pathmend.rate_buckets r where r.project_id = p_project and r.bucket = 'read' for key share;
    exit when found;
    insert into pathmend.rate_buckets (project_id, bucket, tokens, updated_at)
    select p.project_id, 'read', coalesce(p.read_burst, 0), 'epoch' from pathmend.projects p where p.project_id = p_project
    on conflict on constraint rate_buckets__pkey do nothing;
    -- No project, no key that could be admitted; or it was made by another, and is found now.
    if not found and not exists (select from pathmend.projects p where p.project_id = p_project) then return 0; end if;
  end loop;
  return least(30, greatest(0, 1000 * extract(epoch from
    case when b.leased_to = p_process then b.others_until else b.leased_until end - clock_timestamp())));
end $$;
