-- The audit log says of every change how its author had logged in, and from which address. A rule that was learned keeps how
-- sure it was when somebody confirmed it: the proposal is gone by then.
alter table pathmend.audit_log
  add column method  text constraint audit_log__method check (method in ('password', 'oidc', 'proxy')),
  add column address text constraint audit_log__address check (char_length(address) <= 100);
comment on column pathmend.audit_log.method is 'How the user had logged in; null: not known.';
comment on column pathmend.audit_log.address is 'The caller''s; null: not known.';

alter table pathmend.wildcard_redirects
  add column confidence double precision constraint wildcard_redirects__confidence check (confidence between 0 and 1);
comment on column pathmend.wildcard_redirects.confidence is
  'Of a confirmed proposal: the probability with which it was proposed. Null: a person, a file or a sync said so.';
