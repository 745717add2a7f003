import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { recordEvent } from '../../events/record-events-job.js';
import type { RecordEventPayload } from '../../events/store-events.js';
import { packageRoot } from '../../base/package-root.js';
import type { VisitorEvent } from '../../events/read-event.js';
import { listPages } from '../../pages/store/page-counts.js';
import type { Db } from '../../platform/database/db.js';
import { query, sql } from '../../platform/database/sql.js';
import { emptyReport } from '../../rules/import-export/redirect-report.js';
import { storeBatch } from '../../rules/import-export/import-redirects.js';
import { ruleOf } from '../../rules/rule-keys.js';
import type { SearchRow } from '../../search/store/searches.js';
import { pathKey } from '../../text/paths/plain-path.js';
import type { Service } from '../service.js';
import { readExampleSite } from './example-site.js';

export interface TrafficOptions {
  projectId: string;
  /** The month ends with the day before this one; undefined: with the day before the project was made. */
  end?: Date;
  /** Older visits are left out. */
  retentionDays: number;
  /** The signal is checked between batches. The next start goes on where this one stopped. */
  signal: AbortSignal;
}

/** A line of the fixture (examples/README.md). `at` is in milliseconds from the beginning of the month. */
type Line =
  | {
      at: number;
      search: Omit<SearchRow, 'project_id' | 'search_id' | 'searched_at' | 'would_redirect'>;
      by_rule?: boolean;
      events: (VisitorEvent & { after_ms: number })[];
    }
  | { at: number; rule: string; to: string | null };
type Visit = Extract<Line, { search: unknown }>;

const DAY_MS = 86_400_000;
const MONTH_MS = 30 * DAY_MS;
/** A batch is small, since on the embedded database requests wait while it is stored. */
const VISITS_PER_BATCH = 100;
/** The max pages of the example site, which has 101. */
const MAX_PAGES = 10_000;

/**
 * Plays the month of visits that comes with the example site: their searches are logged, their 404s and clicks are
 * queued, and its rules are stored. What an earlier start recorded is left out.
 * @returns the number of recorded visits; 0 in a project that holds pages of another site.
 */
export async function recordTraffic(service: Service, options: TrafficOptions): Promise<number> {
  const { db, deps, queue } = service;
  const { projectId, signal } = options;
  const folder = join(packageRoot(), 'examples', 'shop');
  const { baseUrl } = await readExampleSite(folder);
  const pages = await listPages(db, projectId, {}, undefined, MAX_PAGES);
  const state = await readState(db, projectId);
  if (!state || pages.some(({ url }) => url !== baseUrl && !url.startsWith(`${baseUrl}/`))) return 0;
  const { created, recorded } = state;
  const begin = Math.floor((options.end ?? created).getTime() / DAY_MS) * DAY_MS - MONTH_MS;
  const oldest = deps.clock.now() - options.retentionDays * DAY_MS - begin;
  const text = gunzipSync(await readFile(join(folder, 'traffic.jsonl.gz'))).toString();
  const lines = Array.from(text.trimEnd().split('\n'), (line) => JSON.parse(line) as Line);
  const visits = lines.filter((line) => 'search' in line);
  // The searches of a batch are stored before its events are queued: the last batch is repeated.
  const first = Math.max(recorded - VISITS_PER_BATCH, visits.filter(({ at }) => at < oldest).length);
  if (recorded === visits.length || first === visits.length) return 0;
  for (const { at, rule, to } of lines.filter((line) => 'rule' in line)) {
    const made = ruleOf({ kind: 'exact', path: rule, action: to === null ? 'gone' : 'redirect', target: to });
    const importing = { db, clock: { now: () => begin + at }, origin: 'import' as const };
    await storeBatch(importing, projectId, [{ line: 1, rule: made }], emptyReport());
  }
  deps.indexChanges.committed(projectId);
  const pageIds = new Map(pages.map(({ url, page_id }) => [url.slice(baseUrl.length) || '/', page_id]));
  for (let from = first; from < visits.length && !signal.aborted; from += VISITS_PER_BATCH) {
    const batch = visits.slice(from, from + VISITS_PER_BATCH).map((visit, i) => ({ visit, number: from + i }));
    for (const { visit, number } of batch) {
      const { search, at, by_rule } = visit;
      deps.log.add({
        ...search,
        project_id: projectId,
        search_id: makeId('search', number),
        searched_at: new Date(begin + at).toISOString(),
        would_redirect: false,
        results: search.results.map((result) => ({ ...result, page_id: pageIds.get(result.url) ?? '' })),
      });
      if (by_rule && number >= recorded) deps.ruleHits.add(projectId, pathKey(search.input), begin + at);
    }
    await Promise.all([deps.log.flush(), deps.ruleHits.flush()]);
    const events = batch.flatMap(({ visit, number }) => makeEvents(visit, number, projectId, begin));
    await queue.enqueueNow(recordEvent, events);
    queue.wake(recordEvent);
  }
  return visits.length - first;
}

function makeEvents({ at, events }: Visit, number: number, projectId: string, begin: number): RecordEventPayload[] {
  return events.map(({ after_ms, ...event }) => {
    const occurredAt = new Date(begin + at + after_ms).toISOString();
    return {
      eventId: makeId(event.type, number),
      projectId,
      isTest: false,
      receivedAt: occurredAt,
      event: { ...event, searchId: makeId('search', number), occurredAt },
    };
  });
}

const KINDS = { search: '1', 'not-found': '2', click: '3' };

/** Makes one id per visit, so that nothing is stored twice (RFC 9562, version 8). It begins with "genera" in ASCII. */
function makeId(kind: keyof typeof KINDS, number: number): string {
  return `67656e65-7261-8${KINDS[kind]}00-8000-${number.toString(16).padStart(12, '0')}`;
}

/** Reads when the project was made, and counts the visits up to the last whose search is stored. */
async function readState(db: Db, projectId: string): Promise<{ created: Date; recorded: number } | undefined> {
  return query(sql<{ created: Date; recorded: number }>`
    select created_at as created,
           coalesce((select ('x' || right(search_id::text, 8))::bit(32)::integer + 1 from pathmend.searches s
                      where s.project_id = p.project_id
                        and search_id between ${makeId('search', 0)}::uuid and ${makeId('search', 2 ** 40)}::uuid
                      order by search_id desc limit 1), 0) as recorded
      from pathmend.projects p
     where project_id = ${projectId}`).first(db);
}
