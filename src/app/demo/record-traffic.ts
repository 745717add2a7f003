import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { recordEvent } from '../../events/record-events-job.js';
import type { RecordEventPayload } from '../../events/store-events.js';
import { packageRoot } from '../../base/package-root.js';
import type { NotFoundBody } from '../../events/event-schema.js';
import { GENERATED_ORIGIN } from '../../events/generated-origin.js';
import { makeNotFound, type IpMode, type VisitorEvent } from '../../events/read-event.js';
import { listPages } from '../../pages/store/page-counts.js';
import type { Db } from '../../platform/database/db.js';
import { sql } from '../../platform/database/sql.js';
import { importLines } from '../../rules/import-export/store-batch.js';
import type { SearchRow } from '../../search/store/searches.js';
import { pathKey } from '../../text/paths/plain-path.js';
import type { Service } from '../service.js';
import { readExampleSite } from './example-site.js';

export interface TrafficOptions {
  projectId: string;
  /** The month ends with the day before; undefined: before the project was made. */
  end?: Date;
  /** Older visits are left out. */
  retentionDays: number;
  /** Asked between batches. The next start goes on where this one stopped. */
  signal: AbortSignal;
}

/** A visit to a missing page, or a question in the search box, as examples/README.md describes it. */
interface Visit {
  number: number;
  /** Milliseconds from the begin of the month. */
  at: number;
  search: Omit<SearchRow, 'project_id' | 'search_id' | 'searched_at' | 'results'> & {
    results: { url: string; score: number }[];
  };
  /** Whether a rule of the path decided the answer. */
  by_rule?: boolean;
  not_found?: Omit<NotFoundBody, 'search_id'>;
  click?: { after_ms: number; clickedUrl: string; clickedRank: number };
}

interface ImportedRule {
  at: number;
  rule: string;
  to: string | null;
}

const DAY_MS = 86_400_000;
const MONTH_MS = 30 * DAY_MS;
/** Small: on the embedded database requests wait while a batch is stored. */
const VISITS_PER_BATCH = 100;
/** The site has 101. */
const MAX_PAGES = 10_000;

/**
 * Records the month of made-up visits that comes with the example site as the site itself would have: their searches
 * are logged, their 404s and clicks are queued, and the redirects that came with a repair are stored. What was recorded
 * by an earlier start is left out.
 * @returns how many visits were recorded; none in a project that holds pages of another site.
 */
export async function recordTraffic(service: Service, options: TrafficOptions): Promise<number> {
  const { db, deps, queue } = service;
  const { projectId, signal, retentionDays } = options;
  const folder = join(packageRoot(), 'examples', 'shop');
  const { baseUrl } = await readExampleSite(folder);
  const state = await readDemoState(db, projectId);
  const pages = await listPages(db, projectId, {}, undefined, MAX_PAGES);
  if (!state || pages.some(({ url }) => url !== baseUrl && !url.startsWith(`${baseUrl}/`))) return 0;
  const { visits: all, rules } = await readTraffic(folder);
  const done = state.latest_search === null ? -1 : numberOf(state.latest_search);
  if (done === all.length - 1) return 0;
  const begin = Math.floor((options.end ?? state.created_at).getTime() / DAY_MS) * DAY_MS - MONTH_MS;
  const oldest = deps.clock.now() - retentionDays * DAY_MS - begin;
  // The searches of a batch are stored before its events are queued: the last batch is done again.
  const visits = all.filter(({ number, at }) => number > done - VISITS_PER_BATCH && at >= oldest);
  if (visits.length === 0) return 0;
  for (const { at, rule, to } of rules)
    await importLines({ db, clock: { now: () => begin + at } }, projectId, [
      to === null ? { gonePath: rule } : { oldPath: rule, target: { path: to } },
    ]);
  deps.indexChanges.committed(projectId);
  const pageIds = new Map(pages.map(({ url, page_id }) => [url.slice(baseUrl.length) || '/', page_id]));
  for (let from = 0; from < visits.length && !signal.aborted; from += VISITS_PER_BATCH) {
    const batch = visits.slice(from, from + VISITS_PER_BATCH);
    for (const visit of batch) {
      deps.log.add(searchOf(visit, projectId, begin, pageIds));
      if (visit.by_rule && visit.number > done)
        deps.ruleHits.add(projectId, pathKey(visit.search.input), begin + visit.at);
    }
    await Promise.all([deps.log.flush(), deps.ruleHits.flush()]);
    await queue.enqueueNow(
      recordEvent,
      batch.flatMap((visit) => eventsOf(visit, projectId, begin, deps.eventIpMode)),
    );
    queue.wake(recordEvent);
  }
  return visits.length;
}

