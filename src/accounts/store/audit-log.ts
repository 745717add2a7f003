import { rowsOf, sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import { MAX_SUBJECT_UNCUT, type PathSpellings } from '../../platform/database/path-spellings.js';
import type { LoginMethod } from '../roles.js';

export interface AuditEntry {
  entry_id: string;
  changed_at: Date;
  who: string;
  about_project: string | null;
  project_name: string | null;
  action: string;
  subject: string;
  /** The user had logged in by this method and from this address; null: not known. */
  method: LoginMethod | null;
  address: string | null;
}

export interface NewAuditEntry {
  userId: string | null;
  /** The user's e-mail address; without a user, what made the change. */
  who: string;
  project: { project_id: string; name: string } | undefined;
  /** A verb and what it was done to: `key created`. */
  action: string;
  /** It names the changed thing, and is never a secret. */
  subject: string;
  /** The user logged in, or tried to, by this method; null: there was no login. */
  method: LoginMethod | null;
  /** The caller has this address. */
  address: string;
}

const MAX_SUBJECT = 500;
const MAX_ADDRESS = 100;

export async function insertAuditEntry(db: Db, entry: NewAuditEntry): Promise<void> {
  await sql`
    insert into pathmend.audit_log (user_id, who, about_project, project_name, action, subject, method, address)
    values (${entry.userId}, ${entry.who}, ${entry.project?.project_id ?? null}, ${entry.project?.name ?? null},
            ${entry.action}, ${[...entry.subject].slice(0, MAX_SUBJECT).join('')}, ${entry.method},
            nullif(${entry.address.slice(0, MAX_ADDRESS)}::text, ''))`.execute(db);
}

/** A reader sees the entries of these projects and of this user. Undefined: all. */
export interface AuditReader {
  projectIds: readonly string[];
  userId: string;
}

/** The newest first, before entry `before`. */
export function selectAuditEntries(
  db: Db,
  reader: AuditReader | undefined,
  before: string | undefined,
  limit: number,
): Promise<AuditEntry[]> {
  const mine = reader
    ? sql`and (about_project = any (${reader.projectIds}::uuid[]) or user_id = ${reader.userId})`
    : sql``;
  const older = before === undefined ? sql`` : sql`and entry_id < ${before}::bigint`;
  return rowsOf(
    db,
    sql<AuditEntry>`
    select entry_id, changed_at, who, about_project, project_name, action, subject, method, address
      from pathmend.audit_log where true ${mine} ${older} order by entry_id desc limit ${limit}`,
  );
}

/** Takes a path out of what was changed. The log goes on saying who changed something and when. */
export async function erasePathOfAuditLog(trx: Trx, projectId: string, path: PathSpellings): Promise<void> {
  const { rows } = await sql<{ entry_id: string; subject: string }>`
    select entry_id, subject from pathmend.audit_log
     where about_project = ${projectId} and (${path.mayBeIn(sql`subject`)} or length(subject) >= ${MAX_SUBJECT_UNCUT})
  `.execute(trx);
  for (const { entry_id, subject } of rows) {
    const left = path.takenOut(subject);
    if (left !== undefined)
      await sql`update pathmend.audit_log set subject = ${left} where entry_id = ${entry_id}`.execute(trx);
  }
}
