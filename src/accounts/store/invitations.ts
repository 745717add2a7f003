import { sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { UserRow } from './users.js';

export interface Invitation {
  email: string;
  role: NonNullable<UserRow['role']>;
  /** Null: all projects. */
  for_project: string | null;
  project_name: string | null;
  /** Null: the operator. */
  invited_by: string | null;
  expires_at: Date;
}

export const INVITATION_DAYS = 7;

/** Stores an invitation, in place of an earlier one to the same address and project; drops those that expired. */
export async function insertInvitation(
  trx: Trx,
  tokenHash: Buffer,
  { email, role, for_project, invited_by }: Pick<Invitation, 'email' | 'role' | 'for_project' | 'invited_by'>,
): Promise<Date> {
  await sql`
    delete from pathmend.invitations
     where expires_at < now()
        or (email = ${email} and for_project is not distinct from ${for_project}::uuid)`.execute(trx);
  const { rows } = await sql<{ expires_at: Date }>`
    insert into pathmend.invitations (token_hash, email, role, for_project, invited_by, expires_at)
    values (${tokenHash}, ${email}, ${role}, ${for_project}, ${invited_by},
            now() + make_interval(days => ${INVITATION_DAYS}::int))
    returning expires_at`.execute(trx);
  const row = rows[0];
  if (!row) throw new Error('no invitation was stored');
  return row.expires_at;
}

/** Undefined if it was used, has expired or never was. */
export async function findInvitation(db: Db, tokenHash: Buffer): Promise<Invitation | undefined> {
  const { rows } = await sql<Invitation>`
    select i.email, i.role, i.for_project, p.name as project_name, i.invited_by, i.expires_at
      from pathmend.invitations i left join pathmend.projects p on p.project_id = i.for_project
     where i.token_hash = ${tokenHash} and i.expires_at > now()`.execute(db);
  return rows[0];
}

/** Takes an invitation, which is used by that. Of two at once, one gets it. */
export async function takeInvitation(trx: Trx, tokenHash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    delete from pathmend.invitations where token_hash = ${tokenHash} and expires_at > now() returning email`.execute(
    trx,
  );
  return rows.length > 0;
}
