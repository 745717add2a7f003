-- The page for a 404 offers the site's own search, where the project says how it is asked.
alter table pathmend.projects add column site_search text
  constraint projects__site_search check (char_length(site_search) <= 2048);
comment on column pathmend.projects.site_search is 'Path or url of the search of the site, up to the words: /search?q=. The page of GET /v1/not-found has a search field for it. Null: none.';
