import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { distribute } from '#src/platform/database/citus.js';
import { migrate } from '#src/platform/database/schema/migrate.js';
import { sqlFolder } from '#src/platform/database/open-database.js';
import { citusUrl, createDistributedDatabase, NEEDS_CITUS } from '../support/citus.js';
import type { TestDatabase } from '../support/database.js';
import { startTestService, type TestProject, type TestService } from '../support/service.js';
import { connectTo, kept, query } from '../support/sql.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/**
 * A made-up migration that does what releases do to a schema: it adds a column, an index, a constraint and a comment,
 * and a table that has to be distributed.
 */
const LATER = `
-- Citus adds a constraint by a command of its own.
alter table pathmend.pages add column later integer not null default 7;
alter table pathmend.pages add constraint pages__later check (later > 0);
create index pages__later on pathmend.pages (project_id, later);
comment on column pathmend.pages.later is 'What a later release keeps; of a page.';
create table pathmend.later_notes (
  project_id uuid not null,
  page_id    text not null,
  note       text not null,
  constraint later_notes__pkey primary key (project_id, page_id)
);
comment on table pathmend.later_notes is 'Notes.';
`;

describe(`a later release on a distributed database${citusUrl() === undefined ? ` (${NEEDS_CITUS})` : ''}`, function () {
  this.timeout(180_000);
  let database: TestDatabase;
  let running: TestService;
  let project: TestProject;
  let client: pg.Client;
  /** The later release's `db`. */
  const folder = temporaryFolder();

  before(async function () {
    if (citusUrl() === undefined) this.skip();
    database = await createDistributedDatabase();
    running = await startTestService({}, { database: kept(database) });
    project = await running.newProject();
    await project.upsert({ url: 'https://site.example/guides/lamps', content: 'Lamps for the desk.' });
    await project.indexed();
    client = await connectTo(database);
    await cp(sqlFolder(), folder, { recursive: true });
    await writeFile(join(folder, 'migrations', '9000_later.sql'), LATER);
  });

  after(async () => {
    if (citusUrl() === undefined) return;
    await client.end();
    await running.stop();
    await database.drop();
  });

  it('changes the tables on all nodes, while searches are answered', async () => {
    const { applied } = await migrate(client, folder, { compare: false });
    expect(applied).to.deep.equal(['9000_later.sql']);
    const rows = await query<{ later: number }>(
      running.service,
      'select later from pathmend.pages where project_id = $1',
      [project.row.project_id],
    );
    expect(rows).to.deep.equal([{ later: 7 }]);
    const { body } = await project.post('/v1/suggest', { path: '/guide/lamp' });
    expect(body.suggestions[0]?.url).to.equal('/guides/lamps');
  });

  it('distributes a table that it adds to the list', async () => {
    const list = join(folder, 'citus', 'distribute.sql');
    const text = await readFile(list, 'utf8');
    await writeFile(list, text.replace("'rule_proposals'", "'rule_proposals', 'later_notes'"));
    const before = await distribute(client, sqlFolder());
    expect(before.distributed).to.equal(false);
    expect(await distribute(client, folder)).to.deep.equal({ ...before, distributed: true, tables: before.tables + 1 });
  });
});