async function readTraffic(folder: string): Promise<{ visits: Visit[]; rules: ImportedRule[] }> {
  const text = gunzipSync(await readFile(join(folder, 'traffic.jsonl.gz'))).toString();
  const visits: Visit[] = [];
  const rules: ImportedRule[] = [];
  for (const line of text.trimEnd().split('\n')) {
    const read = JSON.parse(line) as Omit<Visit, 'number'> | ImportedRule;
    if ('rule' in read) rules.push(read);
    else visits.push({ number: visits.length, ...read });
  }
  return { visits, rules };
}

function searchOf(
  { number, at, search }: Visit,
  projectId: string,
  begin: number,
  pageIds: ReadonlyMap<string, string>,
): SearchRow {
  return {
    ...search,
    project_id: projectId,
    search_id: generatedId('search', number),
    searched_at: new Date(begin + at).toISOString(),
    results: search.results.map((one) => ({ page_id: pageIds.get(one.url) ?? '', ...one })),
  };
}

/** The 404 and the click that the site sends of a visit. */
function eventsOf(visit: Visit, projectId: string, begin: number, ipMode: IpMode): RecordEventPayload[] {
  const { number, at, search, not_found, click } = visit;
  const named = { origin: GENERATED_ORIGIN, searchId: generatedId('search', number) };
  const event = (kind: keyof typeof KINDS, time: number, of: VisitorEvent): RecordEventPayload => ({
    eventId: generatedId(kind, number),
    projectId,
    isTest: false,
    receivedAt: new Date(time).toISOString(),
    event: of,
  });
  const events: RecordEventPayload[] = [];
  if (not_found) events.push(event('notFound', begin + at, { ...makeNotFound(not_found, ipMode), ...named }));
  if (click) {
    const { after_ms, ...clicked } = click;
    const time = begin + at + after_ms;
    const occurredAt = new Date(time).toISOString();
    events.push(event('click', time, { type: 'click', ...clicked, rawPath: search.input, ...named, occurredAt }));
  }
  return events;
}

/** Ids of made-up searches and events begin alike, as their origin is GENERATED_ORIGIN. */
const KINDS = { search: '1', notFound: '2', click: '3' } as const;
/** The letters "gene" and "ra". */
const BEGINNING = '67656e65-7261-8';

/** The same id for the same visit, so that nothing is stored twice. RFC 9562, version 8. */
function generatedId(kind: keyof typeof KINDS, number: number): string {
  return `${BEGINNING}${KINDS[kind]}00-8000-${number.toString(16).padStart(12, '0')}`;
}

function numberOf(id: string): number {
  return Number.parseInt(id.slice(-12), 16);
}

/** When the project was made, and the greatest id of its made-up searches. */
async function readDemoState(
  db: Db,
  projectId: string,
): Promise<{ created_at: Date; latest_search: string | null } | undefined> {
  const [first, last] = [generatedId('search', 0), generatedId('search', 2 ** 40)];
  return sql<{ created_at: Date; latest_search: string | null }>`
    select p.created_at,
           (select s.search_id from pathmend.searches s
             where s.project_id = p.project_id and s.search_id between ${first}::uuid and ${last}::uuid
             order by s.search_id desc limit 1) as latest_search
      from pathmend.projects p
     where p.project_id = ${projectId}`.first(db);
}
