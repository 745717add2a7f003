-- A second wall between tenants. The first is that every statement says `project_id =`; behind it, whatever is done for
-- one project runs as the role pathmend_tenant, which PostgreSQL shows the rows of that project only (db/access).

-- Whether this session's user may become pathmend_tenant.
create function pathmend.may_become_tenant() returns boolean
language sql stable as $$
  select coalesce(pg_has_role(to_regrole('pathmend_tenant'), case when current_setting('server_version_num')::int < 160000 then 'member' else 'set' end), false)
$$;

-- Roles belong to the whole server: they may exist already, be made for another database at this moment, or be the
-- administrator's to make. Without them pathmend works, behind the first wall only, and says so when it starts.
do $$
begin
  for attempt in 1..10 loop
    begin
      if to_regrole('pathmend_tenant') is null then
        create role pathmend_tenant nologin;
      end if;
      if to_regrole('pathmend_service') is null then
        create role pathmend_service nologin;
      end if;
      if not exists (select from pg_auth_members
                      where roleid = to_regrole('pathmend_tenant') and member = to_regrole('pathmend_service')) then
        grant pathmend_tenant to pathmend_service;
      end if;
      -- Whoever made a role may not become it without this.
      if not pathmend.may_become_tenant() then
        execute format('grant pathmend_tenant to %I', current_user);
      end if;
      exit;
    exception
      when insufficient_privilege then exit;
      when duplicate_object or unique_violation or internal_error then null;
    end;
  end loop;
end $$;

-- The owner, and superusers, are not subject to it: migrations, workers and house-keeping see all projects.
alter table pathmend.projects enable row level security;
alter table pathmend.pages enable row level security;
alter table pathmend.indexed_pages enable row level security;
alter table pathmend.passages enable row level security;
alter table pathmend.page_terms enable row level security;
alter table pathmend.vocabulary enable row level security;
alter table pathmend.index_versions enable row level security;
alter table pathmend.moves enable row level security;
alter table pathmend.section_moves enable row level security;
