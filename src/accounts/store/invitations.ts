import { firstOf, hasRows, rowsOf, sql } from '../../platform/database/sql.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { Role } from '../roles.js';
import { USER_COLUMNS, type UserRow } from './users.js';

export interface Invitation {
  email: string;
  role: Role;
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
export function findInvitation(db: Db, tokenHash: Buffer): Promise<Invitation | undefined> {
  return firstOf(
    db,
    sql<Invitation>`
    select i.email, i.role, i.for_project, p.name as project_name, i.invited_by, i.expires_at
      from pathmend.invitations i left join pathmend.projects p on p.project_id = i.for_project
     where i.token_hash = ${tokenHash} and i.expires_at > now()`,
  );
}

/** Takes an invitation, which is used by that. Of two at once, one gets it. */
export async function takeInvitation(trx: Trx, tokenHash: Buffer): Promise<boolean> {
  return hasRows(
    trx,
    sql`
    delete from pathmend.invitations where token_hash = ${tokenHash} and expires_at > now() returning email
  `,
  );
}

export interface Identity {
  issuer: string;
  subject: string;
}

export function findUserOfIdentity(trx: Trx, { issuer, subject }: Identity): Promise<UserRow | undefined> {
  return firstOf(
    trx,
    sql<UserRow>`
    select ${USER_COLUMNS} from pathmend.users
     where user_id = (select i.user_id from pathmend.identities i
                       where i.issuer = ${issuer} and i.subject = ${subject})`,
  );
}

/** False where the user is linked with another subject of this issuer, or the subject with another user. */
export async function linkIdentity(trx: Trx, { issuer, subject }: Identity, userId: string): Promise<boolean> {
  return hasRows(
    trx,
    sql`
    insert into pathmend.identities (issuer, subject, user_id) values (${issuer}, ${subject}, ${userId})
    on conflict do nothing returning user_id`,
  );
}

/** The user of an address, who is made without a password if there is none. */
export function findOrMakeUser(trx: Trx, email: string): Promise<UserRow | undefined> {
  return firstOf(
    trx,
    sql<UserRow>`
    insert into pathmend.users (email) values (${email})
    on conflict (email) do update set email = excluded.email
    returning ${USER_COLUMNS}`,
  );
}

export async function isInvited(trx: Trx, email: string): Promise<boolean> {
  return hasRows(
    trx,
    sql`
    select from pathmend.invitations where email = ${email} and expires_at > now() limit 1`,
  );
}

export type TakenInvitation = Pick<Invitation, 'role' | 'for_project' | 'project_name'>;

/** Takes all open invitations to an address, which are used by that. */
export function takeInvitationsTo(trx: Trx, email: string): Promise<TakenInvitation[]> {
  return rowsOf(
    trx,
    sql<TakenInvitation>`
    with taken as (
      delete from pathmend.invitations where email = ${email} and expires_at > now() returning role, for_project
    )
    select t.role, t.for_project, p.name as project_name
      from taken t left join pathmend.projects p on p.project_id = t.for_project`,
  );
}

/** The ids of the projects that go by these names or ids. An identifier takes precedence over another's equal name. */
export async function findProjectIds(db: Db, names: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ called: string; project_id: string }>`
    select distinct on (called) n.called, p.project_id
      from unnest(${names}::text[]) as n (called)
      join pathmend.projects p on p.name = n.called or p.project_id::text = lower(n.called)
     order by called, p.project_id::text = lower(n.called) desc`.execute(db);
  return new Map(rows.map(({ called, project_id }) => [called, project_id]));
}
