import type { Request, Response } from 'express';
import type { Tenants } from '../database/session/tenants.js';
import type { Admission, IndexFacts } from '../database/queries/admit.js';
import { ApiError } from '../errors.js';
import type { Scope } from '../glossary.js';
import { hashKey, isWellFormedKey } from '../keys/api-key.js';
import type { Caller } from '../keys/caller.js';
import type { FailedKeys } from '../keys/failed-keys.js';
import type { KeyLookups } from '../keys/key-lookups.js';
import type { Leases } from '../keys/leases.js';

/** A caller as of admission. */
export interface AdmittedCaller extends Caller {
  /** The caller with the index as it is now: a body may take half a minute to come, and pages are deleted meanwhile. */
  now: () => Promise<Caller>;
}

export interface AdmissionDeps {
  leases: Leases;
  tenants: Tenants;
  failedKeys: FailedKeys;
  keyLookups: KeyLookups;
}

const BEARER = /^Bearer +(\S+) *$/i;

const FORBIDDEN: Record<string, string> = {
  plan: 'This project has no plan: an operator must set one.',
  access: 'Access to this project is restricted.',
  scope: 'This API key lacks the scope that this operation needs.',
};

/**
 * Key, access and rate of one request, in the order 401, 403, 429, and the rate-limit headers.
 * @throws ApiError invalid_api_key, insufficient_permissions, rate_limit_exceeded
 */
export async function admitRequest(
  { leases, tenants, failedKeys, keyLookups }: AdmissionDeps,
  request: Request,
  scope: Scope,
  response: Response,
): Promise<AdmittedCaller> {
  const authorization = request.get('authorization');
  const key = BEARER.exec(authorization ?? '')?.[1];
  // The checksum spares the database a query for what cannot be a key.
  if (key === undefined || !isWellFormedKey(key)) {
    if (authorization === undefined) throw refused('Missing header: Authorization: Bearer <API_KEY>');
    refuseGuessing(failedKeys, request);
    failedKeys.failed(request.ip);
    throw refused('The API key is not valid.');
  }
  const keyHash = hashKey(key);
  // A valid key is let through: behind a proxy, a guesser may have its owner's address.
  const mustWait = failedKeys.wait(request.ip) > 0 && !failedKeys.wasAccepted(keyHash);
  if (mustWait && !(await keyLookups.isValid(keyHash))) refuseGuessing(failedKeys, request);
  const admission = await leases.admit(keyHash, scope);
  if (admission.outcome === 'unknown') {
    failedKeys.failed(request.ip, keyHash);
    throw refused('The API key is unknown, revoked or expired.');
  }
  failedKeys.accepted(keyHash);
  setRateHeaders(response, admission);
  if (admission.outcome === 'forbidden') {
    throw new ApiError('insufficient_permissions', {
      message: FORBIDDEN[admission.reason ?? ''] ?? 'This API key may not do that.',
    });
  }
  if (admission.outcome === 'limited') {
    // Rounded up, so that a client that waits exactly this long is not turned away again.
    const seconds = Math.max(1, Math.ceil((1 - admission.tokens) / admission.rate));
    throw new ApiError('rate_limit_exceeded', {
      message: `The rate limit is used up: try again in ${seconds} s.`,
      headers: { 'Retry-After': String(seconds) },
    });
  }
  const caller = (index: IndexFacts): Caller => ({
    ...tenants.of(admission.project_id),
    keyId: admission.key_id,
    isTest: admission.is_test,
    modelId: index.model_id,
    indexVersion: Number(index.index_version),
  });
  return { ...caller(admission), now: async () => caller(await leases.index(keyHash, scope, admission.project_id)) };
}

function refused(message: string): ApiError {
  return new ApiError('invalid_api_key', { message, headers: { 'WWW-Authenticate': 'Bearer' } });
}

/** @throws ApiError rate_limit_exceeded, when the address has to wait. */
function refuseGuessing(failedKeys: FailedKeys, request: Request): void {
  const seconds = failedKeys.wait(request.ip);
  if (seconds === 0) return;
  throw new ApiError('rate_limit_exceeded', {
    message: `Too many requests with a key that is not valid came from this address: try again in ${seconds} s.`,
    headers: { 'Retry-After': String(seconds) },
  });
}

function setRateHeaders(response: Response, { burst, tokens: left, rate }: Admission): void {
  const tokens = Math.min(burst, left);
  // A project without a plan has a bucket of size nothing, which is always full.
  const secondsToFull = rate > 0 ? (burst - tokens) / rate : 0;
  response.setHeader('X-RateLimit-Limit', Math.floor(burst));
  response.setHeader('X-RateLimit-Remaining', Math.max(0, Math.floor(tokens)));
  response.setHeader('X-RateLimit-Reset', Math.ceil(Date.now() / 1000 + secondsToFull));
}
