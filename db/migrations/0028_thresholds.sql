-- From which score on a visitor is redirected, and a page is shown to him, may differ by project.

alter table pathmend.projects
  add column redirect_above double precision not null default 0.9
    constraint projects__redirect_above check (redirect_above between 0.5 and 1),
  add column shown_from double precision not null default 0.1
    constraint projects__shown_from check (shown_from between 0 and 1);
comment on column pathmend.projects.redirect_above is
  'GET /v1/proxy and GET /v1/not-found redirect to a page whose score is over this. At 1 they redirect by redirects alone.';
comment on column pathmend.projects.shown_from is
  'GET /v1/not-found shows pages whose score is at least this.';
