import { expect } from 'chai';
import type { Plan } from '#src/base/glossary.js';
import { sharedService } from '../../support/shared-service.js';
import type { Answer, TestProject } from '../../support/service.js';
import { putInDebt } from './time.js';

/** Sustained and burst of writes and of reads: specification, part 8. */
const PLANS: [Plan, { write: [number, number]; read: [number, number] }][] = [
  ['hacker', { write: [5, 10], read: [2, 5] }],
  ['solo', { write: [10, 20], read: [10, 20] }],
  ['startup', { write: [25, 50], read: [25, 50] }],
  ['scale', { write: [50, 100], read: [50, 100] }],
  // An enterprise project's own four numbers.
  ['enterprise', { write: [3, 7], read: [400, 900] }],
];

function call(project: TestProject, bucket: 'read' | 'write'): Promise<Answer> {
  return bucket === 'read'
    ? project.post('/v1/semantic-search', { query: 'a' })
    : project.call('DELETE', '/v1/pages/delete', {});
}

describe('the plans', () => {
  for (const [plan, buckets] of PLANS) {
    for (const bucket of ['read', 'write'] as const) {
      const [rate, burst] = buckets[bucket];
      it(`${plan} has a burst of ${burst} and ${rate} a second for ${bucket}s`, async () => {
        const rates = {
          read_rate: buckets.read[0],
          read_burst: buckets.read[1],
          write_rate: buckets.write[0],
          write_burst: buckets.write[1],
        };
        const project = await sharedService().newProject(plan === 'enterprise' ? { plan, rates } : { plan });
        const first = await call(project, bucket);
        expect(first.headers.get('x-ratelimit-limit')).to.equal(String(burst));
        expect(first.headers.get('x-ratelimit-remaining')).to.equal(String(burst - 1));

        // In debt by ten thousand seconds' worth of tokens, the time to wait tells the rate.
        await putInDebt(project, bucket, rate * 10_000);
        const refused = await call(project, bucket);
        expect(refused.status).to.equal(429);
        expect(Number(refused.headers.get('retry-after'))).to.be.within(9_900, 10_001);
      });
    }
  }
});
