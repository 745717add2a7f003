-- What analysts may see: the views of `analytics`, and nothing of `pathmend`.
do $$
begin
  if exists (select from pg_roles where rolname = 'pathmend_analyst') then
    grant usage on schema analytics to pathmend_analyst;
    grant select on all tables in schema analytics to pathmend_analyst;
  end if;
end $$;
