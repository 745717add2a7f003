-- The projects that the login may see. Every other view joins this one. Views run with their owner's rights, so policies on
-- the tables do not apply: this view guards the rows. Security barriers keep functions in a query from seeing other rows.
-- The service reads the views, too: in a session of one project (the role pathmend_tenant) it sees this project alone.
-- The owner of the tables sees all, also where it is a member of an analyst's role, as `analyst create` makes it.
create view analytics.accessible_projects with (security_barrier) as
select p.project_id, p.name as project
  from pathmend.projects p
 where case when current_user = 'pathmend_tenant' then p.project_id = nullif(current_setting('pathmend.project', true), '')::uuid
            else pg_has_role(current_user, to_regrole('pathmend_project_analyst'), 'usage') is not true
              or pg_has_role(current_user, to_regrole('pathmend_analyst'), 'usage')
              or pg_has_role(current_user, (select c.relowner from pg_class c where c.oid = 'pathmend.projects'::regclass), 'usage')
              or exists (select from pathmend.analyst_projects a where a.project_id = p.project_id and a.login = current_user) end;
comment on view analytics.accessible_projects is
  'Projects that this login may see: all, or for a member of pathmend_project_analyst those in pathmend.analyst_projects.';
comment on column analytics.accessible_projects.project_id is 'Id of the project.';
comment on column analytics.accessible_projects.project is 'Name of the project.';
