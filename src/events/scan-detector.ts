import { LRUCache } from 'lru-cache';
import type { Visitor } from '../base/glossary.js';
import { isInside } from '../text/ip-address.js';
import { hashFnv1a } from '../text/hash-fnv1a.js';
import { isHuman, outcomeOf, visitorOf } from '../text/visitor.js';
import type { NotFound as NotFoundEvent } from './read-event.js';
import type { EventRow, NotFoundRow } from './store/history.js';

interface NotFound {
  projectId: string;
  ip: string | null;
  userAgent: string | null;
  path: string;
  /** Milliseconds since 1970: when the 404 happened, which may be long before it is noted. */
  at: number;
}

interface Seen {
  windowStart: number;
  /** Hashes of the dead paths of the window. */
  paths: Set<number>;
  scannerUntil: number;
}

/** Nobody follows fifty different dead links in five minutes. */
const SCANNER_PATHS = 50;
const WINDOW_MS = 5 * 60_000;
const SCANNER_FOR_MS = 3_600_000;
/** So many visitors are remembered, with fifty paths each some 25 MB. */
const MAX_VISITORS = 10_000;

/** Recognizes scanners that pose as browsers by the number of different dead paths that they request. */
export class ScanDetector {
  private readonly visitors = new LRUCache<string, Seen>({ max: MAX_VISITORS });

  /** Classifies the visitor of a 404 by the requested path, the user agent and the visitor's earlier requests. */
  visitorOf(notFound: NotFound): Visitor {
    const declared = visitorOf(notFound.userAgent, notFound.path);
    return this.noteAndCheck(notFound) && isHuman(declared) ? 'scanner' : declared;
  }

  /**
   * Notes a 404, and returns whether its visitor, an address with a user agent, is scanning. Visitors without an
   * address, or of an inside network (a proxy's), cannot be told apart. A 404 that is noted twice counts once.
   */
  private noteAndCheck(notFound: NotFound): boolean {
    if (notFound.ip === null || isInside(notFound.ip)) return false;
    const key = `${notFound.projectId} ${notFound.ip} ${notFound.userAgent ?? ''}`;
    let seen = this.visitors.get(key);
    if (seen === undefined || Math.abs(notFound.at - seen.windowStart) > WINDOW_MS) {
      seen = { windowStart: notFound.at, paths: new Set(), scannerUntil: seen?.scannerUntil ?? 0 };
      this.visitors.set(key, seen);
    }
    if (seen.paths.size < SCANNER_PATHS) seen.paths.add(hashFnv1a(notFound.path.split('?', 1)[0] ?? ''));
    if (seen.paths.size >= SCANNER_PATHS) seen.scannerUntil = notFound.at + SCANNER_FOR_MS;
    return notFound.at <= seen.scannerUntil && notFound.at >= seen.scannerUntil - SCANNER_FOR_MS - WINDOW_MS;
  }
}

/** Makes the row of a 404, of its own time if it names that, with the kind of its visitor. */
export function makeNotFoundRow(
  scans: ScanDetector,
  event: NotFoundEvent,
  common: EventRow & { key_id: string | null },
): NotFoundRow {
  const { rawPath: path, referrer, userAgent, visitorIp: ip, occurredAt = common.received_at } = event;
  const visitor = scans.visitorOf({ projectId: common.project_id, ip, userAgent, path, at: Date.parse(occurredAt) });
  return {
    ...common,
    host: event.host ?? null,
    received_at: occurredAt,
    referrer,
    user_agent: userAgent,
    visitor,
    visitor_ip: ip,
    outcome: outcomeOf(visitor, event.outcome),
    search_id: event.searchId ?? null,
  };
}
