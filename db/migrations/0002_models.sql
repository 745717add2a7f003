-- Which models make vectors. Everything of pathmend is in the schema `pathmend`; what analysts may read is in `analytics`.

create schema if not exists analytics;

create table pathmend.models (
  model_id      integer not null generated always as identity constraint models__pkey primary key,
  fingerprint   text not null constraint models__fingerprint unique,
  name          text not null,
  location      text not null,
  dimensions    integer not null,
  created_at    timestamptz not null default now(),
  configured_at timestamptz not null default now()
);
comment on table pathmend.models is 'Embedding models that vectors were made with; the fingerprint covers files and settings.';
comment on column pathmend.models.location is 'The folder or hub id that it is loaded from, or the name of a bundled model.';
comment on column pathmend.models.configured_at is 'When a worker last opened this model by a name: of rows with one location, the latest holds.';

create table pathmend.model_names (
  name          text not null constraint model_names__pkey primary key
                constraint model_names__name_length check (char_length(name) between 1 and 500),
  configured_at timestamptz,
  failure       text
);
comment on table pathmend.model_names is 'What a model may be chosen by: auto, english, multilingual, static, folders and hub ids. Only who may write models adds one.';
comment on column pathmend.model_names.configured_at is 'When a worker last started with this EMBEDDING_MODEL: the latest holds for projects without a choice of their own.';
comment on column pathmend.model_names.failure is 'Why workers cannot load it, since their latest try; null: they have, or did not try.';

insert into pathmend.model_names (name) values ('auto'), ('english'), ('multilingual'), ('static');
