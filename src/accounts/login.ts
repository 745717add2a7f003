import type { Db } from '../platform/database/db.js';
import { deleteSession, insertSession, readSession, type GroupRoles, type LoginMethod } from './store/sessions.js';
import { beginLogin, findUser, recordLogin, type UserRow } from './store/users.js';
import { ApiError, invalid } from '../base/errors.js';
import { createGuessLimit, type GuessLimit } from '../projects/failed-key-limit.js';
import { readEmail } from './email.js';
import type { LoginAudit } from './login-audit.js';
import type { Passwords } from './password.js';
import { includesRole, type User } from './roles.js';
import { hashSecret, isSecret, mintSecret } from './secret.js';

export interface AccountDeps {
  /** All projects' rows. */
  db: Db;
  passwords: Passwords;
  /** Counts logins that an address tries, whoever's they are. */
  loginAttempts: GuessLimit;
  loginAudit: LoginAudit;
  /** False: whoever has single sign-on logs in by it alone. */
  passwordLogin: boolean;
}

/** One message for all reasons: nobody learns who has an account, or that it is locked. */
const REFUSED = 'E-mail address or password is not right. After five wrong passwords an account has to wait a while.';
const TRIES_PER_MINUTE = 20;

export function createLoginAttempts(): GuessLimit {
  return createGuessLimit(TRIES_PER_MINUTE, () => Promise.resolve([]));
}

/** Counts a login that an address is about to try. @throws ApiError rate_limit_exceeded */
export function countAttempt(loginAttempts: GuessLimit, address: string): void {
  const seconds = loginAttempts.waitSeconds(address);
  if (seconds > 0)
    throw new ApiError('rate_limit_exceeded', {
      message: `Too many logins were tried from this address: try again in ${seconds} s.`,
      headers: { 'Retry-After': String(seconds) },
    });
  loginAttempts.recordRefused(address);
}

/**
 * Whose address and password these are.
 * @throws ApiError invalid_request that names the password; insufficient_permissions for whoever may log in by single
 * sign-on alone; rate_limit_exceeded; overloaded
 */
export async function checkCredentials(
  { db, passwords, loginAttempts, loginAudit, passwordLogin }: AccountDeps,
  email: string,
  password: string,
  address: string,
): Promise<UserRow> {
  countAttempt(loginAttempts, address);
  const user = await beginLogin(db, readEmail(email));
  if (!(await passwords.matches(password, user?.password_hash, address)) || !user) {
    // Asked whether there is such an account or not: both take as long.
    const known = await findUser(db, readEmail(email));
    const why = known?.disabled_at ? 'account disabled' : known && !user ? 'account has to wait' : 'wrong password';
    await loginAudit.refused({ method: 'password', address, userId: known?.user_id, who: known?.email }, why);
    throw invalid('password', REFUSED);
  }
  if (!mayUsePassword(user, passwordLogin)) {
    const login = { method: 'password', address, userId: user.user_id, who: user.email } as const;
    await loginAudit.refused(login, 'account logs in by single sign-on');
    throw new ApiError('insufficient_permissions', {
      message: 'This account logs in by single sign-on alone. Is that broken, an operator can allow the password.',
    });
  }
  await recordLogin(db, user.user_id);
  return user;
}

/** Whether a user's password opens the console. */
export function mayUsePassword(
  user: Pick<UserRow, 'single_sign_on' | 'password_login'>,
  passwordLogin: boolean,
): boolean {
  return passwordLogin || !user.single_sign_on || user.password_login === true;
}

/** Begins a session; returns its secret, for the cookie. */
export async function beginSession(
  { db }: Pick<AccountDeps, 'db'>,
  userId: string,
  how: { method?: LoginMethod; groupRoles?: GroupRoles } = {},
): Promise<string> {
  const secret = mintSecret();
  await insertSession(db, userId, hashSecret(secret), how);
  return secret;
}

/** Whose session a cookie holds; undefined if it is nobody's, or has ended. */
export async function findSessionUser(
  { db, passwordLogin }: Pick<AccountDeps, 'db' | 'passwordLogin'>,
  secret: string | undefined,
): Promise<User | undefined> {
  const found = isSecret(secret) ? await readSession(db, hashSecret(secret)) : undefined;
  if (!found) return undefined;
  const { '*': everywhere, ...ofGroups } = found.group_roles;
  const memberships = { ...found.memberships };
  for (const [id, role] of Object.entries(ofGroups)) if (!includesRole(memberships[id], role)) memberships[id] = role;
  return {
    userId: found.user_id,
    email: found.email,
    role: everywhere && !includesRole(found.role, everywhere) ? everywhere : found.role,
    memberships,
    method: found.method,
    hasPassword: found.has_password && mayUsePassword(found, passwordLogin),
  };
}

export async function endSession({ db }: Pick<AccountDeps, 'db'>, secret: string): Promise<void> {
  await deleteSession(db, hashSecret(secret));
}
