import { expect } from 'chai';
import { hashKey } from '#src/projects/api-key.js';
import { sharedService } from '../../support/shared-service.js';
import { query, tablesHolding } from '../../support/sql.js';
import { loggedSearches, storedNotFounds } from '../../support/stored-events.js';

describe('what is stored of a key', () => {
  it('is its SHA-256 and its last four characters; the key itself is in no column of any table', async () => {
    const test = sharedService();
    const { service } = test;
    const project = await test.newProject();
    // The key is used for everything, so that nothing a request leaves behind holds it.
    await project.upsert({ url: 'https://shop.example/a', content: 'A page about keys.' });
    await project.indexed();
    await project.post('/v1/suggest', { path: '/a' });
    await project.post('/v1/events', { raw_path: '/a' });
    await loggedSearches(service, project.row.project_id, 1);
    await storedNotFounds(service, project.row.project_id, 1);

    const hash = hashKey(project.key).toString('hex');
    expect(await tablesHolding(service, 'A page about keys.'), 'the search finds what is there').to.include(
      'pathmend.pages',
    );
    const [stored] = await query<{ hash: string; ending: string }>(
      service,
      `select encode(key_hash, 'hex') as hash, ending from pathmend.api_keys where project_id = $1`,
      [project.row.project_id],
    );
    expect(stored).to.deep.equal({ hash, ending: project.key.slice(-4) });

    const random = project.key.slice('pm_live_'.length, -4);
    for (const part of [
      project.key,
      random,
      random.slice(0, 16),
      random.slice(16),
      Buffer.from(project.key).toString('base64').slice(0, 50),
    ]) {
      expect(await tablesHolding(service, part), part).to.deep.equal([]);
    }
  });
});
