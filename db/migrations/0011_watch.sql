-- Watch: alerts of a project, by webhook and e-mail, and a weekly digest. The tables are no tenant's and no analyst's
-- (db/access): they hold people's addresses, and what signs a webhook.

create table pathmend.watches (
  project_id     uuid not null constraint watches__pkey primary key
                 constraint watches__project references pathmend.projects on delete cascade,
  emails         text[] not null default '{}' constraint watches__emails check (cardinality(emails) <= 10),
  webhook_url    text constraint watches__webhook_url check (char_length(webhook_url) <= 2048),
  webhook_secret bytea,
  alerts         text[] not null,
  digest         boolean not null,
  digest_week    date,
  changed_at     timestamptz not null,
  constraint watches__webhook_secret check ((webhook_url is null) = (webhook_secret is null))
);
alter table pathmend.watches enable row level security;
comment on table pathmend.watches is 'What a project is watched for, and who is told.';
comment on column pathmend.watches.webhook_secret is 'The key of its signatures. It is shown to whoever sets it, once.';
comment on column pathmend.watches.alerts is 'Kinds of alerts.kind.';
comment on column pathmend.watches.digest_week is 'The Monday before which the latest digest''s week ended.';

create table pathmend.alerts (
  project_id uuid not null constraint alerts__project references pathmend.projects on delete cascade,
  alert_id   uuid not null default gen_random_uuid(),
  kind       text not null
             constraint alerts__kind check (kind in ('not_found_spike', 'dead_target', 'refused_prune', 'sync_failed', 'page_error')),
  cause_hash bytea not null,
  cause      jsonb not null,
  began_at   timestamptz not null,
  ended_at   timestamptz,
  constraint alerts__pkey primary key (project_id, alert_id)
);
create index alerts__ended_at on pathmend.alerts (ended_at);
create unique index alerts__open on pathmend.alerts (project_id, kind, cause_hash) where ended_at is null;
alter table pathmend.alerts enable row level security;
comment on table pathmend.alerts is 'What is wrong, and what was: one row from the moment when a cause was seen until it is gone.';
comment on column pathmend.alerts.cause_hash is 'SHA-256 of what the alert is about: a path, a url, or nothing.';
comment on column pathmend.alerts.cause is 'The cause as messages tell it.';

create table pathmend.deliveries (
  project_id  uuid not null constraint deliveries__project references pathmend.projects on delete cascade,
  delivery_id uuid not null,
  channel     text not null constraint deliveries__channel check (channel in ('email', 'webhook')),
  message     jsonb not null,
  state       text not null constraint deliveries__state check (state in ('waiting', 'delivered', 'failed')),
  attempts    integer not null,
  error       text constraint deliveries__error check (char_length(error) <= 500),
  made_at     timestamptz not null,
  tried_at    timestamptz,
  constraint deliveries__pkey primary key (project_id, delivery_id)
);
create index deliveries__made_at on pathmend.deliveries (made_at);
create index deliveries__project_made_at on pathmend.deliveries (project_id, made_at);
alter table pathmend.deliveries enable row level security;
comment on table pathmend.deliveries is 'Messages to one channel, with what became of them; kept for 30 days.';
comment on column pathmend.deliveries.error is 'Why the latest attempt failed.';
