import type { Tenant } from '../../platform/database/session/tenants.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import { countShownLinks, listLearnedClicks } from '../store/clicked-redirects.js';
import { lockRedirects } from '../../projects/turns.js';
import { replaceProposals, findProjectsWithRedirects } from '../store/rule-proposals.js';
import { listSectionRedirects, readRecentRedirects, type LearnableRedirect } from '../store/section-redirects.js';
import { learnWildcardsInThread } from '../import-export/rules-in-thread.js';
import { isConfirmed } from '../learned/clicked-page.js';
import { sectionConfidence } from '../learned/weigh-section-redirects.js';
import { spellSections, type Learned } from './learned-rules.js';
import { coverAllPaths } from '../cover-paths.js';
import { matchProposed, openRuleMatcher } from '../preview/rule-matcher.js';
import { scopeOf, type RuleDeps } from '../rule.js';
import { dropPathRules } from '../store/path-rules.js';
import { readStates } from '../rule-states.js';
import { countAnswers, DEFAULT_DAYS, readStored } from '../preview/try-rules.js';
import { ApiError, OperatorError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { joinSegments, plainPath } from '../../text/paths/plain-path.js';
import { ofProjects, type Job } from '../../platform/queue/job.js';
import type { JobQueue } from '../../platform/queue/queue.js';

/** Limits of time and memory. */
const MAX_PROPOSALS = 1_000;
const MAX_SECTIONS = 1_000;
const MAX_MOVES = 10_000;
/** The maximum number of paths that a proposal names because their new page is missing. */
const MAX_MISSING = 20;
/** The minimum number of cases of a proposal: one case shows nothing about another path. */
const MIN_CASES = 2;
/** The minimum confidence of a proposal: a person would confirm few sections with less. */
const MIN_CONFIDENCE = 0.7;

/**
 * Learns rules anew: wildcards of folders whose redirects all agree, sections that moved, and redirects that clicks
 * confirm. They replace the proposals of the last time; rejected ones are not proposed again.
 * @returns how many were learned
 * @throws OperatorError if there are too many redirects
 */
export async function proposeRules(deps: RuleDeps, projectId: string, signal?: AbortSignal) {
  const tenant = deps.tenants.of(projectId);
  const redirects = await readRecentRedirects(tenant.db, projectId, MAX_MOVES);
  const learned = new Map<string, Learned>();
  for (const rule of [
    ...(await learnWildcardsInThread(deps.tenants.addressOf(projectId))),
    ...spellSections(await listSectionRedirects(tenant.db, projectId, undefined, MAX_SECTIONS), redirects),
    ...(await learnRedirects(deps, tenant, redirects)),
  ])
    if (!learned.has(rule.key) && rule.confidence >= MIN_CONFIDENCE && rule.support >= MIN_CASES)
      learned.set(rule.key, rule);
  const best = [...learned.values()].sort((a, b) => b.confidence - a.confidence).slice(0, MAX_PROPOSALS);
  const answers = await countNewAnswers(deps, tenant, best, signal);
  const none = { paths: 0, requests: 0, examples: [] };
  return inTransaction(tenant.db, async (trx) => {
    await lockRedirects(trx, projectId);
    const known = await readStates(trx, projectId, best);
    const proposals = best
      .filter(({ key }) => !known.has(key))
      .map((rule) => ({ ...rule, ...(answers.get(rule.key) ?? none) }));
    await replaceProposals(trx, projectId, proposals, new Date(deps.clock.now()));
    return { proposed: proposals.length };
  });
}

/** Learns redirects of single paths: most visitors of such a path clicked one page. */
async function learnRedirects(deps: RuleDeps, { db, projectId }: Tenant, redirects: readonly LearnableRedirect[]) {
  if (!redirects.some(({ source }) => source === 'click')) return [];
  const clicks = (await listLearnedClicks(db, projectId, undefined, MAX_MOVES)).filter(
    ({ path, searches, all_searches }) => path !== '' && isConfirmed(searches, all_searches),
  );
  const links = new Map<string, { shown: number; unclicked: number }>();
  for (const { input, shown, unclicked } of clicks.length === 0 ? [] : await countShownLinks(deps.db, projectId)) {
    const path = joinSegments(plainPath(input).segments);
    const sum = links.get(path) ?? { shown: 0, unclicked: 0 };
    links.set(path, { shown: sum.shown + shown, unclicked: sum.unclicked + unclicked });
  }
  return clicks.map(({ path, url, searches, all_searches }): Learned => ({
    ...scopeOf(path, 'exact'),
    target: url,
    source: 'clicks',
    support: searches,
    contradictions: all_searches - searches,
    confidence: sectionConfidence(searches, all_searches - searches),
    evidence: [{ from: path, to: url, ...links.get(path) }],
  }));
}

/**
 * Counts the stored 404s that proposals would have answered, and that no rule answers. Names the paths that a proposal
 * would take though their new page is missing.
 */
async function countNewAnswers(
  deps: RuleDeps,
  tenant: Tenant,
  learned: readonly Learned[],
  signal: AbortSignal | undefined,
): Promise<ReturnType<typeof countAnswers>> {
  const { paths: missed } = await readStored(deps, tenant.projectId, DEFAULT_DAYS);
  const decided = await (await openRuleMatcher(tenant, [], signal)).followAll(missed.map(({ path }) => path));
  const left = missed.flatMap((row, at) => (decided[at]?.answer ? [] : [{ ...row, present: decided[at]?.rule }]));
  const proposed = learned.map((rule) => ({ ...rule, action: 'redirect' as const }));
  const matcher = await matchProposed(proposed, tenant);
  const followed = await matcher.followAll(left.map(({ path }) => path));
  const answers = countAnswers(left, followed);
  const missing = new Map<string, { path: string; requests: number; to: null }[]>();
  for (const [at, { path, requests, present }] of left.entries()) {
    const { rule, answer } = followed[at] ?? {};
    if (!rule || answer || (present && present.action !== 'ignore')) continue;
    const named = missing.get(rule.key) ?? [];
    if (named.length < MAX_MISSING) missing.set(rule.key, [...named, { path, requests, to: null }]);
  }
  for (const [key, named] of missing) {
    const { examples, ...counts } = answers.get(key) ?? { paths: 0, requests: 0, examples: [] };
    answers.set(key, { ...counts, examples: [...examples, ...named] });
  }
  return answers;
}

export interface ProposeRulesDeps extends RuleDeps {
  queue: JobQueue;
  logger: Logger;
}

/**
 * Proposes rules for a project. Each night it runs without a project, and queues itself for every project with
 * redirects.
 */
export const proposeRulesJob: Job<{ projectId?: string }, ProposeRulesDeps> = {
  name: 'propose-rules',
  policy: 'short',
  key: ({ projectId }) => projectId ?? 'all',
  options: {
    notify: true,
    retryLimit: 2,
    retryDelay: 60,
    expireInSeconds: 900,
    heartbeatSeconds: 60,
    deleteAfterSeconds: 3_600,
  },
  work: (deps) => ({
    pollingSeconds: 5,
    batchSize: 10,
    burstWhenBatchFull: true,
    handle: async (jobs) => {
      for (const { data, signal } of jobs) {
        const { projectId } = data;
        if (projectId === undefined)
          await deps.queue.enqueueNow(proposeRulesJob, ofProjects(await findProjectsWithRedirects(deps.db)));
        else await propose(deps, projectId, signal);
      }
    },
  }),
};

async function propose(deps: ProposeRulesDeps, projectId: string, signal: AbortSignal): Promise<void> {
  try {
    await dropPathRules(deps.db, projectId);
    await coverAllPaths({ db: deps.db, projectId }, Infinity);
    await proposeRules(deps, projectId, signal);
  } catch (error) {
    // A retry does not help: rules that lead on too far do so at the next try, too.
    const isKnown = error instanceof OperatorError || (error instanceof ApiError && error.code === 'overloaded');
    if (!isKnown) throw error;
    deps.logger.warn('no rules were proposed', { project_id: projectId, reason: error.message });
  }
}
