import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { admit } from '#src/projects/store/rate-buckets.js';
import { hashKey } from '#src/projects/api-key.js';
import { createBulkheads } from '#src/platform/limits/bulkheads.js';
import { createRateLeases, type RateLeases } from '#src/projects/rate-leases.js';
import { onServer } from '../../support/database.js';
import { startServer, type ServerProcess } from '../../support/processes.js';
import { send, type TestProject } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';
import { query } from '../../support/sql.js';
import { until } from '../../support/until.js';

const SEARCH = { query: 'anything' };

/** Tokens in the bucket, as they were stored last. */
async function stored(project: TestProject): Promise<number> {
  const rows = await project.query<{ tokens: number }>(
    'select tokens from pathmend.rate_buckets where project_id = $1',
  );
  return rows[0]?.tokens ?? NaN;
}

/** Seconds by the database's clock, the only one that counts. */
async function databaseTime(): Promise<number> {
  const rows = await query<{ at: number }>(
    sharedService().service,
    'select extract(epoch from clock_timestamp())::float8 as at',
  );
  return rows[0]?.at ?? NaN;
}

describe('leases', () => {
  const db = () => sharedService().service.db;
  let leases: RateLeases;

  beforeEach(() => {
    leases = createRateLeases(db(), createBulkheads(10).admissions);
  });
  afterEach(() => leases.stop());

  /** Asks one after the other until requests are admitted without a query. */
  async function warmUp(key: Buffer): Promise<number> {
    let admitted = 0;
    for (; admitted < 20; admitted++) expect((await leases.admit(key, 'read')).outcome).to.equal('ok');
    return admitted;
  }

  it('admit a busy key mostly without a query, and give back what nobody used', async () => {
    const project = await sharedService().newProject({ rates: { read_rate: 0.001, read_burst: 1_000 } });
    const key = hashKey(project.key);
    const admitted = await warmUp(key);
    // The leased tokens and the stored ones make up the whole burst: nothing refills meanwhile.
    await until(
      'the unused tokens are back',
      async () => Math.abs((await stored(project)) - (1_000 - admitted)) < 0.01,
      5_000,
    );
  });

  it('give back at the end, without waiting', async () => {
    const project = await sharedService().newProject({ rates: { read_rate: 0.001, read_burst: 1_000 } });
    const admitted = await warmUp(hashKey(project.key));
    await leases.stop();
    expect(await stored(project)).to.be.closeTo(1_000 - admitted, 0.01);
  });

  it('are joined: who asks at once shares the queries, and each gets an answer of its own', async () => {
    const project = await sharedService().newProject({ rates: { read_rate: 0.001, read_burst: 30 } });
    const key = hashKey(project.key);
    const answers = await Promise.all(Array.from({ length: 50 }, () => leases.admit(key, 'read')));
    expect(answers.filter(({ outcome }) => outcome === 'ok')).to.have.length(30);
    expect(answers.filter(({ outcome }) => outcome === 'limited')).to.have.length(20);
    const left = answers.filter(({ outcome }) => outcome === 'ok').map(({ tokens }) => Math.floor(tokens));
    expect(left).to.deep.equal(Array.from({ length: 30 }, (_, i) => 29 - i));
  });

  it('are over when the key is revoked or the index changes, within a lease; here at once', async () => {
    const project = await sharedService().newProject();
    const key = hashKey(project.key);
    await warmUp(key);
    const before = Number((await leases.admit(key, 'read')).index_version);
    await sql`insert into pathmend.index_versions (project_id, version) values (${project.row.project_id}, ${before + 1})`.execute(
      db(),
    );
    leases.end(project.row.project_id);
    expect(Number((await leases.admit(key, 'read')).index_version)).to.equal(before + 1);
    await warmUp(key);
    const revokedAt = performance.now();
    await sql`update pathmend.api_keys set revoked_at = now() where project_id = ${project.row.project_id}`.execute(
      db(),
    );
    await until('the key is refused', async () => (await leases.admit(key, 'read')).outcome === 'unknown', 1_000);
    expect(performance.now() - revokedAt).to.be.below(1_000);
    expect((await leases.admit(key, 'read')).outcome).to.equal('unknown');
  });

  it('say what the index is without a query nor a token, and read it anew when they are over', async () => {
    const project = await sharedService().newProject({ rates: { read_rate: 0.001, read_burst: 30 } });
    const { project_id: projectId } = project.row;
    const key = hashKey(project.key);
    const { tokens } = await leases.admit(key, 'read');
    await sql`insert into pathmend.index_versions (project_id, version) values (${projectId}, 7)`.execute(db());
    // No process was notified of the change: the lease goes on.
    expect(['1', '7']).to.include((await leases.admitAgain(key, 'read')).index_version);
    leases.end(projectId);
    const again = await leases.admitAgain(key, 'read');
    expect(again.index_version).to.equal('7');
    expect(again.tokens).to.be.closeTo(tokens, 0.1);
  });

  it('of other processes are over when a delete is acknowledged, however busy they are (on a server only)', async function () {
    if (!onServer()) this.skip();
    const project = await sharedService().newProject();
    const key = hashKey(project.key);
    const page = { url: 'https://shop.example/a', content: 'A page.' };
    // These leases hear of no change in this process, as those of another would not.
    for (let round = 0; round < 12; round++) {
      await project.upsert(page);
      await project.indexed();
      const state = { acknowledged: false };
      const deleting = project.call('DELETE', '/v1/pages/delete', { url: page.url }).then(() => {
        state.acknowledged = true;
      });
      while (!state.acknowledged) {
        await leases.admit(key, 'read');
        await new Promise(setImmediate);
      }
      const { index_version: leased } = await leases.admit(key, 'read');
      const rows = await project.query<{ version: string }>(
        'select version from pathmend.index_versions where project_id = $1',
      );
      expect(leased).to.equal(rows[0]?.version);
      await deleting;
    }
  });

  it("end with the key's expiry", async () => {
    const project = await sharedService().newProject();
    const expiresAt = new Date(Date.now() + 400);
    const key = hashKey(await project.newKey({ expiresAt }));
    for (let outcome = 'ok'; outcome === 'ok';) {
      const askedAt = Date.now();
      ({ outcome } = await leases.admit(key, 'read'));
      // The database's clock decides, and it is this machine's here.
      if (outcome === 'ok') expect(askedAt).to.be.at.most(expiresAt.getTime());
    }
  });
});

