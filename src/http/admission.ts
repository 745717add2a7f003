import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { Db } from '../platform/database/db.js';
import type { Tenants } from '../platform/database/session/tenants.js';
import type { Admission } from '../projects/store/rate-buckets.js';
import { ApiError } from '../base/errors.js';
import type { Scope } from '../base/glossary.js';
import { hashKey, isWellFormedKey } from '../projects/api-key.js';
import type { Caller } from '../projects/caller.js';
import type { GuessLimit } from '../platform/limits/guess-limit.js';
import type { RateLeases } from '../projects/rate-leases.js';
import { contextOf } from './request-context.js';

export interface AdmissionDeps {
  leases: RateLeases;
  tenants: Tenants;
  guesses: GuessLimit;
}

const BEARER = /^Bearer +(\S+) *$/i;

const FORBIDDEN: Record<string, string> = {
  plan: 'This project has no plan: an operator must set one.',
  access: 'Access to this project is restricted.',
};

/**
 * Checks key (401), access (403) and rate (429) in this order, and sets the rate-limit headers.
 * @returns the caller, and a function that reads it again: a body may take half a minute to come, and pages may be
 * deleted in that time. `takeMore`: takes tokens for a request that needs several, beside its first; all or none.
 * @throws ApiError invalid_api_key, insufficient_permissions, rate_limit_exceeded; takeMore also payload_too_large
 */
export async function admitRequest(
  { leases, tenants, guesses }: AdmissionDeps,
  request: Request,
  scope: Scope,
  response: Response,
): Promise<{ caller: Caller; again: () => Promise<Caller>; takeMore: (tokens: number) => Promise<void> }> {
  const { route } = contextOf(response);
  const keyHash = await readKey(guesses, request);
  const admission = await leases.admit(keyHash, scope);
  if (admission.outcome === 'unknown') guesses.recordRefused(request.ip, keyHash);
  else {
    guesses.recordAccepted(keyHash);
    setRateHeaders(response, admission);
  }
  checkAccess(admission, scope);
  checkLimit(admission, 1);
  return {
    caller: makeCaller(tenants, admission, route),
    again: async () => {
      const now = await leases.admitAgain(keyHash, scope);
      checkAccess(now, scope);
      return makeCaller(tenants, now, route);
    },
    takeMore: async (tokens) => {
      checkSize(admission, tokens + 1);
      const now = await leases.admitMore(keyHash, scope, tokens, admission.granted_at);
      if (now.outcome !== 'unknown') setRateHeaders(response, now);
      checkAccess(now, scope);
      checkLimit(now, tokens + 1);
    },
  };
}

function checkLimit({ outcome, tokens, rate }: Admission, needed: number): void {
  if (outcome !== 'limited') return;
  // Rounded up: a client that waits exactly this long must not be refused again.
  const seconds = Math.max(1, Math.ceil((needed - tokens) / rate));
  const what =
    needed === 1 ? 'The rate limit is used up' : `The rate limit leaves less than the ${needed} of this batch`;
  throw tooMany(`${what}: try again in ${seconds} s.`, seconds);
}

function checkSize({ burst }: Admission, needed: number): void {
  if (needed <= burst) return;
  const message = `The batch has ${needed} pages and deletes; this project may send at most ${Math.floor(burst)} at once.`;
  throw new ApiError('payload_too_large', { message });
}

/** The hash of a request's key is read before the request waits, and needed again after. */
const keyHashes = new WeakMap<IncomingMessage, Buffer>();

function readKeyHash(request: IncomingMessage): Buffer | undefined {
  const known = keyHashes.get(request);
  if (known) return known;
  const key = BEARER.exec(request.headers.authorization ?? '')?.[1];
  if (key === undefined || !isWellFormedKey(key)) return undefined;
  const keyHash = hashKey(key);
  keyHashes.set(request, keyHash);
  return keyHash;
}

/**
 * Chooses the line in which a request waits for its turn: one for each key that was accepted lately, however the header
 * writes it, and one for all other requests together. Strangers can make up as many keys as they like.
 */
export function lineOf(guesses: Pick<GuessLimit, 'wasAccepted'>, request: IncomingMessage): string {
  const keyHash = readKeyHash(request);
  return keyHash !== undefined && guesses.wasAccepted(keyHash) ? keyHash.toString('latin1') : '';
}

async function readKey(guesses: GuessLimit, request: Request): Promise<Buffer> {
  const authorization = request.get('authorization');
  if (authorization === undefined) throw refused('Missing header: Authorization: Bearer <API_KEY>');
  const keyHash = readKeyHash(request);
  const seconds = guesses.waitSeconds(request.ip);
  // A valid key is let in: behind a proxy, its owner may share the address with a guesser.
  if (seconds > 0 && !(keyHash && (await guesses.isValid(keyHash)))) {
    await guesses.holdBack();
    throw tooMany(
      `Too many requests with a key that is not valid came from this address: try again in ${seconds} s.`,
      seconds,
    );
  }
  if (keyHash) return keyHash;
  guesses.recordRefused(request.ip);
  const isBearer = BEARER.test(authorization);
  throw refused(isBearer ? 'The API key is not valid.' : 'The Authorization header must be: Bearer <API_KEY>');
}

function checkAccess({ outcome, reason }: Admission, scope: Scope): void {
  if (outcome === 'unknown') throw refused('The API key is unknown, revoked or expired.');
  if (outcome === 'forbidden')
    throw new ApiError('insufficient_permissions', {
      message:
        reason === 'scope'
          ? `This API key lacks the scope ${scope}.`
          : (FORBIDDEN[reason ?? ''] ?? 'This API key may not do that.'),
    });
}

function makeCaller(tenants: Tenants, admission: Admission, route: string): Caller {
  let db: Db | undefined;
  return {
    projectId: admission.project_id,
    operation: route,
    // Made when it is asked for: an event and a cached answer need none. Two were a sixth of what an event allocated.
    get db() {
      return (db ??= tenants.of(admission.project_id, undefined, route).db);
    },
    keyId: admission.key_id,
    isTest: admission.is_test,
    modelId: admission.model_id,
    indexVersion: Number(admission.index_version),
  };
}

function refused(message: string): ApiError {
  return new ApiError('invalid_api_key', { message, headers: { 'WWW-Authenticate': 'Bearer' } });
}

function tooMany(message: string, seconds: number): ApiError {
  return new ApiError('rate_limit_exceeded', { message, headers: { 'Retry-After': String(seconds) } });
}

function setRateHeaders(response: Response, { burst, tokens: left, rate }: Admission): void {
  const tokens = Math.min(burst, left);
  // A project without a plan has an empty bucket, which is always full.
  const secondsToFull = rate > 0 ? (burst - tokens) / rate : 0;
  response.setHeader('X-RateLimit-Limit', Math.floor(burst));
  response.setHeader('X-RateLimit-Remaining', Math.max(0, Math.floor(tokens)));
  response.setHeader('X-RateLimit-Reset', Math.ceil(Date.now() / 1000 + secondsToFull));
}
