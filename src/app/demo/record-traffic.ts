import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { groupMissingPaths } from '../../analytics/group-missing-paths-job.js';
import { recordEvent } from '../../events/record-event-job.js';
import { importLines } from '../../rules/import-export/store-batch.js';
import { packageRoot } from '../../base/package-root.js';
import { answerFromIndex } from '../../search/answer-from-index.js';
import type { SearchAnswer } from '../../search/answer.js';
import type { Service } from '../service.js';
import { inputOf, kindOf, recordOf, THRESHOLDS, generatedId, numberOf } from './answer-visits.js';
import { readDeadLinks } from './dead-links.js';
import { readExampleSite } from './example-site.js';
import { planVisits, repairTime, type Visit } from './visits.js';
import { sql } from '../../platform/database/sql.js';
import type { Db } from '../../platform/database/db.js';

export interface TrafficOptions {
  projectId: string;
  /** The month ends with the day before; undefined: before the project was made. */
  end?: Date;
  /** Older visits are left out. */
  retentionDays: number;
  /** Asked between batches. The next start goes on where this one stopped. */
  signal: AbortSignal;
}

const SEED = 20_260_301;
const DAY_MS = 86_400_000;
/** Small: on the embedded database requests wait while a batch is stored. */
const VISITS_PER_BATCH = 100;
const MAX_VISITS = 2 ** 40;
const RESULTS = 3;

/**
 * Records a month of made-up visits to the example site as the site itself would have: each is searched for, its search
 * is logged, its 404 and its click are queued. Redirects that came with a repair are stored where the month has come to
 * it, so later visits find other answers. What was recorded by an earlier start is left out.
 * @returns how many visits were recorded; none in a project that holds pages of another site.
 */
export async function recordTraffic(service: Service, options: TrafficOptions): Promise<number> {
  const { db, deps, queue } = service;
  const { projectId, signal, retentionDays } = options;
  const folder = join(packageRoot(), 'examples', 'shop');
  const { baseUrl, pages } = await readExampleSite(folder);
  const state = await readDemoState(db, projectId, baseUrl, [
    generatedId('search', 0),
    generatedId('search', MAX_VISITS),
  ]);
  if (!state || state.has_other_pages) return 0;
  const end = new Date(Math.floor((options.end ?? state.created_at).getTime() / DAY_MS) * DAY_MS);
  const links = await readDeadLinks(
    folder,
    pages.map(({ url }) => url.slice(baseUrl.length)),
  );
  const planned = planVisits({ links, questions: await readQuestions(folder), end, seed: SEED });
  const done = state.latest_search === null ? -1 : numberOf(state.latest_search);
  if (done === planned.length - 1) return 0;
  const oldest = deps.clock.now() - retentionDays * DAY_MS;
  // The searches of a batch are stored before its events are queued: the last batch is done again.
  const visits = planned.filter(({ number, at }) => number > done - VISITS_PER_BATCH && at.getTime() >= oldest);
  const begin = visits[0]?.at;
  if (!begin) return 0;
  await importLines(
    { db, clock: { now: () => begin.getTime() } },
    projectId,
    links.gone.map((gonePath) => ({ gonePath })),
  );
  const repair = repairTime(end);
  const asked = createSearcher(service, { projectId, modelId: state.model_id, signal });
  // All answers are found before the first click teaches others: so they are the same on every machine.
  const before = await asked(visits.filter(({ at }) => at < repair));
  await importLines(
    { db, clock: { now: () => repair.getTime() } },
    projectId,
    links.repaired.map(({ path, meant }) => ({ oldPath: path, target: { path: meant ?? '/' } })),
  );
  deps.indexChanges.committed(projectId);
  const after = await asked(visits.filter(({ at }) => at >= repair));
  const seen = new Set<SearchAnswer>();
  for (let from = 0; from < visits.length && !signal.aborted; from += VISITS_PER_BATCH) {
    const records = visits.slice(from, from + VISITS_PER_BATCH).flatMap((visit) => {
      const answer = (visit.at < repair ? before : after).get(inputOf(visit));
      if (!answer) return [];
      const cached = seen.has(answer);
      seen.add(answer);
      if (answer.rule && visit.number > done) deps.ruleHits.add(projectId, answer.rule, visit.at.getTime());
      return [recordOf(visit, answer, { projectId, ipMode: deps.eventIpMode, cached })];
    });
    for (const { search } of records) deps.log.add(search);
    await Promise.all([deps.log.flush(), deps.ruleHits.flush()]);
    await queue.enqueueNow(
      recordEvent,
      records.flatMap(({ events }) => events),
    );
    queue.wake(recordEvent);
  }
  await queue.enqueueNow(groupMissingPaths, [{ projectId }]);
  return visits.length;
}

/** A function that answers each path and question of visits once, by its text. */
function createSearcher(
  { deps }: Service,
  { projectId, modelId, signal }: { projectId: string; modelId: number | null; signal: AbortSignal },
): (visits: readonly Visit[]) => Promise<Map<string, SearchAnswer>> {
  const caller = { ...deps.tenants.of(projectId), keyId: '', isTest: false, modelId, indexVersion: 0 };
  const space = { limit: RESULTS, filters: {}, excludeUrls: [], explain: false };
  return async (visits) => {
    const answers = new Map<string, SearchAnswer>();
    for (const visit of visits) {
      if (signal.aborted) break;
      const input = inputOf(visit);
      const kind = kindOf(visit);
      if (!answers.has(input))
        answers.set(input, await answerFromIndex(deps, caller, { ...space, kind, input, threshold: THRESHOLDS[kind] }));
    }
    return answers;
  };
}

/** The example's questions, and some that the shop cannot answer. */
async function readQuestions(folder: string): Promise<{ question: string; meant: string | null }[]> {
  const lines = (await readFile(join(folder, 'questions.jsonl'), 'utf8')).split('\n').filter((line) => line !== '');
  const known = lines.map((line) => {
    const { query, expected } = JSON.parse(line) as { query: string; expected: string };
    return { question: query, meant: expected };
  });
  const unknown = UNANSWERED.map((question) => ({ question, meant: null }));
  return known.flatMap((one, i) => (unknown[i] ? [one, unknown[i]] : [one]));
}

const UNANSWERED = ['barista course dates', 'vanilla syrup', 'hire an espresso machine for a wedding', 'android app'];

interface DemoState {
  model_id: number | null;
  created_at: Date;
  /** Whether it holds a page of another site. */
  has_other_pages: boolean;
  /** The greatest id of a search in the range. */
  latest_search: string | null;
}

/** @param ids the first and the last id of generated searches */
async function readDemoState(
  db: Db,
  projectId: string,
  baseUrl: string,
  ids: readonly [string, string],
): Promise<DemoState | undefined> {
  const { rows } = await sql<DemoState>`
    select p.model_id, p.created_at,
           exists (select from pathmend.pages g
                    where g.project_id = p.project_id and not starts_with(g.url, ${`${baseUrl}/`})
                      and g.url <> ${baseUrl}) as has_other_pages,
           (select s.search_id from pathmend.searches s
             where s.project_id = p.project_id and s.search_id between ${ids[0]}::uuid and ${ids[1]}::uuid
             order by s.search_id desc limit 1) as latest_search
      from pathmend.projects p
     where p.project_id = ${projectId}`.execute(db);
  return rows[0];
}
