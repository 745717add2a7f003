-- Single sign-on: whom a provider of logins vouches for, and how each session began.
create table pathmend.identities (
  issuer    text not null constraint identities__issuer_length check (octet_length(issuer) between 1 and 500),
  subject   text not null constraint identities__subject_length check (octet_length(subject) between 1 and 1000),
  user_id   uuid not null constraint identities__user references pathmend.users on delete cascade,
  linked_at timestamptz not null default now(),
  constraint identities__pkey primary key (issuer, subject),
  constraint identities__user_issuer unique (user_id, issuer)
);
comment on table pathmend.identities is 'Which user a provider''s subject is. One subject of each provider for a user.';
comment on column pathmend.identities.issuer is 'The url of the OpenID provider; proxy: the header of a trusted proxy, whose subject is an e-mail address.';

alter table pathmend.users add column disabled_at timestamptz, add column password_login boolean;
comment on column pathmend.users.disabled_at is 'Since when he may not log in; null: he may.';
comment on column pathmend.users.password_login is 'True: his password works even where CONSOLE_PASSWORD_LOGIN is off.';

alter table pathmend.sessions
  add column method text not null default 'password'
    constraint sessions__method check (method in ('password', 'oidc', 'proxy')),
  add column group_roles jsonb not null default '{}';
comment on column pathmend.sessions.group_roles is 'What groups at the provider give for this session: roles by project id, `*` for all projects.';
