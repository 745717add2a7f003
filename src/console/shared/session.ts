import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { isSecret, mintSecret } from '../../accounts/credentials.js';
import type { Notice, ConsoleDeps, Problem } from './console-page.js';
import { countAttempt, findSessionUser } from '../../accounts/login.js';
import type { User } from '../../accounts/roles.js';
import { signOn } from '../../accounts/single-sign-on/sign-on.js';
import { ApiError } from '../../base/errors.js';

/**
 * The prefix makes browsers refuse the cookie unless it is Secure and of this host alone. On http://localhost, which is
 * as safe, Chromium and Firefox take it all the same; elsewhere the console needs https
 * (src/platform/settings/console-settings.ts).
 */
const SESSION_COOKIE = '__Host-pathmend';
const SIGN_ON_COOKIE = '__Host-pathmend-sign-on';
const NOTICE_COOKIE = '__Host-pathmend-notice';
// Lax, not Strict: browsers send a Strict one not even with the page to which another site's link or login leads back.
const ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Lax';
/** The maximum age of the cookie in seconds, within the limit of browsers. Sessions end sooner, in the database. */
const MAX_AGE = 400 * 86_400;
/** The time in seconds within which a user must log in at the provider. */
const SIGN_ON_AGE = 600;

export interface CurrentUser {
  /** The secret in the cookie. */
  secret: string;
  user: User | undefined;
  /** The reason why the user that a proxy names is not logged in. */
  problem?: Problem;
}

/**
 * Finds the user of a request: by the cookie of the session, or by the header of a proxy, which begins a session when a
 * page is requested with GET. A session that a header began counts only together with that header, and no session
 * counts together with the header of another user.
 */
export async function findCurrentUser(deps: ConsoleDeps, request: Request, response: Response): Promise<CurrentUser> {
  const secret = readCookie(request, response);
  const owner = await findSessionUser(deps, secret);
  const claim = deps.readProxyHeader?.(request) ?? { kind: 'none' };
  const named = claim.kind === 'person' ? claim.email : undefined;
  const user = owner && (named === undefined ? owner.method !== 'proxy' : named === owner.email) ? owner : undefined;
  if (user || claim.kind === 'none') return { secret, user };
  // A form belongs to the session in which it was read; and users who log out must see that it worked.
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

/** Returns the secret in the browser's cookie, of a session or, before a login, random. Sets one if there is none. */
function readCookie(request: Request, response: Response): string {
  const cookie = cookieOf(request, SESSION_COOKIE);
  if (isSecret(cookie)) return cookie;
  const secret = mintSecret();
  setSessionCookie(response, secret);
  return secret;
}

/** Derives the token of forms from the secret. Other sites cannot read it: a form with it is from our own page. */
export function formTokenOf(secret: string): string {
  return createHash('sha256').update(`form ${secret}`).digest('base64url');
}

/** A login must set a new secret: an attacker who planted the one from before would be logged in, too. */
export function setSessionCookie(response: Response, secret: string): void {
  setCookie(response, SESSION_COOKIE, secret, MAX_AGE);
}

export function clearSessionCookie(response: Response): void {
  setCookie(response, SESSION_COOKIE, '', 0);
}

/** @param to where to go after the login: printable ASCII. */
export function setSignOnCookie(response: Response, secret: string, to: string): void {
  setCookie(response, SIGN_ON_COOKIE, `${secret}.${Buffer.from(to).toString('base64url')}`, SIGN_ON_AGE);
}

/** Reads and clears the cookie of a single sign-on that was begun in this browser, so that it is finished only once. */
export function takeSignOnCookie(request: Request, response: Response): { secret: string; to: string } | undefined {
  const [secret, to = ''] = cookieOf(request, SIGN_ON_COOKIE)?.split('.', 2) ?? [];
  setCookie(response, SIGN_ON_COOKIE, '', 0);
  return isSecret(secret) ? { secret, to: Buffer.from(to, 'base64url').toString() } : undefined;
}

/** Stores the notice in a cookie, because another process may answer with the next page. */
export function setNotice(response: Response, { text, secret }: Notice): void {
  setCookie(response, NOTICE_COOKIE, Buffer.from(JSON.stringify({ text, secret })).toString('base64url'), 60);
}

/** Reads and clears the notice, so that it is shown once. */
export function takeNotice(request: Request, response: Response): Notice | undefined {
  const value = cookieOf(request, NOTICE_COOKIE);
  if (value === undefined || value === '') return undefined;
  setCookie(response, NOTICE_COOKIE, '', 0);
  try {
    const { text, secret } = JSON.parse(Buffer.from(value, 'base64url').toString()) as Partial<Notice>;
    return typeof text === 'string' ? { text, ...(typeof secret === 'string' && { secret }) } : undefined;
  } catch {
    return undefined;
  }
}

function setCookie(response: Response, name: string, value: string, maxAge: number): void {
  response.append('Set-Cookie', `${name}=${value}; ${ATTRIBUTES}; Max-Age=${maxAge}`);
}

function cookieOf(request: Request, name: string): string | undefined {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [key = '', value = ''] = part.split('=', 2);
    if (key.trim() === name) return value.trim();
  }
  return undefined;
}
