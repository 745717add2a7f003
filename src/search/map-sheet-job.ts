import { countWaitingPages } from '../pages/store/page-counts.js';
import type { Job } from '../platform/queue/job.js';
import type { JobQueue } from '../platform/queue/queue.js';
import { storeFound } from '../rules/proposals/redirect-sheet.js';
import { hasNewSheetRows, listSheetRows, type FoundRow } from '../rules/store/redirect-sheet.js';
import { answerFromIndex } from './answer.js';
import { createMapper, type Mapped } from './map-old-url.js';
import { unloggedCaller, type AnswerNowDeps } from './search-unlogged.js';

export type MapSheetDeps = AnswerNowDeps & { queue: JobQueue };

/** Rows per job, and per batch, whose results are stored together. */
const MAX_ROWS = 100;
const BATCH = 10;
/** So many searches run at once: visitors have the other slots. */
const AT_ONCE = 2;
const WAIT_SECONDS = 2;

interface Payload {
  projectId: string;
  /** Whether the rows wait for pages. */
  isDelayed?: boolean;
}

/** Finds pages for the old urls of a project's sheet; queues itself again while rows wait. */
export const mapSheet: Job<Payload, MapSheetDeps> = {
  name: 'map-sheet',
  policy: 'short',
  key: ({ projectId }) => projectId,
  delaySeconds: ({ isDelayed = false }) => (isDelayed ? WAIT_SECONDS : 0),
  fairShare: { by: ({ projectId }) => projectId, seconds: 5 },
  options: {
    notify: true,
    retryLimit: 5,
    retryDelay: 5,
    retryBackoff: true,
    expireInSeconds: 600,
    heartbeatSeconds: 60,
    deleteAfterSeconds: 3_600,
  },
  work: (deps) => ({
    handle: async (jobs) => {
      for (const { data, signal } of jobs) await mapRows(deps, data.projectId, signal);
    },
  }),
};

async function mapRows(deps: MapSheetDeps, projectId: string, signal: AbortSignal): Promise<void> {
  const tenant = deps.tenants.of(projectId, signal);
  // Pages without vectors are never nearly certain: new rows wait until a new site's pages have theirs.
  if ((await hasNewSheetRows(tenant.db, projectId)) && (await countWaitingPages(tenant.db, projectId)) > 0)
    return deps.queue.enqueueNow(mapSheet, [{ projectId, isDelayed: true }]);
  const caller = await unloggedCaller(deps, projectId, signal);
  const mapOne = await createMapper((request) => answerFromIndex(deps, caller, request, signal), caller);
  for (let done = 0; done < MAX_ROWS; done += BATCH) {
    const waiting = await listSheetRows(tenant.db, projectId, { waiting: true, limit: BATCH });
    if (waiting.length === 0) return;
    const mapped: FoundRow[] = [];
    const work = async (): Promise<void> => {
      for (let row = waiting.shift(); row; row = waiting.shift())
        mapped.push({ key: row.key, ...toFound(await mapOne({ ...row, line: 0, old: row.path })) });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    await storeFound(tenant, mapped);
  }
  await deps.queue.enqueueNow(mapSheet, [{ projectId }]);
}

/** The least certain rows come first. */
const CERTAIN = { review: 0, gone: 1, redirect: 2, none: 3 };

const LEFT = {
  live: 'a page has this url: visitors find it',
  'left out': 'no page: a part of one, a well-known file, or a probe',
};

function toFound(mapped: Mapped): Omit<FoundRow, 'key'> {
  if (typeof mapped === 'string' || 'reason' in mapped)
    return {
      target: '',
      decision: 'none',
      why: typeof mapped === 'string' ? LEFT[mapped] : mapped.reason,
      certain: CERTAIN.none,
    };
  const { new: best, score, action, why, second, choices } = mapped;
  const decision = action === 'redirect' ? 'accept' : action;
  // A gone path has no page; show the nearest one.
  return { target: best || second, score, decision, why, choices, certain: CERTAIN[action] };
}
