import { createHash } from 'node:crypto';
import type { LRUCache } from 'lru-cache';
import type { NotFoundRow } from './store/history.js';
import { ApiError } from '../base/errors.js';
import { refuse, type LoggedRequest } from '../text/access-logs/logged-request.js';
import { readEvent, reasonToRefuse, type EventRules } from './read-event.js';
import { makeNotFoundRow, type ScanDetector } from './scan-detector.js';
import { withoutPort } from '../text/ip-address.js';

export interface NotFoundRules extends EventRules {
  projectId: string;
  scans: ScanDetector;
}

/** Makes the row of a 404 or 410 in a log; undefined for another request. @param equal equal rows so far, by hash */
export function readNotFoundRow(
  rules: NotFoundRules,
  request: LoggedRequest,
  equal: LRUCache<string, number>,
): NotFoundRow | { refused: string } | undefined {
  if (request.status !== 404 && request.status !== 410) return undefined;
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  const reason = reasonToRefuse(request.at, rules);
  if (reason !== undefined) return refuse(reason === 'in the future' ? `its time is ${reason}` : reason);
  const body = {
    raw_path: storable(request.path),
    origin: storable(request.origin),
    referrer: storable(request.referrer),
    user_agent: storable(request.userAgent),
    user_ip: request.ip && withoutPort(request.ip),
  };
  try {
    const event = readEvent(body, rules);
    if (event.type !== 'not-found') return undefined;
    const { rawPath: raw_path, origin, referrer, userAgent: user_agent, visitorIp: visitor_ip } = event;
    const content = { received_at: request.at.toISOString(), raw_path, origin };
    // The address is as it is stored: with the whole one an id would reveal it to anyone who tries them all.
    const key = digest(JSON.stringify([rules.projectId, { ...content, referrer, user_agent, visitor_ip }]));
    const before = equal.get(key) ?? 0;
    equal.set(key, before + 1);
    const event_id = uuidOf(before === 0 ? key : digest(`${key} ${before}`));
    const common = { ...content, project_id: rules.projectId, event_id, is_test: false, key_id: null };
    return makeNotFoundRow(rules.scans, request.status === 410 ? { ...event, outcome: 'gone' } : event, common);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refuse(error.message);
  }
}

/** PostgreSQL stores neither U+0000 nor half a surrogate pair. */
function storable(text: string): string;
function storable(text: string | null): string | null;
function storable(text: string | null): string | null {
  return text && text.toWellFormed().replaceAll('\0', '\uFFFD');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** RFC 9562, version 8: an id whose bits are the caller's own. */
function uuidOf(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}