describe('the bucket, asked for tokens ahead', () => {
  const ask = (project: TestProject, wanted: Partial<Parameters<typeof admit>[3]>) =>
    admit(sharedService().service.db, hashKey(project.key), 'read', {
      waiting: 0,
      ahead: 0,
      returned: 0,
      returnedFrom: null,
      ...wanted,
    });

  it('gives a quarter of itself at most, and one at a time of a small one', async () => {
    const large = await sharedService().newProject({ rates: { read_rate: 0.001, read_burst: 100 } });
    expect((await ask(large, { waiting: 1, ahead: 1_000 })).granted).to.equal(24);
    const small = await sharedService().newProject({ plan: 'hacker' });
    for (let left = 4; left >= 0; left--) {
      const { granted, tokens } = await ask(small, { waiting: 1, ahead: 1_000 });
      expect([granted, Math.floor(tokens)]).to.deep.equal([1, left]);
    }
  });

  it('never holds more, together with what is out, than the burst', async () => {
    // The bucket refills by ten tokens while a lease is out: it gives these up.
    const project = await sharedService().newProject({ rates: { read_rate: 100, read_burst: 100 } });
    const { granted, tokens } = await ask(project, { waiting: 1, ahead: 10 });
    expect(granted + tokens).to.be.at.most(90);
    expect((await ask(project, { waiting: 1 })).tokens).to.be.at.most(100 - 1 - granted);
  });

  it('takes tokens back up to the burst, and none that were out for too long', async () => {
    const project = await sharedService().newProject({ rates: { read_rate: 0.001, read_burst: 100 } });
    const { granted, granted_at: at } = await ask(project, { waiting: 1, ahead: 9 });
    expect(granted).to.equal(10);
    expect(
      (await ask(project, { returned: 9, returnedFrom: new Date((at?.getTime() ?? 0) - 1_000) })).tokens,
    ).to.be.closeTo(90, 0.1);
    // However slow this machine is, the tokens come back in time: the time of their lease is still to come.
    const inTime = new Date(Date.now() + 600_000);
    await ask(project, { waiting: 1, ahead: 9 });
    expect((await ask(project, { returned: 9, returnedFrom: inTime })).tokens).to.be.closeTo(89, 0.1);
    await ask(project, { waiting: 1 });
    expect((await ask(project, { returned: 1_000, returnedFrom: inTime })).tokens).to.equal(100);
  });
});

