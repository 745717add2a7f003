-- What analysts group rows by and no row had: the key, the host where only a header named it, and where a search led.

alter table pathmend.not_founds
  add column key_id uuid,
  add column host text;
comment on column pathmend.not_founds.key_id is 'The key that reported it; null: of an imported log, or by an older release.';
comment on column pathmend.not_founds.host is 'Of X-Original-Host, where origin is null.';

alter table pathmend.searches
  add column key_id uuid,
  add column led_to text;
comment on column pathmend.searches.key_id is 'The key that asked; null: by an older release.';
comment on column pathmend.searches.led_to is 'Where the answer led, or a rule leads, if that is not the first of results; null: it is, or nowhere.';
