-- Admits requests of one key, in one round trip: the key's project, its rights, its tokens, and the index that will answer.
--
-- outcome: 'ok', 'unknown' (no such key, revoked or expired), 'forbidden' (no plan, restricted project, missing scope)
-- or 'limited' (no token for any of the requests). The state of the bucket is returned whenever the key is known and the
-- project has rates. Tokens are taken only for allowed requests.
--
-- Token bucket: tokens(t) = min(burst, tokens(t0) + rate * (t - t0)); a request takes one whole token. The database's
-- clock is the only clock, so any number of instances share one bucket; the row lock serializes them.
--
-- A process (p_process) with p_waiting requests may take up to p_ahead more tokens. It uses them for requests that arrive
-- within its lease (src/projects/rate-leases.ts), and returns unused tokens with its next call. A token is used or returned
-- at most 100 ms after it was taken. Two rules keep this exact and fair:
--
-- * When tokens are taken ahead, the rest in the bucket counts as at most burst - rate * 100 ms. So returned tokens cannot
--   lift bucket and taken tokens together above the burst, and no time span admits more than burst + rate * time. Tokens
--   that are returned later are lost.
-- * Waiting requests and tokens ahead together get at most a quarter of the bucket. So no process starves the others, and
--   a small bucket gives one token at a time.
--
-- The clock may be set back or forward, or a server whose clock is behind may take over. A stored moment in the future
-- counts as now: nothing was saved up since then, and the bucket fills from now on. A step forward fills the bucket, at
-- most once.
--
-- The bucket also stores who holds leases, for pathmend.leased_elsewhere. The index is read only under the bucket's lock.
-- So a process that locks the bucket after a change of the index sees every process that read the index before the change.
create or replace function pathmend.admit(
  p_key_hash bytea, p_scope text, p_bucket text,
  p_waiting integer default 1, p_ahead integer default 0,
  p_returned integer default 0, p_returned_from timestamptz default null,
  p_process uuid default null
)
returns table (
  outcome text, reason text, project_id uuid, key_id uuid, is_test boolean, model_id integer, index_version bigint,
  burst double precision, tokens double precision, rate double precision,
  granted integer, granted_at timestamptz, expires_in double precision
)
language plpgsql as $$
declare
  k record;
  b record;
  v_now timestamptz := clock_timestamp();
  v_settled constant interval := '100 ms';
  v_batch integer;
begin
  select a.project_id, a.key_id, a.mode, a.scopes, a.last_used_at, a.expires_at, p.plan, p.access,
         case when p_bucket = 'write' then p.write_rate else p.read_rate end as rate,
         case when p_bucket = 'write' then p.write_burst else p.read_burst end as burst
    into k
    from pathmend.api_keys a
    join pathmend.projects p on p.project_id = a.project_id
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
  rate := k.rate;
  burst := k.burst;
  granted := 0;
  expires_in := extract(epoch from k.expires_at - v_now);
  reason := case
    when k.plan is null then 'plan'
    when k.access <> 'open' then 'access'
    when not (p_scope = any (k.scopes)) then 'scope'
  end;

  -- At most one write in five minutes for each key: it only shows whether the key is still in use.
  if (k.last_used_at between v_now - interval '5 minutes' and v_now + interval '5 minutes') is not true then
    update pathmend.api_keys a set last_used_at = v_now where a.project_id = k.project_id and a.key_id = k.key_id;
  end if;

  if reason is not null then
    outcome := 'forbidden';
    select least(k.burst, r.tokens + k.rate * greatest(0, extract(epoch from v_now - r.updated_at)))
      into tokens
      from pathmend.rate_buckets r where r.project_id = k.project_id and r.bucket = p_bucket;
    tokens := coalesce(tokens, k.burst);
    return next;
    return;
  end if;

  loop
    select r.tokens, r.updated_at into b
      from pathmend.rate_buckets r where r.project_id = k.project_id and r.bucket = p_bucket for update;
    exit when found;
    insert into pathmend.rate_buckets (project_id, bucket, tokens, updated_at)
    values (k.project_id, p_bucket, k.burst, v_now)
    on conflict on constraint rate_buckets__pkey do nothing;
  end loop;
  -- The clock again: this call may have waited for the row.
  granted_at := clock_timestamp();
  tokens := b.tokens + k.rate * greatest(0, extract(epoch from granted_at - b.updated_at));
  if p_returned_from > granted_at - v_settled then tokens := tokens + p_returned; end if;
  tokens := least(k.burst, tokens);

  granted := least(p_waiting, floor(greatest(0, tokens)));
  if granted = p_waiting and p_ahead > 0 then
    v_batch := least(p_waiting + p_ahead,
                     floor(greatest(0, least(tokens, k.burst - k.rate * extract(epoch from v_settled))) / 4));
    if v_batch > granted then
      granted := v_batch;
      tokens := least(tokens, k.burst - k.rate * extract(epoch from v_settled));
    end if;
  end if;
  tokens := tokens - granted;
  outcome := case when granted > 0 or p_waiting = 0 then 'ok' else 'limited' end;
  update pathmend.rate_buckets r
     set tokens = admit.tokens, updated_at = admit.granted_at, leased_to = p_process,
         others_until = case when r.leased_to is distinct from p_process then least(r.updated_at, admit.granted_at) + interval '30 ms'
                             else r.others_until end
   where r.project_id = k.project_id and r.bucket = p_bucket;
  select p.model_id, coalesce(v.version, 1)
    into model_id, index_version
    from pathmend.projects p left join pathmend.index_versions v on v.project_id = p.project_id
   where p.project_id = k.project_id;
  return next;
end $$;
