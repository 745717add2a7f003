-- Whether any project has this page: the API tells another project's page (403) from nobody's (404). It says no more.
create or replace function pathmend.page_exists(p_page_id text) returns boolean
language sql stable security definer set search_path from current as $$
  select exists (select 1 from pathmend.pages p where p.page_id = p_page_id)
$$;
