import type { Db, Trx } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import {
  findClickedSearches,
  insertClicks,
  insertNotFounds,
  type ClickRow,
  type NotFoundRow,
} from './store/history.js';
import { ensureWeeks } from '../platform/database/maintenance.js';
import { countEvents, groupByDay } from './store/history-days.js';
import { addWaitingLinks, addNotFounds } from '../analytics/store/rollups.js';
import { bumpIndexVersions } from '../projects/index-version.js';
import { learnClicks, type LinkedClick } from '../rules/learn-clicks.js';
import { coverNotFounds } from '../rules/cover-paths.js';
import { embedQuestions } from '../rules/embed-questions-job.js';
import { learnRedirects } from '../rules/learn-redirects-job.js';
import { reportMissingPages } from '../pages/report-missing-pages.js';
import { ofProjects } from '../platform/queue/job.js';
import type { VisitorEvent } from './read-event.js';
import { linkSearches } from '../analytics/rebuild-rollups-job.js';
import { makeNotFoundRow, type ScanDetector } from './scan-detector.js';
import type { Logger } from '../base/logger.js';
import type { JobQueue } from '../platform/queue/queue.js';
import type { Metrics } from '../platform/telemetry/metrics.js';
import type { IndexChanges } from '../projects/index-changes.js';
import type { DailyLimit } from './daily-limit.js';

export interface RecordEventPayload {
  eventId: string;
  projectId: string;
  /** The key that sent the event; absent: an import of a log did. */
  keyId?: string;
  isTest: boolean;
  receivedAt: string;
  event: VisitorEvent;
}

export interface RecordDeps {
  db: Db;
  queue: JobQueue;
  indexChanges: IndexChanges;
  history: DailyLimit;
  scans: ScanDetector;
  metrics: Pick<Metrics, 'eventsRefused'>;
  logger: Logger;
}

/** Later clicks are not linked to their search, so that few weekly partitions are read. */
const MAX_CLICK_DELAY_MS = 7 * 86_400_000;

/**
 * Stores events within their projects' daily limits; learns redirects from the clicks, and missing pages from the 404s.
 * Nothing is stored or learned twice when a job runs again: the event's id and time are in its payload.
 */
export async function storeEvents(deps: RecordDeps, jobs: readonly { data: RecordEventPayload }[]): Promise<void> {
  const clicks: ClickRow[] = [];
  const notFounds: NotFoundRow[] = [];
  // A link that is followed again has the same id. Of two events about one search the first counts.
  const events = [...new Map(jobs.map((job) => [job.data.eventId, job])).values()];
  const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
  for (const { data } of events.sort((a, b) => compare(a.data.receivedAt, b.data.receivedAt))) {
    const common = {
      project_id: data.projectId,
      event_id: data.eventId,
      received_at: data.receivedAt,
      raw_path: data.event.rawPath,
      origin: data.event.origin,
      is_test: data.isTest,
    };
    if (data.event.type === 'click') {
      const { clickedUrl: clicked_url, clickedRank: clicked_rank, searchId: search_id, occurredAt } = data.event;
      clicks.push({ ...common, clicked_url, clicked_rank, search_id, occurred_at: occurredAt });
    } else {
      notFounds.push(makeNotFoundRow(deps.scans, data.event, { ...common, key_id: data.keyId ?? null }));
    }
  }
  // Maintenance creates the partitions of the coming weeks. An event that waited for weeks, or of the past, has others.
  for (const day of new Set([...clicks, ...notFounds].map((row) => row.received_at.slice(0, 10))))
    await ensureWeeks(deps.db, new Date(day), new Date(day));
  // By when they came, which the service knows: a 404's own time is what its sender says.
  const cameAt = new Map(jobs.map(({ data }) => [data.eventId, data.receivedAt]));
  const dayOf = (row: ClickRow | NotFoundRow): string => cameAt.get(row.event_id) ?? row.received_at;
  const sizeOf = (row: ClickRow | NotFoundRow): number => Buffer.byteLength(JSON.stringify(row));
  const rows = [...clicks, ...notFounds].map((row) => ({ ...row, at: dayOf(row), bytes: sizeOf(row) }));
  const days = groupByDay(rows);
  const stale = await coverNotFounds(deps.db, notFounds);
  const { learned, changed, beyond } = await inTransaction(deps.db, async (trx) => {
    const beyond = await countEvents(trx, days, deps.history.bytesPerDay);
    const full = new Set(beyond.map(({ project_id, day }) => `${project_id} ${day}`));
    const hasRoom = (row: ClickRow | NotFoundRow): boolean => !full.has(`${row.project_id} ${dayOf(row).slice(0, 10)}`);
    const kept = notFounds.filter(hasRoom);
    const stored = await insertClicks(trx, clicks.filter(hasRoom));
    const storedNotFounds = await insertNotFounds(trx, kept);
    const counted = clicks.filter((click) => stored.has(click.event_id));
    const missed = kept.filter((row) => storedNotFounds.has(row.event_id));
    const links = [...counted, ...missed].flatMap(({ project_id, search_id, received_at }) =>
      search_id === null ? [] : [{ project_id, search_id, near: received_at }],
    );
    await addWaitingLinks(trx, links);
    const { redirects: learned, questions } = await learnClicks(trx, await linkClicks(trx, counted));
    const missing = await reportMissingPages(trx, kept);
    await deps.queue.enqueue(trx, learnRedirects, ofProjects([...learned.keys(), ...stale]));
    await deps.queue.enqueue(trx, embedQuestions, ofProjects(questions));
    if (links.length > 0) await deps.queue.enqueue(trx, linkSearches, [{}]);
    const confirmed = [...learned].filter(([, change]) => change === 'confirmed').map(([projectId]) => projectId);
    await bumpIndexVersions(trx, [...new Set([...confirmed, ...missing])]);
    await addNotFounds(trx, missed);
    return { learned, changed: new Set([...learned.keys(), ...missing]), beyond };
  });
  deps.history.reportNotKept('events', beyond);
  for (const projectId of changed) deps.indexChanges.committed(projectId);
  if (learned.size > 0) deps.queue.wake(learnRedirects);
}

/** Clicks of live keys, each with the search that it refers to; none of those whose search is not found. */
async function linkClicks(trx: Trx, clicks: readonly ClickRow[]): Promise<LinkedClick[]> {
  const live = clicks.filter((click) => !click.is_test);
  if (live.length === 0) return [];
  const earliest = Math.min(...live.map((click) => Date.parse(click.received_at)));
  const searches = await findClickedSearches(trx, live, new Date(earliest - MAX_CLICK_DELAY_MS));
  return live.flatMap((click) => {
    const search = searches.get(click.event_id);
    return search === undefined ? [] : [{ ...click, search }];
  });
}
