-- People who work in the console. No tenant's role reads these tables (db/access/tenant.sql); an api process may add to the
-- audit log, and change nothing that stands in it (db/access/service.sql).

create table pathmend.users (
  user_id        uuid not null default gen_random_uuid() constraint users__pkey primary key,
  email          text not null constraint users__email unique
                 constraint users__email_length check (char_length(email) between 3 and 254),
  role           text constraint users__role check (role in ('viewer', 'editor', 'admin')),
  password_hash  text,
  password_login boolean,
  failed_logins  integer not null default 0,
  locked_until   timestamptz not null default '-infinity',
  created_at     timestamptz not null default now(),
  last_login_at  timestamptz,
  disabled_at    timestamptz
);
comment on column pathmend.users.email is 'In lower case.';
comment on column pathmend.users.role is 'Over all projects; null: only what memberships say.';
comment on column pathmend.users.password_hash is 'scrypt with its parameters and salt.';
comment on column pathmend.users.password_login is 'True: his password works even where CONSOLE_PASSWORD_LOGIN is off.';
comment on column pathmend.users.disabled_at is 'Since when he may not log in; null: he may.';

create table pathmend.memberships (
  project_id uuid not null constraint memberships__project references pathmend.projects on delete cascade,
  user_id    uuid not null constraint memberships__user references pathmend.users on delete cascade,
  role       text not null constraint memberships__role check (role in ('viewer', 'editor', 'admin')),
  constraint memberships__pkey primary key (project_id, user_id)
);
create index memberships__user_id on pathmend.memberships (user_id);
comment on table pathmend.memberships is 'What a user may do in one project; the higher of this and users.role counts.';

create table pathmend.sessions (
  token_hash   bytea not null constraint sessions__pkey primary key,
  user_id      uuid not null constraint sessions__user references pathmend.users on delete cascade,
  method       text not null default 'password'
               constraint sessions__method check (method in ('password', 'oidc', 'proxy')),
  group_roles  jsonb not null default '{}',
  created_at   timestamptz not null default now(),
  last_seen_at timestamptz not null default now()
);
create index sessions__user_id on pathmend.sessions (user_id, created_at);
comment on column pathmend.sessions.token_hash is 'SHA-256 of what the cookie holds.';
comment on column pathmend.sessions.group_roles is 'What groups at the provider give for this session: roles by project id, `*` for all projects.';

create table pathmend.invitations (
  token_hash  bytea not null constraint invitations__pkey primary key,
  email       text not null,
  role        text not null constraint invitations__role check (role in ('viewer', 'editor', 'admin')),
  for_project uuid constraint invitations__project references pathmend.projects on delete cascade,
  invited_by  uuid constraint invitations__invited_by references pathmend.users on delete cascade,
  expires_at  timestamptz not null
);
create index invitations__for_project on pathmend.invitations (for_project);
create index invitations__invited_by on pathmend.invitations (invited_by);
comment on column pathmend.invitations.for_project is 'Null: all projects.';
comment on column pathmend.invitations.invited_by is 'Null: the operator, on the command line, who may give a new password to a user, too.';

-- Single sign-on: whom a provider of logins vouches for.
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

create table pathmend.audit_log (
  entry_id      bigint not null generated always as identity constraint audit_log__pkey primary key,
  changed_at    timestamptz not null default now(),
  user_id       uuid,
  who           text not null,
  method        text constraint audit_log__method check (method in ('password', 'oidc', 'proxy')),
  address       text constraint audit_log__address check (char_length(address) <= 100),
  about_project uuid,
  project_name  text,
  action        text not null,
  subject       text not null
);
create index audit_log__about_project on pathmend.audit_log (about_project, entry_id);
create index audit_log__user_id on pathmend.audit_log (user_id, entry_id);
comment on table pathmend.audit_log is 'What people changed in the console. It outlives projects and users: no foreign keys.';
comment on column pathmend.audit_log.who is 'The user''s e-mail address at that time.';
comment on column pathmend.audit_log.method is 'How the user had logged in; null: not known.';
comment on column pathmend.audit_log.address is 'The caller''s; null: not known.';
