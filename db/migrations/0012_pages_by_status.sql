-- Pages of one status are listed a few at a time, in page_id order: each list reads what it shows, of a million pages too.

drop index pathmend.pages__project_status;
create index pages__project_status on pathmend.pages (project_id, status, page_id);
