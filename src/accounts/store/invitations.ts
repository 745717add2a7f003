import { query, sql } from '../../platform/database/sql.js';
import type { Db, Row, Trx } from '../../platform/database/db.js';
import { USER_COLUMNS, type UserRow } from './users.js';

/** db/migrations/0009_accounts.sql says what the columns mean. */
export type Invitation = Pick<Row<'invitations'>, 'email' | 'role' | 'for_project' | 'invited_by' | 'expires_at'> & {
  project_name: string | null;
};

type NewInvitation = Pick<Invitation, 'email' | 'role' | 'for_project' | 'invited_by'>;

const INVITATION_DAYS = 7;

/** Stores an invitation, in place of an earlier one to the same address and project; drops those that expired. */
export async function insertInvitation(trx: Trx, tokenHash: Buffer, invited: NewInvitation): Promise<Date> {
  await sql`
    delete from pathmend.invitations
     where expires_at < now()
        or (email = ${invited.email} and for_project is not distinct from ${invited.for_project}::uuid)`.execute(trx);
  const expires_at = sql<Date>`now() + make_interval(days => ${INVITATION_DAYS}::int)`;
  const invitation = { ...invited, token_hash: tokenHash, expires_at };
  const insert = trx.insertInto('pathmend.invitations').values(invitation).returning('expires_at');
  return (await insert.executeTakeFirstOrThrow()).expires_at;
}

const isOpen = sql<boolean>`expires_at > now()`;

/** Undefined if it was used, has expired or never was. */
export function findInvitation(db: Db, tokenHash: Buffer): Promise<Invitation | undefined> {
  return query(sql<Invitation>`
    select i.email, i.role, i.for_project, p.name as project_name, i.invited_by, i.expires_at
      from pathmend.invitations i left join pathmend.projects p on p.project_id = i.for_project
     where i.token_hash = ${tokenHash} and i.expires_at > now()`).first(db);
}

/** Takes an invitation, which is used by that. Of two at once, one gets it. */
export async function takeInvitation(trx: Trx, tokenHash: Buffer): Promise<boolean> {
  const taken = trx.deleteFrom('pathmend.invitations').where('token_hash', '=', tokenHash).where(isOpen);
  return (await taken.executeTakeFirst()).numDeletedRows > 0n;
}

export interface Identity {
  issuer: string;
  subject: string;
}

export function findUserOfIdentity(trx: Trx, { issuer, subject }: Identity): Promise<UserRow | undefined> {
  return query(sql<UserRow>`
    select ${USER_COLUMNS} from pathmend.users
     where user_id = (select i.user_id from pathmend.identities i
                       where i.issuer = ${issuer} and i.subject = ${subject})`).first(trx);
}

/** False where the user is linked with another subject of this issuer, or the subject with another user. */
export async function linkIdentity(trx: Trx, { issuer, subject }: Identity, userId: string): Promise<boolean> {
  const insert = trx.insertInto('pathmend.identities').values({ issuer, subject, user_id: userId });
  const linked = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return linked.numInsertedOrUpdatedRows === 1n;
}

/** The user of an address, who is made without a password if there is none. */
export function findOrMakeUser(trx: Trx, email: string): Promise<UserRow | undefined> {
  return query(sql<UserRow>`
    insert into pathmend.users (email) values (${email})
    on conflict (email) do update set email = excluded.email
    returning ${USER_COLUMNS}`).first(trx);
}

export async function isInvited(trx: Trx, email: string): Promise<boolean> {
  const open = trx.selectFrom('pathmend.invitations').select('email').where('email', '=', email).where(isOpen).limit(1);
  return (await open.executeTakeFirst()) !== undefined;
}

export type TakenInvitation = Pick<Invitation, 'role' | 'for_project' | 'project_name'>;

/** Takes all open invitations to an address, which are used by that. */
export function takeInvitationsTo(trx: Trx, email: string): Promise<TakenInvitation[]> {
  return query(sql<TakenInvitation>`
    with taken as (
      delete from pathmend.invitations where email = ${email} and expires_at > now() returning role, for_project
    )
    select t.role, t.for_project, p.name as project_name
      from taken t left join pathmend.projects p on p.project_id = t.for_project`).rows(trx);
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
