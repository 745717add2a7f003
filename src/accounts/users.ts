import { ApiError, invalid } from '../base/errors.js';
import type { Db } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { recordChange, type AboutProject, type Actor } from './actor.js';
import { checkPassword, hashSecret } from './credentials.js';
import { checkCredentials, type AccountDeps } from './login.js';
import type { Role, User } from './roles.js';
import { deleteOtherSessions } from './store/sessions.js';
import * as store from './store/users.js';
import type { MemberRow, UserChanges } from './store/users.js';

type Project = NonNullable<AboutProject>;

/** Changes a user. @returns false if there is no such user. @param changes what is undefined stays */
export async function changeUser(db: Db, actor: Actor, email: string, changes: UserChanges): Promise<boolean> {
  const { disabled, passwordLogin } = changes;
  const descriptions = [
    ...(disabled === undefined ? [] : [disabled ? 'disabled' : 'let in again']),
    ...(passwordLogin === undefined ? [] : [`password login ${passwordLogin ? 'on' : 'off'}`]),
  ];
  return inTransaction(db, async (trx) => {
    const exists = await store.updateUser(trx, email, changes);
    if (exists) await recordChange(trx, actor, undefined, 'user changed', `${email}: ${descriptions.join(', ')}`);
    return exists;
  });
}

/** Removes a user. @returns whether there was such a user. */
export async function removeUser(db: Db, actor: Actor, email: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const exists = await store.deleteUser(trx, email);
    if (exists) await recordChange(trx, actor, undefined, 'user deleted', email);
    return exists;
  });
}

/** Gives a member of a project another role. */
export async function changeRole(db: Db, actor: Actor, project: Project, member: MemberRow, role: Role): Promise<void> {
  await inTransaction(db, async (trx) => {
    await store.grantRole(trx, member.user_id, project.project_id, role);
    await recordChange(trx, actor, project, 'role changed', `${member.email}: ${member.role} to ${role}`);
  });
}

export async function removeMember(db: Db, actor: Actor, project: Project, member: MemberRow): Promise<void> {
  await inTransaction(db, async (trx) => {
    await store.removeMember(trx, project.project_id, member.user_id);
    await recordChange(trx, actor, project, 'member removed', member.email);
  });
}

/** Sets the password of an admin of all projects, who is made if there is none of this address. */
export async function setAdmin(db: Db, actor: Actor, email: string, passwordHash: string): Promise<void> {
  await inTransaction(db, async (trx) => {
    const user = await store.storePassword(trx, email, passwordHash, true);
    if (user) await store.grantRole(trx, user.user_id, null, 'admin');
    await recordChange(trx, actor, undefined, 'user changed', `${email}: password set`);
  });
}

/**
 * Changes the user's own password; the other sessions of the user end.
 * @param secret of the session that stays
 * @throws ApiError invalid_request that names `password` or `old`; what {@link checkCredentials} throws
 */
export async function changePassword(
  deps: AccountDeps,
  { userId, email, method }: Pick<User, 'userId' | 'email' | 'method'>,
  { old, password }: { old: string; password: string },
  secret: string,
  address: string,
): Promise<void> {
  checkPassword(password);
  await checkCredentials(deps, email, old, address).catch((error: unknown) => {
    const isWrong = error instanceof ApiError && error.param === 'password';
    throw isWrong ? invalid('old', 'This is not your password.') : error;
  });
  const hash = await deps.passwords.hash(password, address);
  await inTransaction(deps.db, async (trx) => {
    await store.changePassword(trx, userId, hash);
    await deleteOtherSessions(trx, userId, hashSecret(secret));
    await recordChange(trx, { userId, who: email, method, address }, undefined, 'password changed', email);
  });
}
