-- A project may count its pages' titles as part of their content.

alter table pathmend.projects add column title_evidence boolean not null default false;
comment on column pathmend.projects.title_evidence is
  'Whether a page is searched by its title too: the title is indexed as the first line of its content.';
