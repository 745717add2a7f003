-- Admits one request: who calls, may they, is there a token, and which index will answer. One round trip.
--
-- outcome: 'ok', 'unknown' (no such key, revoked or expired), 'forbidden' (no plan, restricted project, missing scope)
-- or 'limited' (no token left). The bucket is told whenever the key is known and the project has rates, but a token
-- is taken only by a request that is allowed.
--
-- Token bucket: tokens(t) = min(burst, tokens(t0) + rate * (t - t0)); a request takes one whole token. The database's
-- clock is the only clock, so any number of instances share one bucket; the row lock of the update serializes them.
create or replace function pathmend.admit(p_key_hash bytea, p_scope text, p_bucket text)
returns table (
  outcome text, reason text, project_id uuid, key_id uuid, is_test boolean, model_id integer, index_version bigint,
  burst double precision, tokens double precision, rate double precision
)
language plpgsql as $$
declare
  k record;
  v_now timestamptz := clock_timestamp();
begin
  select a.project_id, a.key_id, a.mode, a.scopes, a.last_used_at, p.plan, p.access, p.model_id,
         case when p_bucket = 'write' then p.write_rate else p.read_rate end as rate,
         case when p_bucket = 'write' then p.write_burst else p.read_burst end as burst,
         coalesce(v.version, 1) as version
    into k
    from pathmend.api_keys a
    join pathmend.projects p on p.project_id = a.project_id
    left join pathmend.index_versions v on v.project_id = a.project_id
   where a.key_hash = p_key_hash
     and a.revoked_at is null
     and (a.expires_at is null or a.expires_at > v_now);
  if not found then
    outcome := 'unknown';
    return next;
    return;
  end if;

  project_id := k.project_id;
  key_id := k.key_id;
  is_test := k.mode = 'test';
  model_id := k.model_id;
  index_version := k.version;
  rate := k.rate;
  burst := k.burst;
  reason := case
    when k.plan is null then 'plan'
    when k.access <> 'open' then 'access'
    when not (p_scope = any (k.scopes)) then 'scope'
  end;

  -- At most one write in five minutes per key: it answers "is this key still in use?", no more.
  if k.last_used_at is null or k.last_used_at < v_now - interval '5 minutes' then
    update pathmend.api_keys a set last_used_at = v_now where a.project_id = k.project_id and a.key_id = k.key_id;
  end if;

  if reason is not null then
    outcome := 'forbidden';
    select least(k.burst, b.tokens + k.rate * greatest(0, extract(epoch from v_now - b.updated_at)))
      into tokens
      from pathmend.rate_buckets b where b.project_id = k.project_id and b.bucket = p_bucket;
    tokens := coalesce(tokens, k.burst);
    return next;
    return;
  end if;

  insert into pathmend.rate_buckets as b (project_id, bucket, tokens, admitted, updated_at)
  values (k.project_id, p_bucket, k.burst - 1, true, v_now)
  on conflict on constraint rate_buckets__pkey do update set
    (tokens, admitted, updated_at) = (
      select refilled - case when refilled >= 1 then 1 else 0 end, refilled >= 1, at
        from (select least(k.burst, b.tokens + k.rate * greatest(0, extract(epoch from at - b.updated_at))) as refilled, at
                -- The clock again: this request may have waited for the row. It never runs backwards.
                from (select greatest(b.updated_at, clock_timestamp()) as at) as clock) as bucket
    )
  returning b.tokens, case when b.admitted then 'ok' else 'limited' end into tokens, outcome;
  return next;
end $$;
