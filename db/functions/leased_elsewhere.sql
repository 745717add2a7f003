-- The milliseconds for which a process other than p_process may still answer from a project's index as it was before this
-- call. A process that has committed a change of the index calls it before it acknowledges the change
-- (src/projects/index-changes.ts).
--
-- A lease lasts 25 ms by its holder's clock, from before the request (src/projects/rate-leases.ts). It is over 30 ms after
-- the grant, by the clock that granted it. 30 ms is also the maximum returned: if the clock was set back since, the grant
-- lies in its future. The lock waits for grants in progress, which may have read the index before the change; later grants
-- read the change. A missing bucket is created, because a grant in progress may be creating it.
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
    -- Either the project does not exist, and no key can be admitted; or another process made the bucket, and it is found now.
    if not found and not exists (select from pathmend.projects p where p.project_id = p_project) then return 0; end if;
  end loop;
  return least(30, greatest(0, 1000 * extract(epoch from
    case when b.leased_to = p_process then b.others_until else b.leased_until end - clock_timestamp())));
end $$;
