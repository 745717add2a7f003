-- What analysts may see: the views of `analytics`, and nothing of `pathmend`.
do $$
begin
  if exists (select from pg_roles where rolname = 'pathmend_analyst') then
    -- What an earlier release granted, or somebody by hand.
    revoke all on schema analytics from pathmend_analyst;
    revoke all on all tables in schema analytics from pathmend_analyst;
    revoke all on all sequences in schema analytics from pathmend_analyst;
    revoke all on all functions in schema analytics from pathmend_analyst;
    revoke all on schema pathmend from pathmend_analyst;
    revoke all on all tables in schema pathmend from pathmend_analyst;
    revoke all on all sequences in schema pathmend from pathmend_analyst;
    revoke all on all functions in schema pathmend from pathmend_analyst;
    grant usage on schema analytics to pathmend_analyst;
    grant select on all tables in schema analytics to pathmend_analyst;
  end if;
end $$;
