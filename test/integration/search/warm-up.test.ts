import { expect } from 'chai';
import { createTestDatabase } from '../../support/database.js';
import { Gate } from '../../support/gated-embedder.js';
import { send, startTestService } from '../../support/service.js';
import { wrapEmbedder } from '../../support/wrap-embedder.js';

describe('the first search of a process', function () {
  this.timeout(60_000);

  it('finds the model loaded and whole searches done before readyz is green, none of them logged or counted', async () => {
    const database = await createTestDatabase({ migrated: true });
    const first = await startTestService({}, { database });
    const project = await first.newProject();
    await project.upsert({
      url: 'https://site.example/help/returns',
      content: 'Send an item back within thirty days.',
    });
    await project.indexed();
    await first.service.stop();

    const events: string[] = [];
    const gate = new Gate();
    gate.close();
    const { service } = await startTestService(
      {},
      {
        database,
        wrapEmbedder: (real) =>
          wrapEmbedder(real, {
            load: async (location) => {
              const model = await real.load(location);
              events.push('loaded');
              return model;
            },
            embedQuery: async (...query) => {
              await gate.pass();
              const vector = await real.embedQuery(...query);
              events.push('embedded');
              return vector;
            },
          }),
      },
    );
    try {
      const early = await send(service.url, 'GET', '/readyz');
      expect([early.status, Object.keys(early.body.reasons as object)]).to.deep.equal([503, ['search']]);
      gate.open();
      const ready = await send(service.url, 'GET', '/readyz');
      expect(ready.status, ready.text).to.equal(200);
      expect(events[0]).to.equal('loaded');
      expect(events).to.include('embedded');
      const before = (await send(service.url, 'GET', '/metrics')).text;
      expect(before).not.to.match(/^pathmend_searches_total\{[^}]*\} [1-9]/m);

      const headers = { Authorization: `Bearer ${project.key}` };
      const answer = await send(service.url, 'POST', '/v1/suggest', { path: '/hlep/retruns' }, headers);
      expect(answer.body.suggestions[0].url).to.equal('/help/returns');
      const after = (await send(service.url, 'GET', '/metrics')).text;
      expect(after).to.match(/^pathmend_searches_total\{[^}]*kind="suggest"[^}]*\} 1$/m);
    } finally {
      await service.stop();
      await database.drop();
    }
  });
});
