import type { Db } from '../platform/database/db.js';
import { findInvitation, insertInvitation, takeInvitation, type Invitation } from './store/invitations.js';
import { findUser, grantRole, storePassword } from './store/users.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { ApiError, forbidden } from '../base/errors.js';
import { recordChange, type AboutProject, type Actor } from './actor.js';
import { checkPassword, hashSecret, isSecret, mintSecret, readEmail } from './credentials.js';
import { checkCredentials, mayUsePassword, type AccountDeps } from './login.js';
import type { Role } from './roles.js';

/**
 * Makes an invitation that works once; returns the secret of its link, of which only the hash is stored.
 * @param actor without a user: the operator
 * @throws ApiError of status 400 for what is no e-mail address
 */
export async function inviteUser(
  db: Db,
  actor: Actor,
  { email, role, project }: { email: string; role: Role; project: AboutProject },
): Promise<{ secret: string; email: string; expiresAt: Date }> {
  const secret = mintSecret();
  const address = readEmail(email);
  const row = { email: address, role, for_project: project?.project_id ?? null, invited_by: actor.userId };
  const expiresAt = await inTransaction(db, async (trx) => {
    await recordChange(trx, actor, project, 'member invited', `${address} as ${role}`);
    return insertInvitation(trx, hashSecret(secret), row);
  });
  return { secret, email: address, expiresAt };
}

export interface OpenInvitation extends Invitation {
  /**
   * The invited user accepts it by this. A user with an account gives its password or comes by single sign-on: an admin
   * of one project, who may invite anybody, could else take any account over. The operator's invitation sets a new
   * password.
   */
  by: 'new password' | 'own password' | 'single sign-on';
}

/** @throws ApiError not_found */
export async function readInvitation({ db, passwordLogin }: AccountDeps, secret?: string): Promise<OpenInvitation> {
  const invitation = isSecret(secret) ? await findInvitation(db, hashSecret(secret)) : undefined;
  if (!invitation)
    throw new ApiError('not_found', {
      message: 'This invitation was used, has expired, or does not exist. Ask its sender for a new one.',
    });
  const user = await findUser(db, invitation.email);
  if (invitation.invited_by === null) return { ...invitation, by: 'new password' };
  if (!user) return { ...invitation, by: passwordLogin ? 'new password' : 'single sign-on' };
  const hasPassword = user.password_hash !== null && mayUsePassword(user, passwordLogin);
  return { ...invitation, by: hasPassword ? 'own password' : 'single sign-on' };
}

/** Gives the invited user the role, and a password if there was none. @returns the user id. @throws ApiError */
export async function acceptInvitation(deps: AccountDeps, secret: string, password: string, address: string) {
  const invitation = await readInvitation(deps, secret);
  const { email, role, for_project: projectId, project_name, by } = invitation;
  if (by === 'single sign-on') throw forbidden('This invitation is accepted by single sign-on.');
  const known = by === 'own password' ? await checkCredentials(deps, email, password, address) : undefined;
  const hash = known ? undefined : await deps.passwords.hash(checkPassword(password), address);
  const userId = await inTransaction(deps.db, async (trx) => {
    const taken = await takeInvitation(trx, hashSecret(secret));
    const user = hash === undefined ? known : await storePassword(trx, email, hash, invitation.invited_by === null);
    if (user?.disabled_at != null) throw forbidden('This account is disabled.');
    if (!taken || !user) throw new ApiError('not_found', { message: 'This invitation was used meanwhile.' });
    await grantRole(trx, user.user_id, projectId, role);
    const actor = { userId: user.user_id, who: email, method: 'password', address } as const;
    const project = projectId === null ? undefined : { project_id: projectId, name: project_name ?? '' };
    await recordChange(trx, actor, project, 'invitation accepted', role);
    return user.user_id;
  });
  await deps.loginAudit.loggedIn({ method: 'password', address, userId, who: email });
  return userId;
}
