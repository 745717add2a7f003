import { expect } from 'chai';
import type { JobResult, JobWithMetadata } from 'pg-boss';
import { withFailures, type VectorizePage } from '#src/pages/indexing/vectorize-job.js';

type PageJob = JobWithMetadata<VectorizePage>;

const AWAY = Object.assign(new Error('connection to the remote node failed'), { code: '08006' });
const LOCKED = Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });

function jobOf(project: string, retryCount = 0): PageJob {
  // These are the only fields of a job that the code reads.
  return {
    id: `${project}-${retryCount}`,
    data: { projectId: project, pageId: 'page' },
    retryCount,
    retryLimit: 3,
  } as PageJob;
}

const done = (jobs: readonly PageJob[]): Promise<JobResult[]> =>
  Promise.resolve(jobs.map(({ id }) => ({ id, status: 'completed' })));

describe('a batch of pages', () => {
  let putOff: string[];
  const keep = (jobs: readonly PageJob[]): Promise<void> => {
    putOff.push(...jobs.map(({ id }) => id));
    return Promise.resolve();
  };

  beforeEach(() => {
    putOff = [];
  });

  it('that does not fail is worked through once', async () => {
    const jobs = [jobOf('one'), jobOf('two')];
    expect(await withFailures(jobs, done, keep)).to.deep.equal(await done(jobs));
    expect(putOff).to.deep.equal([]);
  });

  it('that fails is tried again by the queue, and what has no try left is put off', async () => {
    const jobs = [jobOf('one', 2), jobOf('two', 3)];
    const error: unknown = await withFailures(jobs, () => Promise.reject(LOCKED), keep).catch((e: unknown) => e);
    expect(error).to.equal(LOCKED);
    expect(putOff).to.deep.equal(['two-3']);
  });

  it('of which one project cannot be reached puts that off, and does the others', async () => {
    const jobs = [jobOf('one'), jobOf('away'), jobOf('two')];
    const work = (some: readonly PageJob[]): Promise<JobResult[]> =>
      some.some(({ data }) => data.projectId === 'away') ? Promise.reject(AWAY) : done(some);
    expect(await withFailures(jobs, work, keep)).to.have.deep.members(await done(jobs));
    expect(putOff).to.deep.equal(['away-0']);
  });
});
