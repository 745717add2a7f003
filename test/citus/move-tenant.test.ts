import { expect } from 'chai';
import { citusUrl, createDistributedDatabase, moveProject, nodeOfProject, NEEDS_CITUS } from '../support/citus.js';
import { startTestService, type TestProject, type TestService } from '../support/service.js';

/** A write that meets the switch waits for it. */
const MAX_PAUSE_MS = 5_000;

describe(`moving a project to another worker under load${citusUrl() === undefined ? ` (${NEEDS_CITUS})` : ''}`, function () {
  this.timeout(90_000);
  let running: TestService;
  let project: TestProject;
  let isMoving = true;
  const paused = { search: 0, write: 0 };

  before(async function () {
    if (citusUrl() === undefined) this.skip();
    running = await startTestService({}, { database: await createDistributedDatabase() });
    project = await running.newProject();
    await project.upsert({ url: urlOf(0), content: contentOf(0) });
    await project.indexed();
  });

  after(async () => {
    if (citusUrl() !== undefined) await running.stop();
  });

  const urlOf = (place: number): string => `https://moving.example/parts/part-${place}`;
  const contentOf = (place: number): string => `Part ${place}: a spare part for the machine of type ${place}.`;

  async function timed(what: keyof typeof paused, work: () => Promise<void>): Promise<void> {
    const from = performance.now();
    await work();
    paused[what] = Math.max(paused[what], performance.now() - from);
  }

  async function write(): Promise<number> {
    let written = 1;
    for (; isMoving; written++)
      await timed('write', async () => {
        await project.upsert({ url: urlOf(written), content: contentOf(written) });
      });
    return written;
  }

  async function search(): Promise<number> {
    let searched = 0;
    for (; isMoving; searched++)
      await timed('search', async () => {
        const { status, body } = await project.post('/v1/suggest', { path: `/part/part-0?${searched}` });
        expect(status).to.equal(200);
        expect(body.suggestions[0]?.url).to.match(/^\/parts\/part-/);
      });
    return searched;
  }

  it('loses no write, and answers meanwhile', async () => {
    const from = await nodeOfProject(running.service, project);
    const load = Promise.all([write(), search()]);
    try {
      await moveProject(running.service, project);
    } finally {
      isMoving = false;
    }
    const [written, searched] = await load;
    expect(await nodeOfProject(running.service, project)).not.to.equal(from);
    await project.indexed();
    const listed = await project.call('GET', '/v1/pages?limit=100&status=INDEXED');
    console.log(
      `      ${written} pages written, ${searched} searches; the longest took ${paused.write.toFixed(0)} and ${paused.search.toFixed(0)} ms`,
    );
    expect(listed.body.pages.length).to.equal(Math.min(100, written));
    expect(searched).to.be.above(0);
    expect(Math.max(paused.write, paused.search)).to.be.below(MAX_PAUSE_MS);
  });
});