describe('four processes', function () {
  this.timeout(180_000);
  let servers: ServerProcess[] = [];

  before(async function () {
    // On the embedded database there is one process: only a server can show what several do.
    if (!onServer()) {
      this.skip();
      return;
    }
    const { environment } = sharedService().database;
    servers = await Promise.all(Array.from({ length: 4 }, () => startServer(environment, ['--role', 'api'])));
  });

  after(async () => {
    const codes = await Promise.all(servers.map((server) => server.end('SIGTERM')));
    expect(codes.every((code) => code === 0)).to.equal(true);
  });

  const ask = (server: ServerProcess | undefined, project: TestProject) =>
    send(server?.url ?? '', 'POST', '/v1/semantic-search', SEARCH, { Authorization: `Bearer ${project.key}` });

  it('admit together never more than burst + rate × time, and hardly less', async () => {
    const rates = { read_rate: 20, read_burst: 60 };
    const project = await sharedService().newProject({ rates });
    const statuses: number[] = [];
    const from = await databaseTime();
    await Promise.all(
      Array.from({ length: 16 }, async (_, n) => {
        for (let i = 0; i < 60; i++) statuses.push((await ask(servers[n % 4], project)).status);
      }),
    );
    const seconds = (await databaseTime()) - from;
    const admitted = statuses.filter((status) => status === 200).length;
    expect(statuses.every((status) => status === 200 || status === 429)).to.equal(true);
    expect(admitted)
      .to.be.at.most(rates.read_burst + rates.read_rate * seconds)
      .and.below(statuses.length);
    // Few tokens are lost to leases that nobody uses, and to a nearly full bucket that gives them up.
    expect(admitted).to.be.at.least(0.5 * (rates.read_burst + rates.read_rate * seconds));
  });

  it('all refuse a revoked key within a second', async () => {
    const project = await sharedService().newProject();
    let revoked = false;
    // Busy, so that leases are in use when it happens.
    const busy = servers.map(async (server) => {
      while (!revoked) await ask(server, project);
      await until('the key is refused', async () => (await ask(server, project)).status === 401, 1_000);
      for (let i = 0; i < 5; i++) expect((await ask(server, project)).status).to.equal(401);
    });
    for (let i = 0; i < 20; i++) await ask(servers[i % 4], project);
    await project.query('update pathmend.api_keys set revoked_at = now() where project_id = $1');
    revoked = true;
    await Promise.all(busy);
  });

  it('never answer from before an acknowledged delete or change of title on another', async () => {
    const project = await sharedService().newProject();
    const page = {
      url: 'https://shop.example/pens/blue',
      content: 'A blue fountain pen with a steel nib.',
      title: 'Blue pen',
    };
    const authorized = { Authorization: `Bearer ${project.key}` };
    const titles = async (server: ServerProcess): Promise<string[]> => {
      const { body } = await send(
        server.url,
        'POST',
        '/v1/suggest',
        { path: '/fountain-pen', options: { searchThreshold: 0 } },
        authorized,
      );
      return (body as { suggestions: { title: string }[] }).suggestions.map(({ title }) => title);
    };
    for (let round = 0; round < 8; round++) {
      await project.upsert({ ...page, title: `Blue pen ${round}` });
      await project.indexed();
      let changed = false;
      const busy = servers.map(async (server) => {
        while (!changed) await titles(server);
      });
      // Every process has the answer in its cache and the version in a lease, and others ask for it all the time.
      for (const server of servers) await until('the page is found', async () => (await titles(server)).length === 1);
      const changing = servers[round % 4];
      if (round % 2 === 0)
        expect(
          (await send(changing?.url ?? '', 'DELETE', '/v1/pages/delete', { url: page.url }, authorized)).status,
        ).to.equal(200);
      else
        expect(
          (await send(changing?.url ?? '', 'POST', '/v1/pages/upsert', { ...page, title: 'Ink pen' }, authorized))
            .status,
        ).to.equal(202);
      const after = await Promise.all(servers.map(titles));
      changed = true;
      for (const shownTitles of after) expect(shownTitles).to.deep.equal(round % 2 === 0 ? [] : ['Ink pen']);
      await Promise.all(busy);
    }
  });
});
