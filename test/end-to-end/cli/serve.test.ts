import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createTestDatabase, onServer, type TestDatabase } from '../../support/database.js';
import { cliJson, runCli, startServer, type ServerProcess } from '../../support/processes.js';
import { send } from '../../support/service.js';
import { connectTo } from '../../support/sql.js';
import { until } from '../../support/until.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

/** A request whose head the server has read and whose body is still to come: in flight for as long as one likes. */
async function startUpsert(
  url: string,
  key: string,
): Promise<{ call: ClientRequest; answer: Promise<IncomingMessage> }> {
  const call = request(`${url}/v1/pages/upsert`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, Expect: '100-continue' },
  });
  const answer = new Promise<IncomingMessage>((done, failed) => {
    call.once('response', done).once('error', failed);
  });
  answer.catch(() => undefined);
  call.flushHeaders();
  await new Promise((done) => call.once('continue', done));
  return { call, answer };
}

describe('serve', function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let server: ServerProcess;
  let key: string;
  const folder = temporaryFolder();

  before(async () => {
    database = await createTestDatabase();
  });

  after(async () => {
    await server.end('SIGKILL');
    await database.drop();
  });

  const cli = (...args: string[]): Promise<unknown> => cliJson(args, database.environment);
  const post = (path: string, body: unknown) =>
    send(server.url, 'POST', path, body, { Authorization: `Bearer ${key}` });

  it('is preceded by migrate, which says what it applied and applies it once', async () => {
    const first = (await cli('migrate')) as { applied: string[] };
    expect(first.applied).to.not.be.empty;
    for (const name of first.applied) expect(name).to.match(/^\d{4}_[a-z_]+\.sql$/);
    expect(first.applied).to.deep.equal([...first.applied].sort());
    expect(await cli('migrate')).to.deep.include({ applied: [], repeated: [] });
  });

  it('says where it serves, and commands work beside it from the first page to its suggestion', async () => {
    server = await startServer({ ...database.environment, LOG_LEVEL: 'info' });
    expect(
      server
        .stdout()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).to.deep.equal([{ url: server.url, role: 'all' }]);
    expect((await send(server.url, 'GET', '/readyz')).status).to.equal(200);

    const project = (await cli('project', 'create', '--name', 'shop', '--plan', 'solo')) as { id: string };
    ({ key } = (await cli('key', 'create', '--project', 'shop', '--mode', 'live')) as { key: string });
    const file = join(folder, 'pages.jsonl');
    await writeFile(
      file,
      `${JSON.stringify({ url: 'https://shop.example/help/shipping-times', content: 'Parcels take three days.' })}\n`,
    );
    expect(await cli('pages', 'import', '--project', project.id, file, '--wait')).to.deep.include({ created: 1 });
    const { body } = await post('/v1/suggest', { path: '/shiping-times.html' });
    expect(body.suggestions[0].url).to.equal('/help/shipping-times');
  });

  it('finishes a request in flight when SIGTERM comes, takes no new ones, and exits with 0', async () => {
    const { call, answer } = await startUpsert(server.url, key);
    const ended = server.end('SIGTERM');
    await until('the server has heard the signal', () => server.stderr().includes('"stopping"'));
    await until('no connection is taken', () =>
      fetch(`${server.url}/healthz`).then(
        () => false,
        () => true,
      ),
    );
    call.end(JSON.stringify({ url: 'https://shop.example/last', content: 'Pushed while the server stopped.' }));
    const { statusCode } = await answer;
    expect(statusCode).to.equal(202);
    expect(await ended).to.equal(0);
  });

  it('logs JSON lines only, and never a key, an address or content', () => {
    const lines = server
      .stderr()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map((line) => line['message'])).to.include.members(['serving', 'request', 'stopping']);
    for (const secret of [key, key.slice(8, 40), 'Parcels take', 'Pushed while'])
      expect(server.stderr()).to.not.contain(secret);
  });

  it('keeps what it acknowledged when it is killed: page and event are there after the next start', async () => {
    server = await startServer(database.environment);
    expect(
      (await post('/v1/pages/upsert', { url: 'https://shop.example/kept', content: 'Acknowledged before the kill.' }))
        .status,
    ).to.equal(202);
    expect((await post('/v1/events', { raw_path: '/acknowledged' })).status).to.equal(204);
    expect(await server.end('SIGKILL')).to.equal(null);

    server = await startServer(database.environment);
    const client = await connectTo(database);
    try {
      for (const [what, statement] of [
        ['the event is stored', `select from pathmend.not_founds where raw_path = '/acknowledged'`],
        [
          'the page is indexed',
          `select from pathmend.pages where url = 'https://shop.example/kept' and status = 'INDEXED'`,
        ],
        [
          'what was pushed while it stopped is indexed',
          `select from pathmend.pages where url = 'https://shop.example/last' and status = 'INDEXED'`,
        ],
      ] as const) {
        await until(what, async () => (await client.query(statement)).rowCount === 1, 60_000);
      }
    } finally {
      await client.end();
    }
  });

  it('exits with 0 within ten seconds of SIGTERM although a client never finishes its request', async () => {
    const { call, answer } = await startUpsert(server.url, key);
    const startedAt = performance.now();
    expect(await server.end('SIGTERM')).to.equal(0);
    expect(performance.now() - startedAt).to.be.below(10_000);
    call.destroy();
    await answer.catch(() => undefined);
  });

  it('stops on SIGINT too, and leaves the data folder to the next', async () => {
    server = await startServer(database.environment);
    expect(await server.end('SIGINT')).to.equal(0);
    const [project] = (await cli('project', 'list')) as { name: string }[];
    expect(project?.name).to.equal('shop');
  });

  it('is what pages import --wait needs: alone with the embedded database it says so (embedded database only)', async function () {
    if (onServer()) this.skip();
    const { code, stderr } = await runCli(
      ['pages', 'import', '--project', 'shop', join(folder, 'pages.jsonl'), '--wait'],
      database.environment,
    );
    expect(code).to.equal(1);
    expect(stderr)
      .to.contain('running server')
      .and.to.not.match(/^\s+at /m);
  });
});
