import { sql } from '../../platform/database/sql.js';
import type { Trx } from '../../platform/database/db.js';
import type { Invitation } from './invitations.js';
import { USER_COLUMNS, type UserRow } from './users.js';

export interface Identity {
  issuer: string;
  subject: string;
}

export async function findUserOfIdentity(trx: Trx, { issuer, subject }: Identity): Promise<UserRow | undefined> {
  const { rows } = await sql<UserRow>`
    select ${USER_COLUMNS} from pathmend.users
     where user_id = (select i.user_id from pathmend.identities i
                       where i.issuer = ${issuer} and i.subject = ${subject})`.execute(trx);
  return rows[0];
}

/** False where the user is linked with another subject of this issuer, or the subject with another user. */
export async function linkIdentity(trx: Trx, { issuer, subject }: Identity, userId: string): Promise<boolean> {
  const { rows } = await sql`
    insert into pathmend.identities (issuer, subject, user_id) values (${issuer}, ${subject}, ${userId})
    on conflict do nothing returning user_id`.execute(trx);
  return rows.length > 0;
}

/** The user of an address, who is made without a password if there is none. */
export async function findOrMakeUser(trx: Trx, email: string): Promise<UserRow | undefined> {
  const { rows } = await sql<UserRow>`
    insert into pathmend.users (email) values (${email})
    on conflict (email) do update set email = excluded.email
    returning ${USER_COLUMNS}`.execute(trx);
  return rows[0];
}

export async function isInvited(trx: Trx, email: string): Promise<boolean> {
  const { rows } = await sql`
    select from pathmend.invitations where email = ${email} and expires_at > now() limit 1`.execute(trx);
  return rows.length > 0;
}

export type TakenInvitation = Pick<Invitation, 'role' | 'for_project' | 'project_name'>;

/** Takes all open invitations to an address, which are used by that. */
export async function takeInvitationsTo(trx: Trx, email: string): Promise<TakenInvitation[]> {
  const { rows } = await sql<TakenInvitation>`
    with taken as (
      delete from pathmend.invitations where email = ${email} and expires_at > now() returning role, for_project
    )
    select t.role, t.for_project, p.name as project_name
      from taken t left join pathmend.projects p on p.project_id = t.for_project`.execute(trx);
  return rows;
}
