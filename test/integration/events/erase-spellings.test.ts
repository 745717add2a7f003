import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { insertAuditEntry } from '#src/accounts/store/audit-log.js';
import { packageRoot } from '#src/base/package-root.js';
import { jsonInProcess, runInProcess } from '../../support/commands.js';
import { sharedService } from '../../support/shared-service.js';
import { query } from '../../support/sql.js';
import { storedNotFounds } from '../../support/stored-events.js';

function fixture(name: string): string[] {
  return readFileSync(`${packageRoot()}/test/integration/events/spelled-paths/${name}`, 'utf8').trim().split('\n');
}

describe('events forget, of a path in another spelling', function () {
  this.timeout(180_000);

  it('erases every event that was sent about it, and its sums', async () => {
    const { service, database } = sharedService();
    const project = await sharedService().newProject();
    const id = project.row.project_id;
    const events = fixture('events.jsonl').map((line) => JSON.parse(line) as { raw_path: string });
    for (const event of events) await project.post('/v1/events', event);
    await storedNotFounds(service, id, events.length);
    let erased = 0;
    for (const path of fixture('paths.txt')) {
      const answer = (await jsonInProcess(
        ['events', 'forget', '--project', id, '--path', path],
        database.environment,
      )) as { not_founds: number };
      expect(answer.not_founds, path).to.be.at.least(1);
      erased += answer.not_founds;
    }
    expect(erased).to.equal(events.length);
    expect(await query(service, 'select path from analytics.missing_paths where project_id = $1', [id])).to.deep.equal(
      [],
    );
  });

  it('takes a blank at the end, written or encoded, for no part of it', async () => {
    const { service, database } = sharedService();
    for (const path of ['/u/eva ', '/u/eva%20', '/u/eva']) {
      const project = await sharedService().newProject();
      const id = project.row.project_id;
      for (const raw_path of ['/u/eva%20', '/u/Eva/']) await project.post('/v1/events', { raw_path });
      await storedNotFounds(service, id, 2);
      const erased = await jsonInProcess(['events', 'forget', '--project', id, '--path', path], database.environment);
      expect(erased, path).to.include({ not_founds: 2 });
    }
  });

  it('takes it out of the audit log and of what syncs refused, and leaves other paths', async () => {
    const { service, database } = sharedService();
    const project = await sharedService().newProject();
    const { project_id: id, name } = project.row;
    for (const subject of [
      '/u/%66enchurch /kept',
      '/kept https://shop.example//U/Fenchurch?a=1 /u/fenchurch/letters',
      `${'/kept/another '.repeat(35)}/u/fench`,
      '“crawler” …abcd',
    ])
      await insertAuditEntry(service.db, {
        userId: null,
        who: 'ann@example.com',
        project: { project_id: id, name },
        action: 'rules changed',
        subject,
        method: 'password',
        address: '',
      });
    await query(
      service,
      `insert into pathmend.sync_runs (project_id, source, prune, dry_run, asked_by, began_at, refusals) values ($1, 'x', false, false, 'a', now(), $2)`,
      [
        id,
        JSON.stringify(['/u/fenchurch', '/kept'].map((path) => ({ where: `https://a.example${path}`, reason: 'r' }))),
      ],
    );
    const { code, stdout } = await runInProcess(
      ['events', 'forget', '--project', id, '--path', '/U/fen%63hurch'],
      database.environment,
    );
    expect(code).to.equal(0);
    expect(stdout).to.include('What backups hold');
    const subjects = await query<{ subject: string }>(
      service,
      'select subject from pathmend.audit_log where about_project = $1 order by entry_id',
      [id],
    );
    expect(subjects.map(({ subject }) => subject)).to.deep.equal([
      '(erased) /kept',
      '/kept (erased) /u/fenchurch/letters',
      `${'/kept/another '.repeat(35)}(erased)`,
      '“crawler” …abcd',
    ]);
    const [run] = await query(service, 'select refusals from pathmend.sync_runs where project_id = $1', [id]);
    expect(run).to.deep.equal({ refusals: [{ where: 'https://a.example/kept', reason: 'r' }] });
  });
});
