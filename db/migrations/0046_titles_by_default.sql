-- A title is evidence for its page, however the page came in. A page that is indexed gets its title when it is indexed
-- next: `pages reindex` does that at once.
alter table pathmend.projects alter column title_evidence set default true;

update pathmend.projects set title_evidence = true;
