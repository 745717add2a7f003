import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.js';
import { send, type Answer } from '../../support/service.js';
import { query } from '../../support/sql.js';

describe('/healthz and /readyz', () => {
  const get = (path: string, method = 'GET'): Promise<Answer> => send(sharedService().service.url, method, path);

  it('answer 200 without a key while everything works', async () => {
    const health = await get('/healthz');
    expect([health.status, health.body]).to.deep.equal([200, { status: 'ok' }]);
    const ready = await get('/readyz');
    expect([ready.status, ready.body]).to.deep.equal([
      200,
      { status: 'ok', checks: { schema: true, search: true, model: true } },
    ]);
  });

  it('take GET and HEAD only', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      expect((await get(path, 'HEAD')).status).to.equal(200);
      const answer = await get(path, 'POST');
      expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
    }
  });

  it("readyz is red, and healthz green, while the schema is an earlier release's", async () => {
    const { service } = sharedService();
    const [newest] = await query<{ number: number; name: string }>(
      service,
      'delete from pathmend.migrations where number = (select max(number) from pathmend.migrations) returning number, name',
    );
    try {
      const ready = await get('/readyz');
      expect([ready.status, ready.body]).to.deep.equal([
        503,
        {
          status: 'unavailable',
          checks: { schema: false, search: true, model: true },
          reasons: { schema: 'the schema is not of this release, or the database takes no writes' },
        },
      ]);
      expect((await get('/healthz')).status).to.equal(200);
    } finally {
      await query(service, 'insert into pathmend.migrations (number, name) values ($1, $2)', [
        newest?.number,
        newest?.name,
      ]);
    }
    expect((await get('/readyz')).status).to.equal(200);
  });

  it('readyz is red, and says why, while every search fails though the database answers', async () => {
    const { service } = sharedService();
    await query(service, 'revoke select on pathmend.chunks from pathmend_tenant');
    try {
      const ready = await get('/readyz');
      expect(ready.status).to.equal(503);
      expect(ready.body).to.deep.equal({
        status: 'unavailable',
        checks: { schema: true, search: false, model: true },
        reasons: { search: 'the database refuses it (SQLSTATE 42501); the log says more' },
      });
    } finally {
      await query(service, 'grant select on pathmend.chunks to pathmend_tenant');
    }
    expect((await get('/readyz')).status).to.equal(200);
  });

  it('readyz stays green when a later release has migrated: instances serve until they are replaced', async () => {
    const { service } = sharedService();
    await query(service, `insert into pathmend.migrations (number, name) values (9999, '9999_of_a_later_release.sql')`);
    try {
      expect((await get('/readyz')).status).to.equal(200);
    } finally {
      await query(service, 'delete from pathmend.migrations where number = 9999');
    }
  });
});
