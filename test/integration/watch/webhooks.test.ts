import { expect } from 'chai';
import { ForbiddenAddress } from '#src/sources/web/http-client.js';
import { createWebhookPost, writeWebhookSecret } from '#src/watch/post-webhook.js';
import { changeWatch, testWatch } from '#src/watch/change-watch.js';
import { deliverMessage } from '#src/watch/deliver-message-job.js';
import { rejection } from '../embedding/rejection.js';
import { retryNow } from '../../support/retry-now.js';
import { mustStaySecret } from '../../support/said-aloud.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { until } from '../../support/until.js';
import { CHANNELS, deliveries, OWN_NETWORK, watch, watchDeps } from '../../support/watch.js';
import {
  documentedCheck,
  startReceiver,
  type IsFromPathmend,
  type WebhookReceiver,
} from '../../support/webhook-receiver.js';

describe('webhooks of alerts', function () {
  this.timeout(120_000);
  let test: TestService;
  let project: TestProject;
  let isFromPathmend: IsFromPathmend;
  const receivers: WebhookReceiver[] = [];

  before(async () => {
    test = await startTestService(OWN_NETWORK);
    isFromPathmend = await documentedCheck();
  });
  after(async () => {
    await Promise.all(receivers.map((webhookReceiver) => webhookReceiver.stop()));
    await test.stop();
  });
  beforeEach(async () => {
    project = await test.newProject();
  });

  async function receiver(answer?: Parameters<typeof startReceiver>[0]): Promise<WebhookReceiver> {
    const started = await startReceiver(answer);
    receivers.push(started);
    return started;
  }

  /** Watches with a webhook there, and sends so many tests. */
  async function send({ url }: { url: string }, count = 1): Promise<string> {
    const secret = await watch(test.service, project, { addresses: { webhook: [url] } });
    mustStaySecret(secret);
    for (let i = 0; i < count; i++) await testWatch(watchDeps(test.service), project.row.project_id);
    return secret;
  }

  it('are signed so that the documented check believes them, and nothing that was changed', async () => {
    const there = await receiver();
    const secret = await send(there);
    const [delivery] = await deliveries(test.service, project, 'delivered', 1);
    const [{ headers, text, body }] = there.received as [WebhookReceiver['received'][0]];
    expect(body).to.deep.equal({
      type: 'test',
      timestamp: body.timestamp,
      data: { project: { id: project.row.project_id, name: project.row.name } },
    });
    expect(headers['webhook-id']).to.equal(delivery?.delivery_id);
    expect(headers['content-type']).to.equal('application/json');
    expect(isFromPathmend(secret, headers, text)).to.equal(true);
    expect(isFromPathmend(secret, headers, text.replace('test', 'rest')), 'another body').to.equal(false);
    expect(isFromPathmend(writeWebhookSecret(Buffer.alloc(32)), headers, text), 'another secret').to.equal(false);
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      expect(isFromPathmend(secret, { ...headers, [name]: `${String(headers[name])}1` }, text), name).to.equal(false);
      expect(isFromPathmend(secret, { ...headers, [name]: undefined }, text), `no ${name}`).to.equal(false);
    }
    const { 'webhook-timestamp': at } = headers;
    const { signWebhook } = await import('#src/watch/post-webhook.js');
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const old = signWebhook({ url: '', secret: key, id: 'a', body: text }, Number(at) - 400);
    expect(isFromPathmend(secret, old, text), 'an old one').to.equal(false);
  });

  it('come again with the same id until they are taken', async () => {
    const there = await receiver((response, received) => {
      response.writeHead(received.length < 3 ? 500 : 204).end();
    });
    await send(there);
    for (let attempt = 1; attempt < 3; attempt++) {
      await until(`attempt ${attempt} is recorded`, async () => {
        const [waiting] = await deliveries(test.service, project, 'waiting', 1);
        return waiting?.attempts === attempt && waiting.error === 'The answer was 500.';
      });
      await until('the retry is due', async () => {
        await retryNow(test.service, deliverMessage);
        return there.received.length > attempt;
      });
    }
    const [delivery] = await deliveries(test.service, project, 'delivered', 1);
    expect(delivery).to.include({ attempts: 3, error: null });
    expect(new Set(there.received.map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
  });

  it('fail for good after the last attempt, and say why but not what was answered', async () => {
    const there = await receiver((response) => response.writeHead(503).end('a secret of the machine inside'));
    await send(there);
    await project.query(
      `update pgboss.job set retry_limit = 1 where name = 'deliver-message' and data ->> 'projectId' = $1`,
    );
    await until('it failed', async () => {
      await retryNow(test.service, deliverMessage);
      const [row] = await project.query<{ state: string; attempts: number; error: string }>(
        'select state, attempts, error from pathmend.deliveries where project_id = $1',
      );
      return row?.state === 'failed';
    });
    const [delivery] = await deliveries(test.service, project, 'failed', 1);
    expect(delivery?.error).to.equal('The answer was 503.');
  });

  it('follow no redirect, wherever it leads', async () => {
    const inside = await receiver();
    const there = await receiver((response) => response.writeHead(307, { location: inside.url }).end());
    await send(there);
    const [waiting] = await deliveries(test.service, project, 'waiting', 1);
    await until('it was tried', () => there.received.length > 0);
    await until(
      'that is recorded',
      async () => (await deliveries(test.service, project, 'waiting', 1))[0]?.error !== null,
    );
    const [tried] = await deliveries(test.service, project, 'waiting', 1);
    expect([waiting?.channel, tried?.error]).to.deep.equal([
      'webhook',
      'The answer was 307; redirects are not followed.',
    ]);
    expect(inside.received).to.deep.equal([]);
  });

  it('read nothing of an answer that never ends', async () => {
    let written = 0;
    const there = await receiver((response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536;
      };
      response.on('drain', more);
      more();
    });
    await send(there);
    const [delivery] = await deliveries(test.service, project, 'delivered', 1);
    expect(delivery?.attempts).to.equal(1);
    expect(written, 'what the sockets took').to.be.below(20_000_000);
  });

  it("do not wait for another project's receiver that never answers", async () => {
    const silent = await receiver(() => undefined);
    await send(silent, 12);
    await until('the silent one was asked', () => silent.received.length > 0);
    project = await test.newProject();
    const there = await receiver();
    await send(there, 3);
    await deliveries(test.service, project, 'delivered', 3);
    expect(silent.received.length, 'of the silent one, in the time of one answer').to.be.below(3);
  });

  it('go to no address that the operator did not allow', async () => {
    const deps = watchDeps(test.service);
    const { project_id: id } = project.row;
    for (const [url, reason] of [
      ['http://127.0.0.1/x', 'not public'],
      ['https://10.1.2.3/', 'not public'],
      ['https://localhost/hook', 'not public'],
      ['https://[::1]/', 'not public'],
      ['https://[::ffff:169.254.169.254]/latest', 'not public'],
      ['https://2130706433/', 'not public'],
      ['https://169.254.169.254/latest/meta-data', 'not public'],
      ['https://198.18.0.1/', 'not public'],
      ['https://[64:ff9b::a00:1]/', 'not public'],
      ['http://192.0.43.8/', 'use https://'],
      ['ftp://example.com/', 'not a webhook url'],
      ['https://user:pass@example.com/', 'no user and password'],
      ['javascript:alert(1)', 'not a webhook url'],
      ['nonsense', 'not a webhook url'],
    ] as const) {
      const error = await rejection(
        changeWatch(deps, id, { addresses: { webhook: [url] } }, { ...CHANNELS, webhookNetworks: [] }),
        Error,
      );
      expect(error.message, url).to.include(reason);
      expect(error).to.include({ param: 'webhook_url', status: 400 });
    }
    const inside = await receiver();
    const { port } = new URL(inside.url);
    const webhook = { secret: Buffer.alloc(32), id: 'a', body: '{}' };
    // Names are asked about when they are connected to: one that was public a moment ago may lead inside now.
    for (const [addresses, url] of [
      [['127.0.0.1'], `https://evil.example:${port}/`],
      [['192.0.43.8', '127.0.0.1'], `https://evil.example:${port}/`],
      [['::ffff:127.0.0.1'], `https://evil.example:${port}/`],
      [['192.0.43.8'], `http://plain.example:${port}/`],
    ] as const) {
      const post = createWebhookPost([], () =>
        Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))),
      );
      await rejection(post({ ...webhook, url }), ForbiddenAddress);
    }
    await rejection(createWebhookPost([])({ ...webhook, url: inside.url }), ForbiddenAddress);
    await rejection(
      createWebhookPost(['10.0.0.0/8'])({ ...webhook, url: `http://localhost:${port}/` }),
      ForbiddenAddress,
    );
    expect(inside.received).to.deep.equal([]);
    await createWebhookPost(['10.0.0.0/8', '127.0.0.0/8'])({ ...webhook, url: inside.url });
    expect(inside.received.length).to.equal(1);
  });

  it('are taken away with the webhook: what waits then fails', async () => {
    const there = await receiver((response) => response.writeHead(500).end());
    await send(there);
    await until('it was tried', () => there.received.length === 1);
    await watch(test.service, project, { addresses: { webhook: [] } });
    await until('the retry came', async () => {
      await retryNow(test.service, deliverMessage);
      return (
        (await project.query(`select from pathmend.deliveries where project_id = $1 and state = 'failed'`)).length === 1
      );
    });
    expect((await deliveries(test.service, project, 'failed', 1))[0]?.error).to.equal('The webhook was taken away.');
    expect(there.received.length).to.equal(1);
  });
});
