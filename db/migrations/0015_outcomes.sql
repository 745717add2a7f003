-- What a visitor of a missing page was given, where pathmend answered the 404 itself.

alter table pathmend.not_founds add column outcome text, add column search_id uuid;
comment on column pathmend.not_founds.outcome is
  'redirected, suggested, nothing or gone: what GET /v1/not-found answered; null for events of others.';
comment on column pathmend.not_founds.search_id is 'The search of that answer; a click on a suggestion names it, too.';
