import { expect } from 'chai';
import { citusUrl, createCitusDatabase, NEEDS_CITUS } from '../support/citus.js';
import { createLogins, type Logins } from '../support/logins.js';
import { cliJson, startServer, type ServerProcess } from '../support/processes.js';
import { send, type Answer } from '../support/service.js';
import { until } from '../support/until.js';

describe(`roles of the least privilege on Citus${citusUrl() === undefined ? ` (${NEEDS_CITUS})` : ''}`, function () {
  this.timeout(180_000);
  let logins: Logins;
  let processes: ServerProcess[] = [];

  before(async function () {
    if (citusUrl() === undefined) this.skip();
    logins = await createLogins(await createCitusDatabase());
    // As docs/operate/citus.md says: the coordinator goes to a worker as the role that a transaction has.
    await logins.admin.query('alter role pathmend_tenant login');
    const { rows } = await logins.admin.query<{ name: string }>('select current_database() as name');
    await logins.admin.query(`grant connect on database ${rows[0]?.name ?? ''} to pathmend_tenant`);
  });

  after(async () => {
    if (citusUrl() === undefined) return;
    await Promise.all(processes.map((serviceProcess) => serviceProcess.end('SIGTERM')));
    await logins.drop();
  });

  const as = (login: string): Record<string, string> => ({ DATABASE_URL: logins.urlOf(login) });

  it('the owner migrates and distributes; the api serves by its own login', async () => {
    const { cluster, warnings } = (await cliJson(['migrate', '--distribute', 'citus'], as(logins.owner))) as {
      cluster: object;
      warnings: string[];
    };
    expect(cluster).to.include({ distributed: true, workers: 2 });
    expect(warnings).to.deep.equal([]);
    await cliJson(['project', 'create', '--name', 'shop', '--plan', 'scale'], as(logins.owner));
    const { key } = (await cliJson(['key', 'create', '--project', 'shop', '--mode', 'live'], as(logins.owner))) as {
      key: string;
    };
    processes = await Promise.all([
      startServer(as(logins.api), ['--role', 'api']),
      startServer(as(logins.owner), ['--role', 'worker']),
    ]);
    const post = (path: string, body: unknown): Promise<Answer> =>
      send(processes[0]?.url ?? '', 'POST', path, body, { Authorization: `Bearer ${key}` });
    const page = { url: 'https://shop.example/guides/kettles', content: 'All about kettles, large and small.' };
    expect((await post('/v1/pages/upsert', page)).status).to.equal(202);
    await until('the page is found', async () => {
      const { status, body } = await post('/v1/suggest', { path: '/guide/kettle' });
      expect(status).to.equal(200);
      return body.suggestions[0]?.url === '/guides/kettles';
    });
    expect((await post('/v1/events', { raw_path: '/guide/kettle' })).status).to.equal(204);
  });
});
