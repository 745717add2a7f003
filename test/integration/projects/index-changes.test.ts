import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { admit, leasedElsewhere } from '#src/projects/store/rate-buckets.js';
import { hashKey } from '#src/projects/api-key.js';
import { onServer } from '../../support/database.js';
import type { TestProject } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';

describe('who changes an index waits', () => {
  const [mine, another, third] = [randomUUID(), randomUUID(), randomUUID()];
  const grant = (project: TestProject, process: string, on = sharedService().service.db) =>
    admit(on, hashKey(project.key), 'read', { waiting: 1, ahead: 0, returned: 0, returnedFrom: null }, process);
  const wait = (project: TestProject) => leasedElsewhere(sharedService().service.db, project.row.project_id, mine);

  it('for nobody, where no other process was admitted lately', async () => {
    const project = await sharedService().newProject();
    expect(await wait(project), 'never asked').to.equal(0);
    await grant(project, mine);
    await grant(project, mine);
    expect(await wait(project), 'alone').to.equal(0);
    await grant(project, another);
    await pause(35);
    expect(await wait(project), 'another was').to.equal(0);
    await grant(project, mine);
    expect(await wait(project), 'and is not any more').to.equal(0);
  });

  it('for the leases of all others, and no longer', async () => {
    const project = await sharedService().newProject();
    for (const order of [[another], [another, mine], [mine, another], [another, third, mine], [third, mine, mine]]) {
      const from = performance.now();
      for (const process of order) await grant(project, process);
      const ms = await wait(project);
      // A slow machine may have let all of it pass.
      if (performance.now() - from < 30) expect(ms, order.length.toString()).to.be.above(0);
      expect(ms).to.be.at.most(30);
    }
  });

  it('for a grant under way, too, which may have read the index before the change', async function () {
    // The embedded database has one session.
    if (!onServer()) this.skip();
    for (const hasGrant of [false, true]) {
      const project = await sharedService().newProject();
      if (hasGrant) await grant(project, mine);
      const order: string[] = [];
      let waiting: Promise<number> | undefined;
      await sharedService()
        .service.db.transaction()
        .execute(async (trx) => {
          await grant(project, another, trx);
          waiting = wait(project).finally(() => order.push('told'));
          await pause(100);
          order.push('granted');
        });
      await waiting;
      expect(order).to.deep.equal(['granted', 'told']);
    }
  });
});
