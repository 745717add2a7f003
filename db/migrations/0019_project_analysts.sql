-- Analysts who see some projects only: their role, and which login sees which project.
do $$
begin
  if to_regrole('pathmend_project_analyst') is null then
    create role pathmend_project_analyst nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise warning 'role pathmend_project_analyst was not created: ask an administrator to run `create role pathmend_project_analyst nologin`';
end $$;

create table pathmend.analyst_projects (
  project_id uuid not null constraint analyst_projects__project references pathmend.projects on delete cascade,
  login      name not null,
  constraint analyst_projects__pkey primary key (project_id, login)
);
comment on table pathmend.analyst_projects is 'Which projects a member of pathmend_project_analyst sees in the views of analytics. The owner alone reads and writes it.';
comment on column pathmend.analyst_projects.login is 'The name of a database role that logs in.';
