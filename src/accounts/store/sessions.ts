import { query, sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';
import type { LoginMethod, Role } from '../roles.js';
import type { UserRow } from './users.js';

/** A session ends when nothing was asked in it for this long, and this long after the login at the latest. */
export const SESSION_IDLE_HOURS = 12;
export const SESSION_DAYS = 7;
/** After single sign-on, a session ends this soon: then the provider decides again who comes in, in which roles. */
const SIGN_ON_HOURS = 12;
/** A user has so many sessions; the oldest end. */
const MAX_SESSIONS = 20;

/** Groups at the provider give a session roles by project id, `*` for all projects. */
export type GroupRoles = Readonly<Record<string, Role>>;

export interface SessionUser extends Pick<UserRow, 'user_id' | 'email' | 'role' | 'password_login' | 'single_sign_on'> {
  memberships: Record<string, Role>;
  method: LoginMethod;
  group_roles: GroupRoles;
  has_password: boolean;
}

const alive = sql`
  s.created_at > now() - case s.method when 'password' then make_interval(days => ${SESSION_DAYS}::int)
                         else make_interval(hours => ${SIGN_ON_HOURS}::int) end
  and s.last_seen_at > now() - make_interval(hours => ${SESSION_IDLE_HOURS}::int)`;

/** Finds the user of a session; undefined if it has ended. */
export function readSession(db: Db, tokenHash: Buffer): Promise<SessionUser | undefined> {
  return query(sql<SessionUser>`
    with seen as (
      update pathmend.sessions s set last_seen_at = now()
       where s.token_hash = ${tokenHash} and s.last_seen_at < now() - interval '1 minute' and ${alive}
    )
    select users.user_id, users.email, users.role, users.password_login, s.method, s.group_roles,
           exists (select from pathmend.identities i where i.user_id = users.user_id) as single_sign_on,
           users.password_hash is not null as has_password,
           coalesce((select jsonb_object_agg(m.project_id, m.role) from pathmend.memberships m
                      where m.user_id = users.user_id), '{}') as memberships
      from pathmend.sessions s
      join pathmend.users on users.user_id = s.user_id
     where s.token_hash = ${tokenHash} and ${alive} and users.disabled_at is null`).first(db);
}

export interface NewSession {
  method?: LoginMethod;
  groupRoles?: GroupRoles;
}

/** Begins a session, and ends this user's oldest ones and those that are over. */
export async function insertSession(db: Db, userId: string, tokenHash: Buffer, how: NewSession = {}): Promise<void> {
  const { method = 'password', groupRoles = {} } = how;
  await sql`
    with ended as (
      delete from pathmend.sessions s
       where s.user_id = ${userId}
         and (not (${alive})
              or s.token_hash in (select o.token_hash from pathmend.sessions o where o.user_id = ${userId}
                                   order by o.created_at desc offset ${MAX_SESSIONS - 1}::int))
    )
    insert into pathmend.sessions (token_hash, user_id, method, group_roles)
    values (${tokenHash}, ${userId}, ${method}, ${JSON.stringify(groupRoles)}::jsonb)`.execute(db);
}

export async function deleteSession(db: Db, tokenHash: Buffer): Promise<void> {
  await db.deleteFrom('pathmend.sessions').where('token_hash', '=', tokenHash).execute();
}

/** Ends all of a user's sessions but one. */
export async function deleteOtherSessions(db: Db, userId: string, tokenHash: Buffer): Promise<void> {
  await db.deleteFrom('pathmend.sessions').where('user_id', '=', userId).where('token_hash', '<>', tokenHash).execute();
}
