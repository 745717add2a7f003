import type { Db, Trx } from '../../platform/database/db.js';
import { recordChange } from '../actor.js';
import {
  findOrMakeUser,
  findProjectIds,
  findUserOfIdentity,
  isInvited,
  linkIdentity,
  takeInvitationsTo,
  type Identity,
} from '../store/invitations.js';
import { includesRole, type LoginMethod, type Role } from '../roles.js';
import type { Author } from '../store/audit-log.js';
import type { GroupRoles } from '../store/sessions.js';
import { findUser, grantRole, recordLogin, type UserRow } from '../store/users.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import { ApiError, forbidden } from '../../base/errors.js';
import type { GroupRole } from '../../platform/settings/console-settings.js';
import { beginSession, type AccountDeps } from '../login.js';

/** A person that a provider or a proxy vouches for. */
export interface VerifiedIdentity extends Identity {
  method: Exclude<LoginMethod, 'password'>;
  /** The verified e-mail address; undefined: none is verified. */
  email: string | undefined;
  groupRoles: GroupRoles;
}

/** Finds the highest role that groups give in each project, `*` for all. A group outside the list gives nothing. */
export async function resolveGroupRoles(db: Db, groups: readonly string[], roles: readonly GroupRole[]) {
  const groupRoles = roles.filter(({ group }) => groups.includes(group));
  const names = groupRoles.flatMap(({ project }) => project ?? []);
  const ids = await findProjectIds(db, names);
  const highest: Record<string, Role> = {};
  for (const { role, project } of groupRoles) {
    const id = project === undefined ? '*' : ids.get(project);
    if (id !== undefined && !includesRole(highest[id], role)) highest[id] = role;
  }
  return highest;
}

/**
 * Logs in a person who was vouched for. The user is the one linked with the identity; the first time, the user of the
 * verified address, created where an invitation or a group allows it. Open invitations to the address are accepted.
 * @returns the session's secret, for the cookie.
 * @throws ApiError insufficient_permissions without an account, or with a disabled one
 */
export async function signOn(deps: Pick<AccountDeps, 'db' | 'loginAudit'>, vouched: VerifiedIdentity, address: string) {
  const { method, email, groupRoles, issuer, subject } = vouched;
  const user = await inTransaction(deps.db, (trx) => admit(trx, vouched, address)).catch(async (error: unknown) => {
    if (error instanceof ApiError) {
      const known = email === undefined ? undefined : await findUser(deps.db, email);
      const who = email ?? `${subject} of ${issuer}`;
      await deps.loginAudit.refused({ method, address, userId: known?.user_id, who }, error.message);
    }
    throw error;
  });
  const secret = await beginSession(deps, user.user_id, { method, groupRoles });
  await deps.loginAudit.loggedIn({ method, address, userId: user.user_id, who: user.email });
  return secret;
}

async function admit(trx: Trx, vouched: VerifiedIdentity, address: string): Promise<UserRow> {
  const user = (await findUserOfIdentity(trx, vouched)) ?? (await link(trx, vouched, address));
  if (user.disabled_at !== null) throw forbidden('This account is disabled.');
  for (const { role, for_project, project_name } of await takeInvitationsTo(trx, user.email)) {
    await grantRole(trx, user.user_id, for_project, role);
    const project = for_project === null ? undefined : { project_id: for_project, name: project_name ?? '' };
    await recordChange(trx, asAuthor(user, vouched.method, address), project, 'invitation accepted', role);
  }
  await recordLogin(trx, user.user_id);
  return user;
}

async function link(trx: Trx, vouched: VerifiedIdentity, address: string): Promise<UserRow> {
  const { email, groupRoles, issuer, subject, method } = vouched;
  if (email === undefined)
    throw forbidden(
      'Your company does not say that your e-mail address is verified, so that your account is not known.',
    );
  const mayBegin = Object.keys(groupRoles).length > 0 || (await isInvited(trx, email));
  const user = mayBegin ? await findOrMakeUser(trx, email) : await findUser(trx, email);
  if (!user) throw forbidden(`${email} has no account here: ask an admin for an invitation.`);
  if (user.disabled_at !== null) return user;
  if (!(await linkIdentity(trx, vouched, user.user_id))) {
    // Logged in twice at the same time; or the address is another person's now, or has another name at the provider.
    const linked = await findUserOfIdentity(trx, vouched);
    if (linked) return linked;
    throw forbidden(
      `${email} is linked with another person of your company: an operator deletes the account, and invites anew.`,
    );
  }
  const author = asAuthor(user, method, address);
  if (method === 'oidc') await recordChange(trx, author, undefined, 'single sign-on linked', `${subject} of ${issuer}`);
  return user;
}

function asAuthor({ user_id, email }: UserRow, method: LoginMethod, address: string): Author {
  return { userId: user_id, who: email, method, address };
}
