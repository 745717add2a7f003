import { expect } from 'chai';
import { citusUrl, createCitusDatabase, createDatabaseWithoutCitus, NEEDS_CITUS } from '../support/citus.js';
import { jsonInProcess, runInProcess } from '../support/commands.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { send, startTestService, type TestProject, type TestService } from '../support/service.js';
import { query } from '../support/sql.js';

const DISTRIBUTE = ['migrate', '--distribute', 'citus'];

describe('migrate --distribute citus, where there is no cluster', () => {
  it('refuses the embedded database', async function () {
    this.timeout(60_000);
    const environment = { DATA_DIR: (await createTestDatabase()).environment['DATA_DIR'] ?? '' };
    if (environment.DATA_DIR === '') this.skip();
    const { code, stderr } = await runInProcess(DISTRIBUTE, environment);
    expect(code).to.equal(1);
    expect(stderr).to.contain('The embedded database is one machine');
  });
});

describe(`migrate --distribute citus${citusUrl() === undefined ? ` (${NEEDS_CITUS})` : ''}`, function () {
  this.timeout(120_000);
  const databases: TestDatabase[] = [];

  before(function () {
    if (citusUrl() === undefined) this.skip();
  });

  after(async () => {
    for (const database of databases) await database.drop();
  });

  describe('of a database that has pages', () => {
    let running: TestService | undefined;
    let database: TestDatabase;
    const projects: TestProject[] = [];

    before(async () => {
      database = await createCitusDatabase();
      databases.push(database);
      const service = await startTestService({}, { database });
      for (const name of ['tea', 'cheese']) {
        const project = await service.newProject();
        projects.push(project);
        await project.upsert({
          url: `https://${name}.example/guides/${name}-storage`,
          content: `Storing ${name}: keep your ${name} cool, dark and dry, and it stays fresh for months.`,
        });
        await project.indexed();
      }
      await service.service.stop();
    });

    after(() => running?.service.stop());

    it('moves their rows to the workers, and says so', async () => {
      const { cluster } = (await jsonInProcess(DISTRIBUTE, database.environment)) as { cluster: object };
      expect(cluster).to.include({ distributed: true, workers: 2 });
      running = await startTestService({}, { database });
      const [left] = await query<{ rows: string }>(
        running.service,
        'select pg_relation_size($1::regclass)::text as rows',
        ['pathmend.pages'],
      );
      expect(left?.rows).to.equal('0');
      for (const [place, name] of ['tea', 'cheese'].entries()) {
        const { body } = await send(
          running.service.url,
          'POST',
          '/v1/suggest',
          { path: `/guide/${name}-storag` },
          { Authorization: `Bearer ${projects[place]?.key ?? ''}` },
        );
        expect(body.suggestions[0]?.url).to.equal(`/guides/${name}-storage`);
      }
    });

    it('does nothing a second time, and says so', async () => {
      const { code, stdout } = await runInProcess(DISTRIBUTE, database.environment);
      expect(code).to.equal(0);
      expect(stdout).to.contain('It is distributed already').and.to.contain('Nothing was changed');
    });

    it('leaves a schema that migrate finds whole', async () => {
      const report = (await jsonInProcess(['migrate'], database.environment)) as object;
      expect(report).to.deep.equal({ applied: [], repeated: [], warnings: [] });
    });
  });

  // It comes last: it makes the roles on the coordinator alone, where Citus would not hand them on.
  describe('of a database without the extension', () => {
    it('says that a database has no extension, and how a cluster is made', async () => {
      const database = await createDatabaseWithoutCitus();
      databases.push(database);
      const { code, stderr } = await runInProcess(DISTRIBUTE, database.environment);
      expect(code).to.equal(1);
      expect(stderr).to.contain('no extension citus').and.to.contain('docs/operate/citus.md');
    });
  });
});
