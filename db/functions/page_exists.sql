-- Whether any project has this page. The API answers 403 for another project's page and 404 for a page that does not exist.
create or replace function pathmend.page_exists(p_page_id text) returns boolean
language sql stable security definer set search_path from current as $$
  select exists (select 1 from pathmend.pages p where p.page_id = p_page_id)
$$;
