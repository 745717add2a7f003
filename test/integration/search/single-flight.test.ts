import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { Gate } from '../../support/gated-embedder.js';
import { startTestService, type Answer, type TestProject, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { wrapEmbedder } from '../../support/wrap-embedder.js';
import { query } from '../../support/sql.js';

describe('identical searches at once', function () {
  this.timeout(120_000);
  const gate = new Gate();
  let test: TestService;
  let project: TestProject;
  let fault: Error | undefined;

  before(async () => {
    test = await startTestService(
      {},
      {
        log: new PassThrough().resume(),
        wrapEmbedder: (real) =>
          wrapEmbedder(real, {
            embedQuery: async (fingerprint, text, options) => {
              await gate.pass();
              if (fault) throw fault;
              return real.embedQuery(fingerprint, text, options);
            },
          }),
      },
    );
    project = await test.newProject();
    await project.upsert({ url: 'https://shop.example/pens/blue', content: 'A blue fountain pen with a steel nib.' });
    await project.indexed();
  });

  after(() => test.stop());

  beforeEach(() => {
    gate.arrived = 0;
    fault = undefined;
    gate.close();
  });

  const ask = (text: string): Promise<Answer> =>
    project.post('/v1/semantic-search', { query: text, options: { searchThreshold: 0 } });

  /** Requests that the service has taken up and not answered. */
  async function waiting(text: string, count: number): Promise<void> {
    await until(`${count} requests wait`, () => test.service.deps.inFlight.callers() === count);
    expect(gate.arrived, `searches for ${text}`).to.equal(1);
  }

  it('are one search, each with a search_id and a row of its own', async () => {
    const asking = Array.from({ length: 10 }, () => ask('a pen'));
    await waiting('a pen', 10);
    gate.open();
    const answers = await Promise.all(asking);
    expect(gate.arrived).to.equal(1);
    for (const { status, body } of answers) {
      expect(status).to.equal(200);
      expect(body.suggestions).to.have.length(1).and.deep.equal(answers[0]?.body.suggestions);
    }
    const ids = answers.map(({ body }) => body.search_id as string);
    expect(new Set(ids).size).to.equal(10);
    await test.service.deps.log.flush();
    expect(
      await query(test.service, 'select search_id from pathmend.searches where search_id = any ($1::uuid[])', [ids]),
    ).to.have.length(10);
    await ask('a pen');
    expect(gate.arrived, 'and then cached').to.equal(1);
  });

  it('go on when the caller that was first goes away', async () => {
    const leaving = new AbortController();
    const first = fetch(`${test.service.url}/v1/semantic-search`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${project.key}` },
      body: JSON.stringify({ query: 'a nib', options: { searchThreshold: 0 } }),
      signal: leaving.signal,
    }).catch((error: unknown) => error);
    await waiting('a nib', 1);
    const otherAnswers = Array.from({ length: 5 }, () => ask('a nib'));
    await waiting('a nib', 6);
    leaving.abort();
    expect(await first).to.have.property('name', 'AbortError');
    await waiting('a nib', 5);
    gate.open();
    for (const { status, body } of await Promise.all(otherAnswers)) {
      expect(status).to.equal(200);
      expect(body.suggestions).to.have.length(1);
    }
    expect(gate.arrived).to.equal(1);
  });

  it('fail together, and what failed is not kept', async () => {
    fault = new Error('broken for this test');
    const asking = Array.from({ length: 4 }, () => ask('a fountain'));
    await waiting('a fountain', 4);
    gate.open();
    expect((await Promise.all(asking)).map(({ status }) => status)).to.deep.equal([500, 500, 500, 500]);
    fault = undefined;
    expect((await ask('a fountain')).status).to.equal(200);
    expect(gate.arrived).to.equal(2);
  });
});
