import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../base/clock.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import type { Db } from '../../platform/database/db.js';
import type { ProjectRange } from '../../platform/database/project-range.js';
import { bumpIndexVersion, readIndexVersion } from '../../projects/index-version.js';
import { findAnsweringModels } from '../../pages/store/models.js';
import { readAnsweringModel } from '../../projects/project-model.js';
import { findProjectsToFit, storeOwnWeights } from '../store/project-weights.js';
import { ALL_PAGES } from '../store/space.js';
import type { Tenants } from '../../platform/database/session/tenants.js';
import type { JsonObject } from '../../base/glossary.js';
import type { IndexChanges } from '../../projects/index-changes.js';
import type { SegmentCatalogue } from '../../pages/large-projects/segment-catalogue.js';
import type { Logger } from '../../base/logger.js';
import { ofProjects, type Job } from '../../platform/queue/job.js';
import type { JobQueue } from '../../platform/queue/queue.js';
import type { CandidateDeps } from '../candidates/site-words.js';
import { type Calibration, rankFingerprint } from '../ranking/scores/calibration.js';
import { collectOwnCases } from './collect-cases.js';
import { fitOwn } from '../ranking/fit/cross-validate.js';

export interface FitOwnWeightsDeps extends CandidateDeps {
  db: Db;
  tenants: Tenants;
  ownIndexes: SegmentCatalogue;
  calibrationOf: (modelId: number) => Promise<Calibration>;
  indexChanges: IndexChanges;
  clock: Clock;
  logger: Logger;
}

/**
 * Fits a project's own weights, where a fit is due: some hundred searches, one after the other, and seconds of
 * computing in small steps. Projects take turns, and each worker fits one at a time.
 */
export const fitOwnWeights: Job<{ projectId: string }, FitOwnWeightsDeps> = {
  name: 'fit-own-weights',
  policy: 'short',
  key: ({ projectId }) => projectId,
  fairShare: { by: ({ projectId }) => projectId, seconds: 10 },
  options: {
    notify: true,
    retryLimit: 2,
    retryDelay: 60,
    retryBackoff: true,
    expireInSeconds: 1_800,
    heartbeatSeconds: 60,
    deleteAfterSeconds: 3_600,
  },
  work: (deps) => ({
    pollingSeconds: 2,
    handle: async (jobs) => {
      for (const { data, signal } of jobs) await fitProject(deps, data.projectId, signal);
    },
  }),
};

/** Each is loaded for a look at its weights. */
const MAX_MODELS = 10;
/** After so many milliseconds of computing, requests of this process go on. */
const MAX_TURN_MS = 5;

/** Fits the weights of a project for the model that answers it, if a fit is due. */
export async function fitProject(deps: FitOwnWeightsDeps, projectId: string, signal: AbortSignal): Promise<void> {
  const modelId = await readAnsweringModel(deps.db, projectId);
  if (modelId === null) return;
  const model = (await deps.calibrationOf(modelId)).suggest;
  const basis = { modelId, fittedFor: rankFingerprint(model.rank) };
  if ((await findProjectsToFit(deps.db, basis, { from: projectId, to: projectId })).length === 0) return;
  const startedAt = deps.clock.now();
  const tenant = deps.tenants.of(projectId, signal);
  const space = {
    ...tenant,
    modelId,
    indexVersion: await readIndexVersion(tenant.db, projectId),
    ...ALL_PAGES,
    covered: deps.ownIndexes.covered(projectId, modelId),
  };
  const cases = await collectOwnCases(deps, space, model, signal);
  const fit = await inTurns(fitOwn(model, cases), signal);
  const row = {
    model_id: basis.modelId,
    fitted_for: basis.fittedFor,
    // What was imported during the fit is new to the next one.
    fitted_at: new Date(startedAt),
    verdict: fit.verdict,
    weights: fit.weights as unknown as JsonObject,
    model_weights: model.rank as unknown as JsonObject,
    none_added: fit.noneAdded,
    figures: fit.figures as unknown as JsonObject,
  };
  await inTransaction(deps.tenants.of(projectId).db, async (trx) => {
    if (await storeOwnWeights(trx, projectId, row)) await bumpIndexVersion(trx, projectId);
  });
  deps.indexChanges.committed(projectId);
  deps.logger.info('own weights fitted', {
    project_id: projectId,
    verdict: fit.verdict,
    redirects: fit.figures.redirects,
    seconds: Math.round((deps.clock.now() - startedAt) / 1000),
  });
}

/** Queues a fit for every project of the slice for which one is due. */
export async function queueDueFits(
  deps: { db: Db; queue: JobQueue } & Pick<FitOwnWeightsDeps, 'calibrationOf'>,
  slice: ProjectRange,
): Promise<void> {
  for (const modelId of await findAnsweringModels(deps.db, MAX_MODELS)) {
    const fittedFor = rankFingerprint((await deps.calibrationOf(modelId)).suggest.rank);
    const due = await findProjectsToFit(deps.db, { modelId, fittedFor }, slice);
    await deps.queue.enqueueNow(fitOwnWeights, ofProjects(due));
  }
}

async function inTurns<Result>(steps: Generator<void, Result>, signal: AbortSignal): Promise<Result> {
  for (let until = performance.now() + MAX_TURN_MS; ;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < until) continue;
    await nextTurn();
    signal.throwIfAborted();
    until = performance.now() + MAX_TURN_MS;
  }
}
