-- Weights of evidence that were fitted on a project's own redirects.

create table pathmend.own_weights (
  project_id    uuid not null constraint own_weights__project references pathmend.projects on delete cascade,
  model_id      integer constraint own_weights__model references pathmend.models,
  fitted_for    text,
  fitted_at     timestamptz,
  verdict       text,
  weights       jsonb,
  model_weights jsonb,
  none_added    double precision not null default 0,
  figures       jsonb,
  undone        boolean not null default false,
  constraint own_weights__pkey primary key (project_id)
);
alter table pathmend.own_weights enable row level security;
comment on table pathmend.own_weights is
  'What a fit on the project''s own redirects gave. It is used with verdict accepted, unless undone, for model_id and the weights in fitted_for.';
comment on column pathmend.own_weights.fitted_for is 'SHA-256 of the model''s weights, which the fit started from.';
comment on column pathmend.own_weights.model_weights is 'Those that the fit started from, for people.';
comment on column pathmend.own_weights.fitted_at is 'Null: a fit was asked for.';
comment on column pathmend.own_weights.none_added is 'Added to the weight of "none of them".';
comment on column pathmend.own_weights.figures is 'With the model''s weights and with these, on redirects that the fit did not see.';
comment on column pathmend.own_weights.undone is 'By an operator: not used, and not fitted again until asked for.';
