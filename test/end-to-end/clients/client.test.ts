import { expect } from 'chai';
import { createClient, PathmendError, type Client } from '#clients/js/index.js';
import { freePort } from '../../../scripts/service/throwaway-database.js';
import { BROKEN, startInPlace } from '../../support/broken-pathmend.js';
import type { Listening } from '../../support/listen.js';
import type { NewProject, TestProject } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';
import { storedClicks, storedNotFounds } from '../../support/stored-events.js';
import { until } from '../../support/until.js';

const BREAD = { url: 'https://site.example/guides/sourdough-bread', content: 'How to bake sourdough bread.' };
const PATIENT = 20_000;

async function newClient(options: NewProject = {}): Promise<{ client: Client; project: TestProject }> {
  const project = await sharedService().newProject(options);
  return {
    project,
    client: createClient({ url: `${sharedService().service.url}/`, key: project.key, timeoutMs: PATIENT }),
  };
}

async function failureOf(call: Promise<unknown>): Promise<PathmendError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof PathmendError)) throw new Error(`no PathmendError but ${String(error)}`);
  return error;
}

describe('the client for JavaScript', function () {
  this.timeout(60_000);
  const running: Listening[] = [];
  after(() => Promise.all(running.map((server) => server.stop())));

  it('pushes, finds, retrieves and deletes pages, and sends events', async () => {
    const { client, project } = await newClient();
    expect((await client.upsertPage({ ...BREAD, metadata: { section: 'guides' } })).action).to.equal('created');
    await project.indexed();
    const { suggestions, search_id } = await client.suggest({ path: '/guides/sourdough-braed', limit: 1 });
    expect(suggestions[0]?.url).to.equal('/guides/sourdough-bread');
    expect((await client.suggest('/guides/sourdough-braed')).suggestions).to.deep.equal(suggestions);
    const options = { filters: { section: 'blog' } };
    expect((await client.suggest({ path: '/guides/sourdough-braed', options })).suggestions).to.deep.equal([]);
    expect((await client.semanticSearch('how to bake bread')).suggestions).to.have.length(1);
    expect((await client.retrieve({ query: 'how to bake bread', top_k: 1 })).documents[0]?.content).to.equal(
      BREAD.content,
    );
    const click = { clicked_url: '/guides/sourdough-bread', clicked_rank: 1, raw_path: '/x', search_id };
    await client.sendEvent(click);
    await client.sendEvent({ raw_path: '/x' });
    expect(await storedClicks(sharedService().service, project.row.project_id, 1)).to.have.length(1);
    expect(await storedNotFounds(sharedService().service, project.row.project_id, 1)).to.have.length(1);
    expect((await client.deletePage({ url: BREAD.url })).status).to.equal('success');
    expect((await failureOf(client.deletePage(BREAD.url))).status).to.equal(404);
  });

  it('says what pathmend refused, and under which number its log has it', async () => {
    const { client } = await newClient();
    const refused = await failureOf(client.suggest({ path: '' }));
    expect([refused.status, refused.code, refused.param]).to.deep.equal([400, 'invalid_request', 'path']);
    expect(refused.message).to.include('path');
    expect(refused.requestId).to.be.a('string').and.not.equal('');
    const stranger = createClient({ url: sharedService().service.url, key: 'pm_live_nobody', timeoutMs: PATIENT });
    expect((await failureOf(stranger.suggest('/a'))).code).to.equal('invalid_api_key');
  });

  it('pushes any number of pages in batches, from a stream, too, with an answer for each', async () => {
    const { client, project } = await newClient();
    async function* pages(): AsyncGenerator<{ url: string; content: string }> {
      for (let n = 0; n < 1_030; n += 1) {
        yield { url: `https://site.example/p/${n}`, content: n === 1_010 ? '' : `Page ${n}` };
        if (n === 500) await Promise.resolve();
      }
    }
    const { results } = await client.upsertPages(pages(), {
      delete: ['https://site.example/p/3', 'https://site.example/never'],
    });
    expect(results).to.have.length(1_032);
    expect(results.map(({ url }) => url).slice(1_028)).to.deep.equal([
      'https://site.example/p/1028',
      'https://site.example/p/1029',
      'https://site.example/p/3',
      'https://site.example/never',
    ]);
    expect(results[0]?.action).to.equal('created');
    expect([results[1_010]?.error?.code, results[1_010]?.error?.param]).to.deep.equal(['invalid_request', 'content']);
    expect(results[1_030]?.action).to.equal('deleted');
    expect(results[1_031]?.error?.code).to.equal('not_found');
    expect(results.filter(({ error }) => error)).to.have.length(2);
    await project.indexed();
  });

  it('keeps to the rate of a small plan: smaller batches, and waits of Retry-After', async () => {
    const { client } = await newClient({ rates: { write_rate: 20, write_burst: 10 } });
    const pages = Array.from({ length: 25 }, (_, n) => ({ url: `https://site.example/p/${n}`, content: `Page ${n}` }));
    const { results } = await client.upsertPages(pages);
    expect(results.map(({ action }) => action)).to.deep.equal(pages.map(() => 'created'));
  });

  it('sends the other pages when one is larger than pathmend takes', async () => {
    const { client } = await newClient();
    const large = { url: 'https://site.example/large', content: 'ü'.repeat(1_900_000) };
    const { results } = await client.upsertPages([BREAD, large, { ...BREAD, url: 'https://site.example/after' }]);
    expect(results.map(({ url, error }) => [url, error?.code])).to.deep.equal([
      [BREAD.url, undefined],
      [large.url, 'payload_too_large'],
      ['https://site.example/after', undefined],
    ]);
  });

  /** A server in pathmend's place that answers with these, one after the other, then with the last one for good. */
  async function answering(...answers: [status: number, body: string, headers?: Record<string, string>][]) {
    const times: number[] = [];
    const server = await startInPlace((_request, response) => {
      const [status, body, headers] = answers[Math.min(times.length, answers.length - 1)] ?? [500, ''];
      times.push(performance.now());
      response.writeHead(status, headers).end(body);
    });
    running.push(server);
    return { client: createClient({ url: server.url, key: 'pm_live_key', timeoutMs: PATIENT }), times };
  }
  const DONE = '{"page_id": "a", "status": "INDEXED", "action": "created", "message": "done"}';

  it('sends again those pages of a batch that pathmend did not come to', async () => {
    const bodies: { pages: { url: string }[] }[] = [];
    const server = await startInPlace((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        const body = JSON.parse(text) as { pages: { url: string }[] };
        bodies.push(body);
        const results = body.pages.map(({ url }, index) =>
          index < 2 ? { url, action: 'created' } : { url, error: { code: 'overloaded', message: 'busy' } },
        );
        response.writeHead(200).end(JSON.stringify({ results }));
      });
    });
    running.push(server);
    const pages = ['a', 'b', 'c', 'd', 'e'].map((url) => ({ url, content: 'Bread.' }));
    const { results } = await createClient({ url: server.url, key: 'pm_live_key' }).upsertPages(pages);
    expect(results).to.deep.equal(pages.map(({ url }) => ({ url, action: 'created' })));
    expect(bodies.map((body) => body.pages.map(({ url }) => url).join(''))).to.deep.equal(['abcde', 'cde', 'e']);
  });

  it('sends a write again after 429, and no sooner than Retry-After says', async () => {
    const { client, times } = await answering([429, '{}', { 'Retry-After': '1' }], [503, '{}'], [202, DONE]);
    expect((await client.upsertPage(BREAD)).action).to.equal('created');
    expect(times).to.have.length(3);
    expect((times[1] ?? 0) - (times[0] ?? 0)).to.be.above(990);
  });

  it('reads a Retry-After that is a date, and does not wait for an hour', async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const { client, times } = await answering([503, '{}', { 'Retry-After': date }]);
    expect((await failureOf(client.upsertPage(BREAD))).retryAfterMs).to.be.above(3_500_000);
    expect(times).to.have.length(1);
  });

  it('repeats an upsert after an error of the server, and neither a delete nor an event', async () => {
    const { client, times } = await answering([500, '{}']);
    expect((await failureOf(client.upsertPage(BREAD, { retries: 1 }))).status).to.equal(500);
    expect(times).to.have.length(2);
    await failureOf(client.deletePage(BREAD.url));
    await failureOf(client.sendEvent({ raw_path: '/a' }));
    expect(times).to.have.length(4);
  });

  it('sends a search once, unless the caller says otherwise', async () => {
    const { client, times } = await answering([503, '{}'], [503, '{}'], [200, '{"suggestions": []}']);
    expect((await failureOf(client.suggest('/a'))).status).to.equal(503);
    expect((await client.suggest('/a', { retries: 1 })).suggestions).to.deep.equal([]);
    expect(times).to.have.length(3);
  });

  it('ends a call, and the wait before the next try, when the caller gives it up', async () => {
    const never = await startInPlace(() => undefined);
    running.push(never);
    const reason = new Error('the visitor left');
    const hanging = createClient({ url: never.url, key: 'pm_live_key', timeoutMs: PATIENT });
    const controller = new AbortController();
    const failure = hanging.suggest('/a', { signal: controller.signal }).catch((error: unknown) => error);
    controller.abort(reason);
    expect(await failure).to.equal(reason);
    const { client, times } = await answering([429, '{}', { 'Retry-After': '25' }]);
    const waiting = new AbortController();
    const upserted = client.upsertPage(BREAD, { signal: waiting.signal }).catch((error: unknown) => error);
    await until('the first try is refused', () => times.length === 1);
    waiting.abort(reason);
    expect(await upserted).to.equal(reason);
  });

  for (const [how, code] of Object.entries({
    'never answers': 'timeout',
    'begins an answer and never ends it': 'timeout',
    'sends bytes without an end': 'wrong_answer',
    'answers with something that is not JSON': 'wrong_answer',
    'answers null': 'wrong_answer',
    'redirects elsewhere': 'wrong_answer',
    'ends the connection': 'unreachable',
  }))
    it(`says ${code} when pathmend ${how}`, async () => {
      const server = await startInPlace(BROKEN[how] ?? (() => undefined));
      running.push(server);
      // An answer without an end needs time to reach the limit of its size.
      const timeoutMs = code === 'timeout' ? 50 : PATIENT;
      const error = await failureOf(createClient({ url: server.url, key: 'pm_live_key', timeoutMs }).suggest('/a'));
      expect(error.code).to.equal(code);
    });

  it('says that pathmend is down', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const error = await failureOf(createClient({ url, key: 'pm_live_key', timeoutMs: PATIENT }).suggest('/a'));
    expect([error.code, error.message]).to.deep.equal([
      'unreachable',
      `pathmend cannot be reached: connect ECONNREFUSED ${url.slice('http://'.length)}`,
    ]);
  });

  it('refuses an address or a key that cannot be one, at once', () => {
    const key = 'pm_live_key';
    for (const url of ['', 'localhost:8080', 'ftp://site.example', 'http://', undefined])
      expect(() => createClient({ url, key })).to.throw(TypeError, 'url');
    for (const wrong of ['', 'a\nb', 'ü', undefined])
      expect(() => createClient({ url: 'http://127.0.0.1', key: wrong })).to.throw(TypeError, 'key');
  });
});
