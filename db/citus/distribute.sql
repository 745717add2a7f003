-- Turns a migrated database into one of Citus: `migrate --distribute citus` runs it in a transaction of its own, on the
-- coordinator (docs/operate/citus.md). Three kinds of tables:
--
-- * reference: on every node. A request's project is found by them, and every node joins them.
-- * distributed by project_id, all in one group: what searches read and page writes change. A project's rows are together,
--   on one worker.
-- * local to the coordinator: all others. Accounts belong to no project. Buckets and turns are locks that processes meet
--   at. History and its sums are counted for many projects at once, and written where every request passes anyway. The job
--   queue (schema pgboss) is pg-boss's.
--
-- Run again, it distributes what a later release adds to the list. Three foreign keys go for good. A table with one to a
-- reference table is planned and run by Citus, which takes its time: buckets and turns lose theirs. A lock on a reference
-- table is one on those that it refers to, in another order than a write's: projects lose theirs to models.
do $$
declare
  v_reference constant text[] := array['models', 'model_names', 'projects', 'api_keys'];
  v_distributed constant text[] := array[
    'pages', 'indexed_pages', 'chunks', 'page_terms', 'vocabulary', 'index_versions', 'index_segments', 'clicked_questions', 'learned_redirects',
    'section_redirects',
    'missing_pages', 'tombstones', 'wrong_guesses',
    'wordless_pages', 'page_validators', 'rules', 'rule_hits', 'rule_changes', 'rule_proposals'];
  v_dropped constant text[] := array['rate_buckets__project', 'turns__project', 'projects__model'];
  v_new text[];
  v_keys jsonb;
  v_key record;
  v_name text;
begin
  -- One after the other: reference tables and those that refer to them are changed in one transaction.
  set local citus.multi_shard_modify_mode = 'sequential';
  set local client_min_messages = warning;

  v_new := array(
    select format('pathmend.%I', name) from unnest(v_distributed) with ordinality as t (name, place)
     where not exists (select from pg_dist_partition d
                        where d.logicalrelid = format('pathmend.%I', name)::regclass and d.partmethod = 'h')
     order by place);

  -- Citus distributes no table while another that is not distributed refers to it, and keys are each checked on its shards.
  select coalesce(jsonb_agg(jsonb_build_object('name', k.conname, 'of', k.conrelid::regclass,
                                               'definition', pg_get_constraintdef(k.oid)) order by k.conname), '[]')
    into v_keys
    from pg_constraint k
   where k.contype = 'f' and k.connamespace = 'pathmend'::regnamespace and k.conparentid = 0
     and (k.conrelid = any (v_new::regclass[])
          or not exists (select from pg_dist_partition d where d.logicalrelid in (k.conrelid, k.confrelid)));
  for v_key in select k ->> 'name' as name, k ->> 'of' as of from jsonb_array_elements(v_keys) as k loop
    execute format('alter table %s drop constraint %I', v_key.of, v_key.name);
  end loop;

  foreach v_name in array v_reference loop
    v_name := format('pathmend.%I', v_name);
    if not exists (select from pg_dist_partition d where d.logicalrelid = v_name::regclass) then
      perform create_reference_table(v_name);
    end if;
  end loop;
  -- Citus has no triggers on its tables: processes of the release before are stopped by now.
  foreach v_name in array v_new loop
    execute format('drop trigger if exists keep_rule on %s', v_name);
    perform create_distributed_table(v_name, 'project_id',
                                     colocate_with => case v_name when 'pathmend.pages' then 'none' else 'pathmend.pages' end);
  end loop;

  -- The rows that were here are on the workers now. Before the keys: a truncation does not pass them.
  foreach v_name in array v_new loop
    perform truncate_local_data_after_distributing_table(v_name);
  end loop;

  for v_key in select k ->> 'name' as name, k ->> 'of' as of, k ->> 'definition' as definition
                 from jsonb_array_elements(v_keys) as k
                where k ->> 'name' <> all (v_dropped) loop
    execute format('alter table %s add constraint %I %s', v_key.of, v_key.name, v_key.definition);
  end loop;

  -- Functions that statements on shards call, and that indexes are made of.
  for v_name in select p.oid::regprocedure::text from pg_proc p
                 where p.pronamespace = 'pathmend'::regnamespace
                   and p.proname in ('caller_project', 'check_project', 'matching_pages', 'near_words', 'pages_in_reach', 'term_keys') loop
    perform create_distributed_function(v_name::regprocedure);
  end loop;

  -- The coordinator goes to its workers as the role that a transaction has.
  if exists (select from pg_roles where rolname = 'pathmend_tenant' and not rolcanlogin) then
    begin
      alter role pathmend_tenant login;
    exception
      when insufficient_privilege then
        raise insufficient_privilege using message = 'ask an administrator to run `alter role pathmend_tenant login` on the coordinator';
      -- "tuple concurrently updated": roles are the whole server's, and another database of it was distributed meanwhile.
      when internal_error then
        if exists (select from pg_roles where rolname = 'pathmend_tenant' and not rolcanlogin) then
          raise;
        end if;
    end;
  end if;
end $$;
