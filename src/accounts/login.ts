import type { Db } from '../platform/database/db.js';
import { deleteSession, insertSession, readSession, type NewSession } from './store/sessions.js';
import { beginLogin, findUser, recordLogin, type UserRow } from './store/users.js';
import { ApiError, forbidden, invalid } from '../base/errors.js';
import { createGuessLimit, type GuessLimit } from '../platform/limits/guess-limit.js';
import type { Logger } from '../base/logger.js';
import { recordChange } from './actor.js';
import { includesRole, type LoginMethod, type User } from './roles.js';
import { hashSecret, isSecret, mintSecret, readEmail, type Passwords } from './credentials.js';

export interface AccountDeps {
  /** The connection sees the rows of all projects. */
  db: Db;
  passwords: Passwords;
  /** Counts the logins that an address attempts, for all users together. */
  loginAttempts: GuessLimit;
  loginAudit: LoginAudit;
  /** False: users with single sign-on log in by it alone. */
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
 * Finds the user of an address and a password.
 * @throws ApiError invalid_request that names the password; insufficient_permissions for users who may log in by single
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
    // The query runs whether there is such an account or not: both cases take equally long.
    const known = await findUser(db, readEmail(email));
    const why = known?.disabled_at ? 'account disabled' : known && !user ? 'account has to wait' : 'wrong password';
    await loginAudit.refused({ method: 'password', address, userId: known?.user_id, who: known?.email }, why);
    throw invalid('password', REFUSED);
  }
  if (!mayUsePassword(user, passwordLogin)) {
    const login = { method: 'password', address, userId: user.user_id, who: user.email } as const;
    await loginAudit.refused(login, 'account logs in by single sign-on');
    throw forbidden(
      'This account logs in by single sign-on alone. Is that broken, an operator can allow the password.',
    );
  }
  await recordLogin(db, user.user_id);
  return user;
}

/** Whether a user's password opens the console. */
export function mayUsePassword(user: Pick<UserRow, 'single_sign_on' | 'password_login'>, passwordLogin: boolean) {
  return passwordLogin || !user.single_sign_on || user.password_login === true;
}

/** Begins a session; returns its secret, for the cookie. */
export async function beginSession({ db }: Pick<AccountDeps, 'db'>, userId: string, how?: NewSession): Promise<string> {
  const secret = mintSecret();
  await insertSession(db, userId, hashSecret(secret), how);
  return secret;
}

/** Finds the user whose session a cookie holds; undefined if it is nobody's, or has ended. */
export async function findSessionUser({ db, passwordLogin }: AccountDeps, secret?: string): Promise<User | undefined> {
  const session = isSecret(secret) ? await readSession(db, hashSecret(secret)) : undefined;
  if (!session) return undefined;
  const { '*': everywhere, ...ofGroups } = session.group_roles;
  const memberships = { ...session.memberships };
  for (const [id, role] of Object.entries(ofGroups)) if (!includesRole(memberships[id], role)) memberships[id] = role;
  return {
    userId: session.user_id,
    email: session.email,
    role: everywhere && !includesRole(session.role, everywhere) ? everywhere : session.role,
    memberships,
    method: session.method,
    hasPassword: session.has_password && mayUsePassword(session, passwordLogin),
  };
}

export async function endSession({ db }: Pick<AccountDeps, 'db'>, secret: string): Promise<void> {
  await deleteSession(db, hashSecret(secret));
}

/** A login, or one that was tried. */
export interface LoginTry {
  method: LoginMethod;
  /** The caller has this address. */
  address: string;
  /** Undefined: of no account that is known. */
  userId?: string | undefined;
  /** The e-mail address. Never what somebody typed and is no account's: it may be a password. */
  who?: string | undefined;
}

export interface LoginAudit {
  loggedIn(login: LoginTry): Promise<void>;
  /** Counts it and, where few were refused lately, writes it into the audit log. */
  refused(login: LoginTry, reason: string): Promise<void>;
}

/** The console and the log call the methods so. */
export const METHOD_NAMES: Readonly<Record<LoginMethod, string>> = {
  password: 'password',
  oidc: 'single sign-on',
  proxy: "a proxy's header",
};
/** Refusals of a process for all users: many addresses together must not fill the disk. */
const MAX_REFUSALS_PER_MINUTE = 120;

export function createLoginAudit(db: Db, logger: Logger): LoginAudit {
  const limit = createGuessLimit(MAX_REFUSALS_PER_MINUTE, () => Promise.resolve([]));
  let unwritten = 0;
  const record = (login: LoginTry, action: string, subject: string): Promise<void> => {
    const { userId = null, who = '(no account)', method, address } = login;
    return recordChange(db, { userId, who, method, address }, undefined, action, subject);
  };
  const how = ({ method, address }: LoginTry): string => `by ${METHOD_NAMES[method]} from ${address}`;
  return {
    loggedIn: (login) => record(login, 'logged in', how(login)),
    refused: async (login, reason) => {
      if (limit.waitSeconds('') > 0) {
        if (unwritten++ === 0) logger.warn('too many logins were refused: the audit log has only their number');
        return;
      }
      limit.recordRefused('');
      const more = unwritten === 0 ? '' : `; ${unwritten} more were refused before`;
      unwritten = 0;
      await record(login, 'login refused', `${how(login)}: ${reason}${more}`);
    },
  };
}
