import type { Db } from '../platform/database/db.js';
import { findGapPaths, findProjectsWithNotFounds, storeTopics, type GapPath } from './store/topics.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { ModelRegistry } from '../embedding/model-registry.js';
import { readAnsweringModel } from '../pages/store/models.js';
import { ofProjects, type Job } from '../platform/queue/job.js';
import type { JobQueue } from '../platform/queue/queue.js';
import { sanitizePath } from '../text/paths/sanitize-path.js';
import { clusterVectors } from './cluster-vectors.js';
import { labelTopic, rarityAmong } from './label-topic.js';

export interface GroupPathsDeps {
  db: Db;
  queue: JobQueue;
  models: Pick<ModelRegistry, 'embedQuery' | 'named'>;
}

/** Groups a project's gaps; without one, which is each night, queues that for every project with missing paths. */
export const groupMissingPaths: Job<{ projectId?: string }, GroupPathsDeps> = {
  name: 'group-missing-paths',
  policy: 'short',
  key: ({ projectId }) => projectId ?? 'all',
  // The demo's month is stored by then.
  delaySeconds: () => 60,
  options: { retryLimit: 3, retryDelay: 60, expireInSeconds: 900, heartbeatSeconds: 60, deleteAfterSeconds: 3_600 },
  work: (deps) => ({
    pollingSeconds: 5,
    handle: async (jobs) => {
      for (const { data } of jobs) {
        const { projectId } = data;
        if (projectId === undefined)
          await deps.queue.enqueueNow(groupMissingPaths, ofProjects(await findProjectsWithNotFounds(deps.db)));
        else await groupPaths(deps, projectId);
      }
    },
  }),
};

/** A second of clustering: it grows with the square. */
const MAX_PATHS = 500;
/**
 * Of the mean cosine of two groups. On the 440 old paths of Docker's documentation 0.4 makes 41 groups of two and more,
 * such as `/engine/installation/linux/…` with `/engine/installation/oracle/`; below it sections run together, and at
 * 0.5 `/google-hangouts/` leaves `/google-meet/`.
 */
const MIN_LIKENESS = 0.4;

/** Groups the paths that help nobody by their meaning. A project without a new one stays as it is. */
export async function groupPaths({ db, models }: Omit<GroupPathsDeps, 'queue'>, projectId: string): Promise<void> {
  const paths = await findGapPaths(db, projectId, MAX_PATHS);
  if (paths.every(({ topic }) => topic !== null)) return;
  const read = paths.map((path) => ({ ...path, words: sanitizePath(path.path).words }));
  const named = read.filter(({ words }) => words.length > 0);
  // Without pages there is no model yet: the smallest groups paths well enough.
  const modelId = (await readAnsweringModel(db, projectId)) ?? (await models.named('static')).modelId;
  const vectors: Float32Array[] = [];
  // One after the other: searches have the model's queue.
  for (const { words } of named) vectors.push(await models.embedQuery(modelId, words.join(' ')));
  const groups = (await clusterVectors(vectors, MIN_LIKENESS)).map((places) =>
    places.flatMap((place) => named[place] ?? []),
  );
  const rarity = rarityAmong(groups);
  const topics = groups.flatMap((group) => {
    const topic = labelTopic(group, rarity);
    return group.map(({ path_hash }) => ({ path_hash, topic }));
  });
  const nameless = read.filter(({ words }) => words.length === 0);
  await inTransaction(db, (trx) => storeTopics(trx, projectId, [...topics, ...nameless.map(withoutWords)]));
}

function withoutWords({ path_hash }: GapPath): { path_hash: string; topic: string } {
  return { path_hash, topic: '' };
}
