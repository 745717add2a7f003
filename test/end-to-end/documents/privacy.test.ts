import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { runningEmbedded } from '#src/platform/database/embedded/start-embedded.js';
import { packageRoot } from '#src/base/package-root.js';
import { clientPrograms } from '../../support/administrator.js';
import { shellBlocks, typeBlock } from '../../support/document.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { query, tablesHolding } from '../../support/sql.js';
import { storedNotFounds } from '../../support/stored-events.js';

const DOCUMENT = 'docs/operate/privacy.md';

describe('docs/operate/privacy.md', function () {
  this.timeout(120_000);
  let test: TestService;
  let project: TestProject;
  let programs: string | undefined;

  before(async () => {
    test = await startTestService();
    project = await test.newProject();
    programs = await clientPrograms();
    const { service } = test;
    await query(service, `update pathmend.projects set name = 'mysite' where project_id = $1`, [
      project.row.project_id,
    ]);
    await query(service, `insert into pathmend.users (email) values ('ann@example.com')`);
    await project.upsert({ url: 'https://www.example.com/users/jane-doe', content: 'All about Jane.' });
    await project.indexed();
    await project.call('DELETE', '/v1/pages/delete', { url: 'https://www.example.com/users/jane-doe' });
    for (const [raw_path, user_ip] of [
      ['/users/jane-doe', '198.51.100.1'],
      ['/users/zoe', '203.0.113.9'],
    ])
      await project.post('/v1/events', { raw_path, user_ip });
    await storedNotFounds(service, project.row.project_id, 2);
  });

  after(() => test.stop());

  /** Types the blocks below a heading, those of psql only where there is a psql. */
  async function type(heading: string): Promise<string> {
    const { environment } = test.database;
    const url = environment['DATABASE_URL'] ?? (await runningEmbedded(environment['DATA_DIR'] ?? '')) ?? '';
    let output = '';
    for (const block of await shellBlocks(DOCUMENT, heading)) {
      const isPsql = block.startsWith('psql');
      if (isPsql && programs === undefined) continue;
      const env = {
        ...environment,
        PATH: `${programs ?? '.'}:${process.env['PATH'] ?? ''}`,
        HOME: process.env['HOME'] ?? '',
        ...(isPsql ? { DATABASE_URL: url } : {}),
      };
      const { code, stdout, stderr } = await typeBlock(block, { cwd: packageRoot(), env });
      expect(code, `${block}\n${stderr}`).to.equal(0);
      output += stdout;
    }
    return output;
  }

  it('names every table of the schema, so that whoever adds one says what it keeps', async () => {
    const document = await readFile(join(packageRoot(), DOCUMENT), 'utf8');
    const tables = await query<{ name: string }>(
      test.service,
      `select c.relname as name from pg_class c
        where c.relnamespace = 'pathmend'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
    );
    expect(tables.map(({ name }) => name).filter((name) => !document.includes(`\`${name}\``))).to.deep.equal([]);
    const named = [...document.matchAll(/`([A-Z]+(?:_[A-Z]+)+)[`=]/g)].map(([, name = '']) => name);
    expect(named).to.include.members(['EVENT_IP_MODE', 'EVENT_RETENTION_DAYS', 'TOMBSTONE_DAYS']);
  });

  it('shows the settings that are in force', async () => {
    expect(await type('Settings'))
      .to.include('EVENT_IP_MODE')
      .and.include('EVENT_RETENTION_DAYS');
  });

  it('erases an address', async () => {
    expect(await tablesHolding(test.service, '203.0.113')).not.to.be.empty;
    expect(await type('Erase an address')).to.include('1 404s');
    expect(await tablesHolding(test.service, '203.0.113')).to.deep.equal([]);
  });

  it('erases a path, and the page that was there', async () => {
    const output = await type('Erase a path');
    expect(output).to.include('1 404s').and.include('1 deleted pages that are remembered');
    if (programs !== undefined) expect(output).to.include('(0 rows)');
    expect(await tablesHolding(test.service, 'jane-doe')).to.deep.equal([]);
  });

  it('erases a user and a project, and what the database keeps of deleted rows', async () => {
    await type('Erase a project or a console user');
    const left = await tablesHolding(test.service, project.row.project_id);
    // The audit log alone says that they were there.
    expect(left.filter((name) => !name.startsWith('pgboss.'))).to.deep.equal(['pathmend.audit_log']);
    expect(await tablesHolding(test.service, 'ann@example.com')).to.deep.equal(['pathmend.audit_log']);
    await type('What remains');
  });
});
