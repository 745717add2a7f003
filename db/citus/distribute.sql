-- Turns a migrated database into one of Citus: `migrate --distribute citus` runs it in a transaction of its own, on the
-- coordinator (docs/citus.md). Three kinds of tables:
--
-- * reference: on every node. A request's project is found by them, and every node joins them.
-- * distributed by project_id, all in one group: the rows of a project are together, on one worker.
-- * local to the coordinator: what belongs to no project, or must be the coordinator's. Named here are those with a
--   project_id that stay: buckets and turns are locks that processes meet at, and a bucket is asked for at each request;
--   memberships and analysts hang on users. The job queue (schema pgboss) is local, too.
--
-- Tables are looked up by their column, so that one that a later migration makes is distributed by running this again.
do $$
declare
  v_reference constant text[] := array['models', 'projects', 'api_keys'];
  v_local constant text[] := array['rate_buckets', 'turns', 'memberships', 'analyst_projects'];
  v_new regclass[];
  v_keys jsonb;
  v_key record;
  v_table regclass;
  v_name text;
  v_function regprocedure;
begin
  -- One after the other: reference tables and those that refer to them are changed in one transaction.
  set local citus.multi_shard_modify_mode = 'sequential';
  set local client_min_messages = warning;

  v_new := array(
    select c.oid::regclass from pg_class c
     where c.relnamespace = 'pathmend'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'project_id' and not a.attisdropped)
       and c.relname <> all (v_reference || v_local)
       and not exists (select from pg_dist_partition d where d.logicalrelid = c.oid and d.partmethod = 'h')
     order by c.relname <> 'pages', c.relname);

  -- Citus distributes no table while another that is not distributed refers to it, and keys are each checked on its shards.
  select coalesce(jsonb_agg(jsonb_build_object('name', k.conname, 'of', k.conrelid::regclass,
                                               'definition', pg_get_constraintdef(k.oid)) order by k.conname), '[]')
    into v_keys
    from pg_constraint k
   where k.contype = 'f' and k.connamespace = 'pathmend'::regnamespace and k.conparentid = 0
     and (k.conrelid = any (v_new)
          or not exists (select from pg_dist_partition d where d.logicalrelid in (k.conrelid, k.confrelid)));
  for v_key in select k ->> 'name' as name, k ->> 'of' as of from jsonb_array_elements(v_keys) as k loop
    execute format('alter table %s drop constraint %I', v_key.of, v_key.name);
  end loop;

  foreach v_name in array v_reference loop
    v_table := format('pathmend.%I', v_name)::regclass;
    if not exists (select from pg_dist_partition d where d.logicalrelid = v_table) then
      perform create_reference_table(v_table);
    end if;
  end loop;
  foreach v_table in array v_new loop
    if v_table = 'pathmend.pages'::regclass then
      perform create_distributed_table(v_table, 'project_id', colocate_with => 'none');
    else
      perform create_distributed_table(v_table, 'project_id', colocate_with => 'pathmend.pages');
    end if;
  end loop;

  for v_key in select k ->> 'name' as name, k ->> 'of' as of, k ->> 'definition' as definition
                 from jsonb_array_elements(v_keys) as k loop
    execute format('alter table %s add constraint %I %s', v_key.of, v_key.name, v_key.definition);
  end loop;

  -- Functions that statements on shards call, and that indexes are made of.
  for v_function in select p.oid::regprocedure from pg_proc p
                     where p.pronamespace = 'pathmend'::regnamespace
                       and p.proname in ('caller_project', 'check_project', 'matching_pages', 'near_words', 'pages_in_reach', 'term_keys') loop
    perform create_distributed_function(v_function);
  end loop;
end $$;
