-- The hosts of a project's pages in small letters, without ports, found one after the other by the index pages__host. The first
-- 1,000 are taken. Runs with its owner's rights for views of `analytics`, whose readers see no tables and cannot name it.
create or replace function pathmend.hosts_of(p_project uuid) returns text[]
language plpgsql stable security definer set search_path from current cost 10000 as $$
declare
  v_last text := '';
  v_hosts text[] := '{}';
begin
  perform pathmend.check_project(p_project);
  while cardinality(v_hosts) < 1000 loop
    select min(left(split_part(g.url, '/', 3), 255)) into v_last
      from pathmend.pages g where g.project_id = p_project and left(split_part(g.url, '/', 3), 255) > v_last;
    exit when v_last is null;
    v_hosts := v_hosts || pathmend.host_of('http://' || v_last || '/');
  end loop;
  return v_hosts;
end $$;
