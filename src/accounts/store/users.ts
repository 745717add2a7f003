import { NOW, query, sql } from '../../platform/database/sql.js';
import type { Db, Row, Trx } from '../../platform/database/db.js';
import type { Role } from '../roles.js';

/** db/migrations/0009_accounts.sql says what the columns mean. */
export type UserRow = Pick<
  Row<'users'>,
  'user_id' | 'email' | 'password_hash' | 'role' | 'last_login_at' | 'disabled_at' | 'password_login'
> & {
  /** Whether a provider or a proxy has logged the user in. */
  single_sign_on: boolean;
};

export const USER_COLUMNS = sql`
  users.user_id, users.email, users.password_hash, users.role, users.last_login_at, users.disabled_at,
  users.password_login,
  exists (select from pathmend.identities i where i.user_id = users.user_id) as single_sign_on`;

/** Wrong passwords before an account waits: a minute, then twice as long after each further one. */
export const MAX_FAILED_LOGINS = 5;
const MAX_LOCK_SECONDS = 900;

export function findUser(db: Db, email: string): Promise<UserRow | undefined> {
  return query(sql<UserRow>`
    select ${USER_COLUMNS} from pathmend.users where email = ${email}`).first(db);
}

export function listUsers(db: Db): Promise<(UserRow & { projects: number })[]> {
  return query(sql<UserRow & { projects: number }>`
    select ${USER_COLUMNS},
           (select count(*)::int from pathmend.memberships m where m.user_id = users.user_id) as projects
      from pathmend.users order by email limit 10000`).rows(db);
}

/**
 * Counts a login that is about to be tried, as a failed one until {@link recordLogin} says otherwise: tries at the same
 * time count, too. Undefined if there is no such user, or they have to wait. Nobody waits longer than the longest time:
 * an end beyond that is of a clock that has been set back since.
 */
export function beginLogin(db: Db, email: string): Promise<UserRow | undefined> {
  return query(sql<UserRow>`
    update pathmend.users
       set failed_logins = failed_logins + 1,
           locked_until = case when failed_logins + 1 < ${MAX_FAILED_LOGINS}::int then locked_until
                          else now() + make_interval(secs => least(${MAX_LOCK_SECONDS}::int,
                                 60 * 2 ^ least(10, failed_logins + 1 - ${MAX_FAILED_LOGINS}::int))) end
     where email = ${email} and disabled_at is null
       and (locked_until <= now() or locked_until > now() + make_interval(secs => ${MAX_LOCK_SECONDS}::int))
    returning ${USER_COLUMNS}`).first(db);
}

export async function recordLogin(db: Db, userId: string): Promise<void> {
  const login = { failed_logins: 0, locked_until: sql<Date>`'-infinity'`, last_login_at: NOW };
  await db.updateTable('pathmend.users').set(login).where('user_id', '=', userId).execute();
}

/**
 * Sets the password of a user, who is created if the address is new. Ends the sessions of the user.
 * @returns undefined where the user has a password and `replaces` is false.
 */
export async function storePassword(trx: Trx, email: string, passwordHash: string, replaces: boolean) {
  const user = await query(sql<UserRow>`
    insert into pathmend.users (email, password_hash) values (${email}, ${passwordHash})
    on conflict (email) do update
       set password_hash = excluded.password_hash, failed_logins = 0, locked_until = '-infinity'
     where users.password_hash is null or ${replaces}::boolean
    returning ${USER_COLUMNS}`).first(trx);
  if (user) await trx.deleteFrom('pathmend.sessions').where('user_id', '=', user.user_id).execute();
  return user;
}

/** @param projectId null: over all projects. */
export async function grantRole(trx: Trx, userId: string, projectId: string | null, role: Role): Promise<void> {
  if (projectId === null) {
    await trx.updateTable('pathmend.users').set({ role }).where('user_id', '=', userId).execute();
    return;
  }
  const insert = trx.insertInto('pathmend.memberships').values({ project_id: projectId, user_id: userId, role });
  await insert.onConflict((conflict) => conflict.columns(['project_id', 'user_id']).doUpdateSet({ role })).execute();
}

export interface MemberRow {
  user_id: string;
  email: string;
  role: Role;
  /** Whether the role is over all projects: it is not this project's to change. */
  everywhere: boolean;
  last_login_at: Date | null;
}

export const MAX_MEMBERS = 500;

/** Lists the users who may work in a project, by address; {@link MAX_MEMBERS} at most. */
export function listMembers(db: Db, projectId: string): Promise<MemberRow[]> {
  return query(sql<MemberRow>`
    select u.user_id, u.email, r.role, r.everywhere, u.last_login_at
      from (select m.user_id, m.role, false as everywhere from pathmend.memberships m where m.project_id = ${projectId}
            union all
            select a.user_id, a.role, true from pathmend.users a where a.role is not null) as r
      join pathmend.users u on u.user_id = r.user_id
     order by u.email, r.everywhere limit ${MAX_MEMBERS}::int`).rows(db);
}

export async function removeMember(trx: Trx, projectId: string, userId: string): Promise<void> {
  const memberships = trx.deleteFrom('pathmend.memberships').where('project_id', '=', projectId);
  await memberships.where('user_id', '=', userId).execute();
}

/** Whether there was such a user. Sessions and memberships are deleted too; changes stay in the audit log. */
export async function deleteUser(db: Db, email: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('pathmend.users').where('email', '=', email).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** An operator sets these for a user; what is undefined stays. */
export interface UserChanges {
  disabled?: boolean | undefined;
  passwordLogin?: boolean | undefined;
}

/** A disabled user's sessions end. False if there is no such user. */
export function updateUser(db: Db, email: string, { disabled, passwordLogin }: UserChanges): Promise<boolean> {
  return query(sql`
    with ended as (
      delete from pathmend.sessions s using pathmend.users u
       where ${disabled ?? false}::boolean and u.email = ${email} and s.user_id = u.user_id
    )
    update pathmend.users
       set disabled_at = case ${disabled ?? null}::boolean when true then coalesce(disabled_at, now())
                         when false then null else disabled_at end,
           password_login = coalesce(${passwordLogin ?? null}::boolean, password_login)
     where email = ${email} returning user_id`).some(db);
}

export async function changePassword(trx: Trx, userId: string, passwordHash: string): Promise<void> {
  await trx.updateTable('pathmend.users').set({ password_hash: passwordHash }).where('user_id', '=', userId).execute();
}
