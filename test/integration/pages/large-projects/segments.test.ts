import { join } from 'node:path';
import { expect } from 'chai';
import { connect, inTransaction } from '#src/platform/database/session/connect.js';
import { deleteProjectRow } from '#src/projects/store/projects.js';
import { readExampleSite } from '#src/app/demo/example-site.js';
import { withBuildLock } from '#src/projects/turns.js';
import { updateOwnIndexes } from '#src/pages/large-projects/build-segments-job.js';
import { queueMaintenance } from '../../../support/maintenance.js';
import { packageRoot } from '#src/base/package-root.js';
import { rejection } from '../../embedding/rejection.js';
import { OWN_INDEX_PASSAGES, startLargeProjects } from '../../../support/large-projects.js';
import type { TestProject } from '../../../support/service.js';
import { connectTo, query } from '../../../support/sql.js';
import { until } from '../../../support/until.js';

describe("a large project's segments", () => {
  let project: TestProject;
  const large = startLargeProjects(async (started) => {
    project = await started.newProject();
  });

  it('keeps nothing of a page that went: its rows are deleted from its tables', async () => {
    const { pages } = await readExampleSite(join(packageRoot(), 'examples', 'shop'));
    const rowsOf = async (kind: string, where = 'true'): Promise<number> => {
      const [table = ''] = await large().tablesOf(project, kind);
      const [row] = await query<{ n: number }>(
        large().running.service,
        `select count(*)::int as n from pathmend_segments.${table} where ${where}`,
      );
      return row?.n ?? 0;
    };
    await until('nobody else builds, and all is put together', async () => {
      await large().update(project);
      return (await large().tablesOf(project, 'vectors')).length === 1;
    });
    const gone = pages.slice(0, 20);
    const [first] = await query<{ page_id: string }>(
      large().running.service,
      'select page_id from pathmend.pages where project_id = $1 and url = $2',
      [project.row.project_id, gone[0]?.url],
    );
    const ofFirst = `page_id = '${first?.page_id ?? ''}'`;
    const before = await rowsOf('paths');
    expect(await rowsOf('vectors', ofFirst)).to.be.at.least(2);
    expect(await rowsOf('paths', ofFirst), 'what arrived with its passages').to.equal(1);
    for (const { url } of gone) await project.call('DELETE', '/v1/pages/delete', { url });
    await until('they are swept', async () => {
      await large().update(project);
      return (await rowsOf('paths')) === before - gone.length;
    });
    for (const kind of ['vectors', 'terms', 'paths']) expect(await rowsOf(kind, ofFirst), kind).to.equal(0);
    const [kept] = await query<{ same: boolean }>(
      large().running.service,
      'select pages = $2 and chunks = $3 as same from pathmend.index_segments where project_id = $1',
      [project.row.project_id, await rowsOf('paths'), await rowsOf('vectors')],
    );
    expect(kept?.same).to.equal(true);
    await large().expectAnswersOfScan(project);
  });

  it('finds through its own indexes what a scan finds for words that are still typed', async () => {
    for (const typed of ['grin', 'how long does deli', 'moka p', 'wholes', 'the co', 'zzz', '咖啡']) {
      const results = await large().foundBothWays(project, { typed });
      expect(results.indexed, typed).to.deep.equal(results.scanned);
      if (typed === 'grin') expect(results.indexed).to.have.length.above(3);
    }
  });

  it('is answered by what took the place of a segment that is merged while a search reads it', async () => {
    const [name = ''] = await large().tablesOf(project, 'vectors');
    const [, , number = ''] = name.split('_');
    const merging = await connectTo(large().running.database);
    try {
      await merging.query('begin');
      await merging.query(`lock table pathmend_segments.${name} in access exclusive mode`);
      const pendingSearch = large().ask(project, { query: 'moka pot' });
      await until(
        'the search waits for the table',
        async () =>
          (
            await query(
              large().running.service,
              `select from pg_locks where relation = 'pathmend_segments.${name}'::regclass and not granted`,
            )
          ).length > 0,
      );
      for (const kind of ['vectors', 'terms', 'paths'])
        await merging.query(
          `alter table pathmend_segments.${name.replace('vectors', kind)} rename to ${name.replace('vectors', kind).replace(number, `${number}0`)}`,
        );
      await merging.query('update pathmend.index_segments set segment = $2 where project_id = $1 and segment = $3', [
        project.row.project_id,
        `${number}0`,
        number,
      ]);
      await merging.query('commit');
      const suggestions = await pendingSearch;
      expect(suggestions).to.deep.equal(await large().ask(project, { query: 'moka pot' }));
      expect(suggestions.length).to.be.at.least(5);
    } finally {
      await merging.end();
    }
  });

  it('is answered without its tables, such as after a restore that left them out, and gets them anew', async () => {
    for (const kind of ['vectors', 'terms', 'paths'])
      for (const table of await large().tablesOf(project, kind))
        await query(large().running.service, `drop table pathmend_segments.${table}`);
    await large().expectAnswersOfScan(project);
    await until('they are there again', async () => {
      await large().update(project);
      return (await large().indexNames(project)).length === 4;
    });
    await large().expectAnswersOfScan(project);
  });

  it('has one builder at a time', async () => {
    const { db } = large().running.service;
    const id = project.row.project_id;
    let second = 'not asked';
    await withBuildLock(db, id, async () => {
      second = 'went home';
      await withBuildLock(db, id, () => {
        second = 'built';
        return Promise.resolve();
      });
    });
    expect(second).to.equal('went home');
    await withBuildLock(db, id, () => {
      second = 'built';
      return Promise.resolve();
    });
    expect(second, 'once the first is done').to.equal('built');
  });

  it('is left alone at once by a worker that stops, and its indexes are built by the next', async () => {
    const { deps, database } = large().running.service;
    const fresh = await large().running.newProject();
    const writer = connect({ url: database.url, max: 1, applicationName: 'test', onIdleError: () => undefined });
    try {
      // Too few passages for the service's own workers to build at the same time.
      await large().pushShop(fresh, 0, 36);
      // Somebody who has his place in the order of arrival, and has not committed: a copy would lack his row for ever.
      await writer.pool.query('begin');
      await writer.pool.query(
        `update pathmend.indexed_pages set arrival = nextval('pathmend.arrivals') where project_id = $1`,
        [project.row.project_id],
      );
      const stopping = new AbortController();
      const keep = (signal?: AbortSignal): Promise<void> =>
        updateOwnIndexes(
          { ...deps, dbWithSession: database.direct.db, ownIndexChunks: OWN_INDEX_PASSAGES / 4 },
          fresh.row.project_id,
          { quietSeconds: 0, ...(signal ? { signal } : {}) },
        );
      // Again, should a job that looks whether anything is due be at it: one of two builders goes home.
      const keepAlways = async (): Promise<void> => {
        for (;;) await keep(stopping.signal);
      };
      const kept = rejection(keepAlways(), Error);
      const looks = async (): Promise<boolean> =>
        (
          await query(
            large().running.service,
            `select from pathmend.turns t join pg_stat_activity a on a.pid = t.pid
              where t.project_id = $1 and t.what = 'index_segments' and a.query like '%pg_locks%'`,
            [fresh.row.project_id],
          )
        ).length > 0;
      await until('the build waits for the writer', looks);
      expect(await large().indexNames(fresh)).to.deep.equal([]);
      stopping.abort();
      expect((await kept).name).to.equal('AbortError');
      await writer.pool.query('commit');
      await until('the next builder is done', async () => {
        await keep();
        return (await large().coverage(fresh)).segments === 1;
      });
      expect(await large().indexNames(fresh)).to.have.length(4);
    } finally {
      await writer.close();
    }
  });

  it('loses them when it is deleted', async () => {
    const {
      db,
      deps: { queue },
    } = large().running.service;
    // As the command does it: again, should a build that is under way win a deadlock over the first attempt.
    await inTransaction(db, (trx) => deleteProjectRow(trx, project.row.project_id));
    await queueMaintenance({ queue });
    await until('no index is left', async () => (await large().indexNames(project)).length === 0);
  });
});
