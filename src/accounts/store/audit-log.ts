import { sql } from '../../platform/database/sql.js';
import type { Db, Row, Trx } from '../../platform/database/db.js';
import { MAX_SUBJECT_UNCUT, type PathSpellings } from '../../platform/database/path-spellings.js';
import type { LoginMethod } from '../roles.js';

const COLUMNS = [
  'entry_id',
  'changed_at',
  'who',
  'about_project',
  'project_name',
  'action',
  'subject',
  'method',
  'address',
] as const;

/** db/migrations/0009_accounts.sql says what the columns mean. */
export type AuditEntry = Pick<Row<'audit_log'>, (typeof COLUMNS)[number]>;

/** The author of a change, or of a login that was tried. */
export interface Author {
  userId: string | null;
  /** The user's e-mail address; without a login, the name of what makes the change. */
  who: string;
  /** The user logged in, or tried to, by this method; null: there was no login. */
  method: LoginMethod | null;
  /** The IP address of the caller; '': not known. */
  address: string;
}

export interface NewAuditEntry extends Author {
  project: { project_id: string; name: string } | undefined;
  /** A verb and what it was done to: `key created`. */
  action: string;
  /** It names the changed thing, and is never a secret. */
  subject: string;
}

const MAX_SUBJECT = 500;
const MAX_ADDRESS = 100;

export async function insertAuditEntry(db: Db, entry: NewAuditEntry): Promise<void> {
  await db
    .insertInto('pathmend.audit_log')
    .values({
      user_id: entry.userId,
      who: entry.who,
      about_project: entry.project?.project_id ?? null,
      project_name: entry.project?.name ?? null,
      action: entry.action,
      subject: [...entry.subject].slice(0, MAX_SUBJECT).join(''),
      method: entry.method,
      address: entry.address.slice(0, MAX_ADDRESS) || null,
    })
    .execute();
}

/** A reader sees the entries of these projects and of this user. Undefined: all. */
export interface AuditReader {
  projectIds: readonly string[];
  userId: string;
}

/** The newest first, before entry `before`. */
export function selectAuditEntries(db: Db, reader: AuditReader | undefined, before: string | undefined, limit: number) {
  let entries = db.selectFrom('pathmend.audit_log').select(COLUMNS).orderBy('entry_id', 'desc').limit(limit);
  if (reader)
    entries = entries.where((eb) =>
      eb.or([sql<boolean>`about_project = any (${reader.projectIds}::uuid[])`, eb('user_id', '=', reader.userId)]),
    );
  if (before !== undefined) entries = entries.where('entry_id', '<', before);
  return entries.execute();
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
      await trx.updateTable('pathmend.audit_log').set({ subject: left }).where('entry_id', '=', entry_id).execute();
  }
}
