alter table pathmend.model_names add column failure text;
comment on column pathmend.model_names.failure is 'Why workers cannot load it, since their latest try; null: they have, or did not try.';
