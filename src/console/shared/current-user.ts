import type { Request, Response } from 'express';
import { countAttempt, findSessionUser } from '../../accounts/login.js';
import type { User } from '../../accounts/roles.js';
import { signOn } from '../../accounts/single-sign-on/sign-on.js';
import { ApiError } from '../../base/errors.js';
import type { ConsoleDeps } from './console-deps.js';
import type { Problem } from './console-page.js';
import { readCookie, setSessionCookie } from './session.js';

export interface CurrentUser {
  /** What the cookie holds. */
  secret: string;
  user: User | undefined;
  /** Why whoever a proxy names is not logged in. */
  problem?: Problem;
}

/**
 * Who asks: by his session's cookie, or by the header of a proxy, which begins a session at a page's GET. A session
 * that such a header began is nobody's without it, and nobody's beside the header of another.
 */
export async function findCurrentUser(deps: ConsoleDeps, request: Request, response: Response): Promise<CurrentUser> {
  const secret = readCookie(request, response);
  const found = await findSessionUser(deps, secret);
  const claim = deps.readProxyHeader?.(request) ?? { kind: 'none' };
  const named = claim.kind === 'person' ? claim.email : undefined;
  const user = found && (named === undefined ? found.method !== 'proxy' : named === found.email) ? found : undefined;
  if (user || claim.kind === 'none') return { secret, user };
  // A form belongs to the session in which it was read; and whoever logs out is to see that he has.
  if (request.method !== 'GET' || request.path.endsWith('/logout')) return { secret, user };
  const address = request.ip ?? '';
  if (claim.kind === 'refused') {
    await deps.loginAudit.refused({ method: 'proxy', address }, claim.reason);
    return { secret, user };
  }
  try {
    const { email } = claim;
    countAttempt(deps.loginAttempts, address);
    const vouched = { method: 'proxy', issuer: 'proxy', subject: email, email, groupRoles: {} } as const;
    const begun = await signOn(deps, vouched, address);
    setSessionCookie(response, begun);
    return { secret: begun, user: await findSessionUser(deps, begun) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { secret, user, problem: { message: error.message, field: undefined } };
  }
}
