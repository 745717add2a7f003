-- Which paths of a source are read: tags, print views and calendars crowd search results.

alter table pathmend.project_sources
  add column include text[] not null default '{}',
  add column exclude text[] not null default '{}';
comment on column pathmend.project_sources.include is 'Patterns of paths that are read alone, with * for any text; empty: all.';
comment on column pathmend.project_sources.exclude is 'Patterns of paths that are left out.';
