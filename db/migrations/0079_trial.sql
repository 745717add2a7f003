-- A site may first see what its guesses would do: while its project is in trial, none redirects a visitor.
alter table pathmend.projects add column trial boolean not null default false;
comment on column pathmend.projects.trial is
  'While it is on, only rules and what else has the score 1 redirect; searches keep what would have been redirected.';

alter table pathmend.searches add column would_redirect boolean not null default false;
comment on column pathmend.searches.would_redirect is
  'The project was in trial, and the score of the best page was over its threshold: without the trial, a redirect.';
