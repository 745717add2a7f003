import { sql } from '../../platform/database/sql.js';
import type { Made } from '../../base/glossary.js';
import type { Trx } from '../../platform/database/db.js';
import { addSpellings } from '../spellings.js';
import { readHosts } from './page-urls.js';
import { selectTarget } from './waiting-redirects.js';

/** Of one transaction. */
export const MAX_REDIRECTS = 500;

export interface RedirectInput {
  oldPath: string;
  /** In what other ways it was listed. */
  spellings: readonly string[];
  /** The old path's key. */
  oldKey: Buffer;
  /** As the customer wrote it: a path or a full URL. */
  target: string;
  /** The key of the target's path. */
  targetKey: Buffer;
  targetPath: string;
  /** The host, and the hash of the normalized URL; null for a path. */
  targetHost: string | null;
  targetHash: Buffer | null;
}

type ReadRedirect = StoredRedirect & {
  old_key: string;
  old_path: string;
  /** Of the redirect that has its page. */
  moved_path: string | null;
  moved_spellings: string[] | null;
};

interface StoredRedirect {
  /** The redirect's index in the input. */
  place: number;
  /** Null if the project has no such page. The redirect then waits for it (waiting-redirects.ts). */
  page_id: string | null;
  /** The previous target page of this old path; null if there was none. */
  before: string | null;
  /** The redirect waited for its page, or led to another host, and said the same. */
  waited: boolean;
}

/**
 * Stores redirects. Each replaces the earlier redirect of its old path; their keys must differ. One that says the same
 * leaves it as it is, the spelling of the old path included: an export encodes it. A redirect whose target
 * is no page of the project waits for that page. The waiting redirects are deleted first: a page that is pushed at the
 * same time then waits for this transaction, and does not activate a redirect that is being replaced.
 */
export async function storeRedirects(
  trx: Trx,
  projectId: string,
  redirects: readonly RedirectInput[],
  { origin, by, at }: Made,
): Promise<StoredRedirect[]> {
  const hosts = redirects.some((one) => one.targetHost !== null) ? await readHosts(trx, projectId) : new Set<string>();
  const { rows: waited } = await sql<{
    old_key: string;
    target_key: string;
    target_host: string | null;
    target: string;
    old_path: string;
    spellings: string[];
    made_at: Date;
  }>`
    delete from pathmend.waiting_redirects
     where project_id = ${projectId}
       and old_path_hash = any (${redirects.map((one) => one.oldKey)}::bytea[])
    returning encode(old_path_hash, 'hex') as old_key, encode(target_key, 'hex') as target_key, target_host, target,
              old_path, spellings, coalesce(made_at, imported_at) as made_at`.execute(trx);
  const since = new Map(waited.map((one) => [one.old_key, one]));
  const input = redirects.map((one, place) => {
    const old_key = one.oldKey.toString('hex');
    const target_key = one.targetKey.toString('hex');
    const before = since.get(old_key);
    // One that says the same as before was not made now, and keeps the spelling of its old path.
    const isSame =
      before?.target_key === target_key &&
      (before.target_host ?? one.targetHost) === one.targetHost &&
      // Two addresses of another host may differ in what pages do not: case, extension, fragment.
      (one.targetHost === null || hosts.has(one.targetHost) || before.target === one.target);
    return {
      place,
      old_path: isSame ? before.old_path : one.oldPath,
      old_key,
      target: one.target,
      target_key,
      target_path: one.targetPath,
      target_host: one.targetHost,
      target_hash: one.targetHash?.toString('hex') ?? null,
      made_at: isSame ? before.made_at : at,
      waited: isSame,
    };
  });
  const { rows: read } = await sql<ReadRedirect>`
    select i.*, t.page_id, m.page_id as before, m.old_path as moved_path, m.spellings as moved_spellings
      from jsonb_to_recordset(${JSON.stringify(input)}::jsonb) as i
           (place int, old_path text, old_key text, target text, target_key text, target_path text, target_host text,
            target_hash text, made_at timestamptz, waited boolean)
      left join lateral (${selectTarget(sql`${projectId}::uuid`, {
        key: sql`decode(i.target_key, 'hex')`,
        path: sql`i.target_path`,
        host: sql`i.target_host`,
        hash: sql`decode(i.target_hash, 'hex')`,
      })}) t on true
      left join pathmend.moves m
        on m.project_id = ${projectId} and m.old_path_hash = decode(i.old_key, 'hex') and m.source = 'redirect'
     order by i.place`.execute(trx);
  const found = read.map(({ moved_path, moved_spellings, ...row }) => {
    const { oldPath = row.old_path, spellings = [] } = redirects[row.place] ?? {};
    const waiting = row.waited ? since.get(row.old_key) : undefined;
    const isMoved = moved_path !== null && row.page_id === row.before;
    const path = isMoved ? moved_path : row.old_path;
    const known = isMoved ? (moved_spellings ?? []) : (waiting?.spellings ?? []);
    const all = addSpellings(path, known, [oldPath, ...spellings]);
    return { ...row, old_path: path, spellings: all, respelled: all.length > known.length };
  });
  await sql`
    delete from pathmend.moves m
     using jsonb_to_recordset(${JSON.stringify(found)}::jsonb) as i (old_key text, page_id text)
     where m.project_id = ${projectId} and m.source = 'redirect' and m.old_path_hash = decode(i.old_key, 'hex')
       and m.page_id is distinct from i.page_id`.execute(trx);
  await sql`
    insert into pathmend.moves as m (project_id, old_path_hash, source, page_id, old_path, spellings, last_seen_at, made_at,
                                     origin, made_by)
    select ${projectId}::uuid, decode(i.old_key, 'hex'), 'redirect', p.page_id, i.old_path, i.spellings, ${at}, i.made_at,
           ${origin}, ${by}
      from jsonb_to_recordset(${JSON.stringify(found)}::jsonb)
           as i (old_key text, page_id text, old_path text, spellings text[], made_at timestamptz)
      join pathmend.pages p on p.project_id = ${projectId} and p.page_id = i.page_id
     order by p.page_id
       for key share of p
    on conflict (project_id, old_path_hash, source, page_id) do update set
      last_seen_at = excluded.last_seen_at, spellings = excluded.spellings,
      made_at = coalesce(m.made_at, m.last_seen_at)`.execute(trx);
  // A separate statement, so that it also stores redirects whose page was deleted since the look-up.
  await sql`
    insert into pathmend.waiting_redirects
      (project_id, old_path_hash, old_path, target, target_key, target_path, target_host, target_hash, imported_at,
       made_at, origin, made_by, spellings)
    select ${projectId}::uuid, decode(i.old_key, 'hex'), i.old_path, i.target, decode(i.target_key, 'hex'),
           i.target_path, i.target_host, decode(i.target_hash, 'hex'), ${at}, i.made_at, ${origin}, ${by}, i.spellings
      from jsonb_to_recordset(${JSON.stringify(found)}::jsonb) as i
           (old_path text, spellings text[], old_key text, target text, target_key text, target_path text, target_host text,
            target_hash text, made_at timestamptz)
     where not exists (select from pathmend.moves m
                        where m.project_id = ${projectId} and m.source = 'redirect'
                          and m.old_path_hash = decode(i.old_key, 'hex'))
    on conflict (project_id, old_path_hash) do nothing`.execute(trx);
  return found;
}

export async function hasMoves(trx: Trx, projectId: string, pageId: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from pathmend.moves
                    where project_id = ${projectId} and page_id = ${pageId}) as found`.execute(trx);
  return rows[0]?.found ?? false;
}
