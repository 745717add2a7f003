import { until } from '../../../../test/support/until.js';
import type { Cluster } from './cluster.js';
import type { Gaps } from './gaps.js';

/** Takes the primary away; resolves when there is one again, with its name and what is to be done afterwards. */
export type Kind = (cluster: Cluster, old: string, gaps: Gaps) => Promise<{ next: string; after?: () => void }>;

const WITHIN_MS = 60_000;
/** Longer than any request waits for its commit, and than the server lets a statement of one run. */
const MUTED_MS = 12_000;

export const KINDS: Record<string, Kind> = {
  killed: async (cluster, old) => {
    await cluster.kill(old);
    return { next: await another(cluster, old) };
  },
  switchover: async (cluster, old) => {
    await cluster.switchover(old);
    return { next: await another(cluster, old) };
  },
  hung: async (cluster, old) => {
    const thaw = await cluster.freeze(old);
    return { next: await another(cluster, old), after: thaw };
  },
  // Whoever is told meanwhile that his change is kept is told wrong: no standby has it.
  muted: async (cluster, old, gaps) => {
    await cluster.muteReplication(old);
    await until('changes have waited in vain', () => gaps.sinceWriteMs() > MUTED_MS, WITHIN_MS);
    await cluster.kill(old);
    return { next: await another(cluster, old) };
  },
  // A primary that cannot say so any more steps down, since another may have been chosen.
  etcd: async (cluster) => {
    cluster.signalEtcd('SIGSTOP');
    try {
      await until('nobody is the primary', async () => (await cluster.primary()) === undefined, WITHIN_MS);
    } finally {
      cluster.signalEtcd('SIGCONT');
    }
    return { next: await another(cluster, '') };
  },
};

async function another(cluster: Cluster, old: string): Promise<string> {
  let next: string | undefined;
  const isThere = async (): Promise<boolean> => {
    next = await cluster.primary();
    return next !== undefined && next !== old;
  };
  await until('there is a primary again', isThere, WITHIN_MS);
  return next ?? old;
}
