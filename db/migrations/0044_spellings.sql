-- A web server compares letter by letter: each way in which an old path was listed is a rule of its own there, though
-- searches take them for one.
alter table pathmend.moves add column spellings text[] not null default '{}';
alter table pathmend.waiting_redirects add column spellings text[] not null default '{}';
alter table pathmend.gone_paths add column spellings text[] not null default '{}';
alter table pathmend.wildcard_redirects add column spellings text[] not null default '{}';
comment on column pathmend.moves.spellings is 'Of a redirect: in what other ways its old path was listed.';
comment on column pathmend.waiting_redirects.spellings is 'In what other ways the old path was listed.';
comment on column pathmend.gone_paths.spellings is 'In what other ways the path was listed.';
comment on column pathmend.wildcard_redirects.spellings is 'In what other ways the old path was listed, up to the slash before the star.';
