-- Each project has its model: its own choice, else the installation's, which the worker that starts last says, else what
-- `auto` has decided by its pages.
create table pathmend.model_names (
  name          text not null constraint model_names__pkey primary key
                constraint model_names__name_length check (char_length(name) between 1 and 500),
  configured_at timestamptz
);
comment on table pathmend.model_names is 'What a model may be chosen by: auto, english, multilingual, static, folders and hub ids. Only who may write models adds one.';
comment on column pathmend.model_names.configured_at is 'When a worker last started with this EMBEDDING_MODEL: the latest holds for projects without a choice of their own.';
insert into pathmend.model_names (name) values ('auto'), ('english'), ('multilingual'), ('static');

alter table pathmend.projects
  add column model_choice text,
  add column model_decided jsonb;
comment on column pathmend.projects.model_choice is 'One of model_names; null, or none of them: what the installation says.';
comment on column pathmend.projects.model_decided is 'What auto has decided, and by which languages. Null: nothing yet.';
comment on column pathmend.models.configured_at is
  'When a worker last opened this model by a name: of rows with one location, the latest holds. Workers of earlier releases change all projects to the latest of all, and step back where that is not theirs.';
