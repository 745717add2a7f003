import { expect } from 'chai';
import type { Service } from '#src/app/service.js';
import { createClient, expressNotFound, handleNotFound, koaNotFound, type Client } from '#clients/js/index.js';
import { freePort } from '../../../scripts/service/throwaway-database.js';
import { startInPlace } from '../../support/broken-pathmend.js';
import type { Listening } from '../../support/listen.js';
import type { TestProject } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';
import { HOME, OWN_404, SITES, WITHOUT_OWN_404, type SiteOptions } from '../../support/sites.js';
import { storedClicks, storedNotFounds } from '../../support/stored-events.js';
import { until } from '../../support/until.js';

const GUIDE = 'https://site.example/guides/sourdough-bread';
/** Two letters swapped: nearly certain. */
const CERTAIN = '/guides/sourdough-braed';
/** Another section, and words of the content: a suggestion. */
const DOUBTFUL = '/food/bake-your-bread';
const PATIENT = 20_000;

describe('middleware for missing pages', function () {
  this.timeout(120_000);
  let project: TestProject;
  const running: Listening[] = [];

  before(async () => {
    project = await sharedService().newProject({ scopes: ['read', 'write', 'rules'] });
    await project.upsert({ url: GUIDE, title: 'Bake <sourdough> "bread"', content: 'How to bake sourdough bread.' });
    await project.indexed();
    const rules = [
      { path: '/moved', target: '/guides/sourdough-bread#crust', code: 308 },
      { path: '/away', target: 'https://other.example/', pass_query: true },
      { path: '/gone', action: 'gone' },
    ];
    expect((await project.post('/v1/rules', { rules })).status).to.equal(200);
  });
  after(() => Promise.all(running.map((site) => site.stop())));

  const ofProject = (): Client =>
    createClient({ url: sharedService().service.url, key: project.key, timeoutMs: PATIENT });

  async function start(
    site: (client: Client, options: SiteOptions) => Promise<Listening>,
    client: Client,
    options: SiteOptions = {},
  ): Promise<(path: string, headers?: Record<string, string>, method?: string) => Promise<Response>> {
    const started = await site(client, options);
    running.push(started);
    return (path, headers = { Accept: 'text/html' }, method = 'GET') =>
      fetch(started.url + path, { method, headers, redirect: 'manual' });
  }

  /** The stored event about a path, once it is there. */
  async function eventOf<Row extends { raw_path: string }>(
    stored: (service: Service, projectId: string, count: number) => Promise<Row[]>,
    path: string,
  ): Promise<Row | undefined> {
    let event: Row | undefined;
    await until(`the event of ${path} is stored`, async () => {
      const events = await stored(sharedService().service, project.row.project_id, 0);
      event = events.find(({ raw_path }) => raw_path === path);
      return event !== undefined;
    });
    return event;
  }

  for (const [name, site] of Object.entries(SITES)) {
    describe(name, () => {
      let ask: Awaited<ReturnType<typeof start>>;
      let client: Client;
      const errors: Error[] = [];

      before(async () => {
        client = ofProject();
        ask = await start(site, client, { onError: (error) => errors.push(error) });
      });
      after(() => {
        expect(errors).to.deep.equal([]);
      });

      it('leaves pages that exist, and what the site itself says of missing data', async () => {
        expect(await (await ask('/')).text()).to.equal(HOME);
        const order = await ask('/api/orders/1', { Accept: 'application/json' });
        expect([order.status, await order.json()]).to.deep.equal([404, { error: 'no such order' }]);
      });

      it('redirects to a page that is nearly certain', async () => {
        const answer = await ask(CERTAIN);
        expect(answer.status).to.equal(302);
        expect(answer.headers.get('location')).to.equal('/guides/sourdough-bread');
        expect(answer.headers.get('cache-control')).to.equal('no-store');
      });

      it('does what the rules of the owner say', async () => {
        const answers = await Promise.all(['/moved?a=1', '/away?a=1', '/gone'].map((path) => ask(path)));
        expect(answers.map(({ status, headers }) => [status, headers.get('location')])).to.deep.equal([
          [308, '/guides/sourdough-bread#crust'],
          [301, 'https://other.example/?a=1'],
          [410, null],
        ]);
        expect(await answers[2]?.text()).to.include('<h1>This page is gone</h1>');
      });

      it('shows suggestions whose click leads to the page and is counted, after the 404', async () => {
        const path = `${DOUBTFUL}?from=${encodeURIComponent(name)}`;
        const answer = await ask(path, {
          Accept: 'text/html,*/*;q=0.8',
          Referer: 'https://search.example/',
          'User-Agent': 'Browser/1.0',
        });
        expect(answer.status).to.equal(404);
        expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8');
        expect(answer.headers.get('vary')).to.include('Accept');
        const [, link = ''] =
          /href="([^"]+)" rel="nofollow">Bake &#60;sourdough&#62; &#34;bread&#34;</.exec(await answer.text()) ?? [];
        const clicked = await ask(link.replaceAll('&#38;', '&'));
        expect([clicked.status, clicked.headers.get('location')]).to.deep.equal([302, '/guides/sourdough-bread']);

        await client.flush();
        const missed = await eventOf(storedNotFounds, path);
        expect(missed?.referrer).to.equal('https://search.example/');
        expect(missed?.user_agent).to.equal('Browser/1.0');
        if (name !== 'a handler of Fetch requests') expect(missed?.visitor_ip).to.equal('127.0.0.0/24');
        const click = await eventOf(storedClicks, path);
        expect(click?.clicked_url).to.equal('/guides/sourdough-bread');
        expect(click?.clicked_rank).to.equal('1');
        expect(click?.origin)
          .to.equal(missed?.origin)
          .and.match(/^http:\/\/127\.0\.0\.1:\d+$/);
      });

      it('answers HEAD as GET, without a body', async () => {
        expect((await ask(CERTAIN, undefined, 'HEAD')).headers.get('location')).to.equal('/guides/sourdough-bread');
        const answer = await ask(DOUBTFUL, undefined, 'HEAD');
        expect([answer.status, answer.headers.get('content-type'), await answer.text()]).to.deep.equal([
          404,
          'text/html; charset=utf-8',
          '',
        ]);
      });

      it("leaves forms, files and a browser's own requests for data to the site", async () => {
        const text = async (answer: Promise<Response>): Promise<string> => (await answer).text();
        expect(await text(ask(CERTAIN, undefined, 'POST'))).to.equal(OWN_404);
        expect(await text(ask('/guides/sourdough-braed.css'))).to.equal(OWN_404);
        expect(await text(ask(CERTAIN, { Accept: 'image/avif,image/webp' }))).to.equal(OWN_404);
        expect(await text(ask(CERTAIN, { Accept: '*/*', 'Sec-Fetch-Dest': 'empty' }))).to.equal(OWN_404);
      });

      it("fills the site's own template", async () => {
        const render: SiteOptions['render'] = ([first], { format, path }) =>
          `${format} ${path} ${first?.title ?? ''} ${first?.href.split('?')[0] ?? ''}`;
        const templated = await start(site, client, { render, redirectAbove: 1, clickPath: '/went' });
        const answer = await templated(CERTAIN);
        expect(answer.status).to.equal(404);
        expect(await answer.text()).to.equal(`html ${CERTAIN} Bake <sourdough> "bread" /went`);
      });

      it('sends its own 404 when there is nothing to suggest', async () => {
        const answer = await ask('/qqqq-zzzz-xxxx');
        expect([answer.status, await answer.text()]).to.deep.equal([404, OWN_404]);
      });

      it('sends its own 404 in time when pathmend is down', async () => {
        const url = `http://127.0.0.1:${await freePort()}`;
        await expectOwn404(createClient({ url, key: 'pm_live_key', timeoutMs: 100 }));
      });

      async function expectOwn404(away: Client): Promise<void> {
        const heard: string[] = [];
        const toBroken = await start(site, away, { onError: ({ message }) => heard.push(message) });
        const began = performance.now();
        const answer = await toBroken(CERTAIN);
        expect([answer.status, await answer.text()]).to.deep.equal([404, OWN_404]);
        // A hundred for pathmend; the rest is what a busy machine may take. Without a limit it would wait for ever.
        expect(performance.now() - began).to.be.below(10_000);
        expect(heard.length).to.be.above(0);
      }
    });
  }

  it('answers a Fetch request once, for a framework that runs its middleware again to show its own 404', async () => {
    const client = ofProject();
    const path = `${CERTAIN}?asked=once`;
    const request = new Request(`https://site.example${path}`, { headers: { Accept: 'text/html' } });
    expect((await handleNotFound(request, { client }))?.status).to.equal(302);
    expect(await handleNotFound(request, { client })).to.equal(undefined);
    expect((await handleNotFound(new Request(request), { client }))?.status).to.equal(302);
  });

  for (const [name, [says, site]] of Object.entries(WITHOUT_OWN_404)) {
    it(`${name} says what it always says when pathmend is down and the site has no 404 page`, async () => {
      const client = createClient({ url: `http://127.0.0.1:${await freePort()}`, key: 'pm_live_key' });
      const answer = await (await start(site, client))('/nowhere');
      expect(answer.status).to.equal(404);
      expect(await answer.text()).to.include(says);
    });

    it(`${name} redirects where ours is its only handler of missing pages`, async () => {
      const answer = await (await start(site, ofProject()))(CERTAIN);
      expect([answer.status, answer.headers.get('location')]).to.deep.equal([302, '/guides/sourdough-bread']);
    });
  }

  it('finds a connection that was opened when the handler was made: once, without a search or the key', async () => {
    const received: string[] = [];
    const server = await startInPlace((request, response) => {
      received.push(`${request.method} ${request.url} ${request.headers.authorization ?? 'no key'}`);
      response.writeHead(200).end('{}');
    });
    running.push(server);
    const client = createClient({ url: server.url, key: 'pm_live_key', timeoutMs: 10_000 });
    expressNotFound(client);
    koaNotFound(client);
    await until('it is connected', () => received.length > 0);
    await client.suggest('/old').catch(() => undefined);
    expect(received).to.deep.equal(['GET /healthz no key', 'POST /v1/suggest Bearer pm_live_key']);
  });
});
