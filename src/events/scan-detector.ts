import { LRUCache } from 'lru-cache';
import type { Visitor } from '../base/glossary.js';
import { isInside } from '../text/ip-address.js';
import { hashFnv1a } from '../text/hash-fnv1a.js';
import { isHuman, visitorOf } from '../text/visitor.js';

interface Visit {
  projectId: string;
  ip: string | null;
  userAgent: string | null;
  path: string;
  /** Milliseconds since 1970: the time of the 404 itself. */
  at: number;
}

interface Seen {
  since: number;
  paths: Set<number>;
  scannerUntil: number;
}

/** Nobody follows fifty different dead links in five minutes. */
const MAX_PATHS = 50;
const WINDOW_MS = 5 * 60_000;
const SCANNER_FOR_MS = 3_600_000;
/** With fifty paths each, some 25 MB. */
const MAX_VISITORS = 10_000;

/** Tells scanners that call themselves browsers by how many different dead paths they ask for. */
export class ScanDetector {
  private readonly visitors = new LRUCache<string, Seen>({ max: MAX_VISITORS });

  /** Classifies the visitor of a 404 by the requested path, the user agent and the visitor's earlier requests. */
  visitorOf(visit: Visit): Visitor {
    const named = visitorOf(visit.userAgent, visit.path);
    return this.isScanning(visit) && isHuman(named) ? 'scanner' : named;
  }

  /**
   * A visitor is an address, as it is kept, with a user agent; without an address, or behind a proxy of a network
   * inside, nobody is told from others. The same 404 may be noted twice.
   */
  private isScanning(visit: Visit): boolean {
    if (visit.ip === null || isInside(visit.ip)) return false;
    const key = `${visit.projectId} ${visit.ip} ${visit.userAgent ?? ''}`;
    let seen = this.visitors.get(key);
    if (seen === undefined || Math.abs(visit.at - seen.since) > WINDOW_MS) {
      seen = { since: visit.at, paths: new Set(), scannerUntil: seen?.scannerUntil ?? 0 };
      this.visitors.set(key, seen);
    }
    if (seen.paths.size < MAX_PATHS) seen.paths.add(hashFnv1a(visit.path.split('?', 1)[0] ?? ''));
    if (seen.paths.size >= MAX_PATHS) seen.scannerUntil = visit.at + SCANNER_FOR_MS;
    return visit.at <= seen.scannerUntil && visit.at >= seen.scannerUntil - SCANNER_FOR_MS - WINDOW_MS;
  }
}
