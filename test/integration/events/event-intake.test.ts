import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createEventIntake } from '#src/events/event-intake.js';
import { recordEvents } from '#src/events/record-events-job.js';
import type { RecordEventPayload } from '#src/events/store-events.js';
import type { JobQueue } from '#src/platform/queue/queue.js';
import type { TestProject } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';
import { storedNotFounds } from '../../support/stored-events.js';

describe('events that come at once', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
  });

  function event(rawPath: string): RecordEventPayload {
    return {
      eventId: randomUUID(),
      projectId: project.row.project_id,
      isTest: false,
      receivedAt: new Date().toISOString(),
      event: { type: 'not-found', rawPath, origin: null, referrer: null, userAgent: null, visitorIp: null },
    };
  }

  /** The service's own queue, with the sizes of its statements. */
  function watched(sizes: number[]): Pick<JobQueue, 'enqueueNow' | 'wake'> {
    const { queue } = sharedService().service.deps;
    return {
      wake: (job) => {
        queue.wake(job);
      },
      enqueueNow: (job, payloads) => {
        sizes.push(payloads.length);
        return queue.enqueueNow(job, payloads);
      },
    };
  }

  it('share a few statements, and are all stored once', async () => {
    const sizes: number[] = [];
    const intake = createEventIntake(watched(sizes));
    await Promise.all(Array.from({ length: 700 }, (_, i) => intake.add(event(`/at-once/${i}`))));
    expect(sizes.length).to.be.below(6);
    const stored = await storedNotFounds(sharedService().service, project.row.project_id, 700);
    expect(new Set(stored.map((row) => row.raw_path)).size).to.equal(700);
  });

  it('do not fail with one that the database refuses', async () => {
    const intake = createEventIntake(watched([]));
    const other = await sharedService().newProject();
    const all = ['/fine/1', '/fine/2', '/bad\0', '/fine/3'].map((path) => ({
      ...event(path),
      projectId: other.row.project_id,
    }));
    const results = await Promise.allSettled(
      [event('/first'), event('/second'), ...all].map((newEvent) => intake.add(newEvent)),
    );
    expect(results.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    await storedNotFounds(sharedService().service, other.row.project_id, 3);
  });

  it('of which two name one search: the first that came counts, in whatever order their job has them', async () => {
    const other = await sharedService().newProject();
    const searchId = randomUUID();
    const [first, second] = ['/first', '/second'].map((path, i) => {
      const { event: about, ...rest } = event(path);
      const receivedAt = new Date(Date.now() - 1_000 + i).toISOString();
      return { ...rest, projectId: other.row.project_id, receivedAt, event: { ...about, searchId } };
    }) as [RecordEventPayload, RecordEventPayload];
    await sharedService().service.deps.queue.enqueueNow(recordEvents, [{ events: [second, first] }]);
    const stored = await storedNotFounds(sharedService().service, other.row.project_id, 1);
    expect(stored.map((row) => row.raw_path)).to.deep.equal(['/first']);
  });

  it('are answered 204 when they are in the database, by HTTP as well', async () => {
    const other = await sharedService().newProject();
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, i) => other.post('/v1/events', { raw_path: `/by-http/${i}` })),
    );
    const [counts] = await other.query(`select (select count(*)::int from pathmend.not_founds where project_id = $1)
              + (select count(*)::int from pgboss.job, jsonb_array_elements(data -> 'events') as event
                  where name = 'record-events' and state <> 'completed' and event ->> 'projectId' = $1::text) as n`);
    expect(answers.filter(({ status }) => status === 204)).to.have.length(300);
    expect(counts?.['n']).to.be.at.least(300);
    expect(await storedNotFounds(sharedService().service, other.row.project_id, 300)).to.have.length(300);
  });
});
