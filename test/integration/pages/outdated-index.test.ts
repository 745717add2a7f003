import { expect } from 'chai';
import { sql } from 'kysely';
import { reindexOutdatedPages } from '#src/maintenance/house-keeping.js';
import { sharedService } from '../../support/shared-service.js';

describe('pages that an earlier release indexed', () => {
  it('get their terms from house-keeping, and stay findable meanwhile; others are left alone', async () => {
    const project = await sharedService().newProject();
    const { db, queue } = sharedService().service;
    const { project_id: projectId } = project.row;
    for (const name of ['old', 'new'])
      await project.upsert({ url: `https://shop.example/${name}`, content: `A page about quinces, the ${name} one.` });
    await project.indexed();
    const terms = async (): Promise<string[]> => {
      const { rows } = await sql<{ path: string }>`
        select x.path from pathmend.page_terms t join pathmend.indexed_pages x using (project_id, page_id)
         where t.project_id = ${projectId} order by 1`.execute(db);
      return rows.map((row) => row.path);
    };
    const indexedAt = async (): Promise<Record<string, Date>> => {
      const { rows } = await sql<{ path: string; indexed_at: Date }>`
        select path, indexed_at from pathmend.indexed_pages where project_id = ${projectId}`.execute(db);
      return Object.fromEntries(rows.map((row) => [row.path, row.indexed_at]));
    };
    await sql`delete from pathmend.page_terms t using pathmend.indexed_pages x
               where x.project_id = t.project_id and x.page_id = t.page_id and x.project_id = ${projectId} and x.path = '/old'`.execute(
      db,
    );
    expect(await terms()).to.deep.equal(['/new']);
    const before = await indexedAt();
    const { body } = await project.post('/v1/retrieve', { query: 'quinces', top_k: 5 });
    expect(body.documents).to.have.length(2);

    expect(await reindexOutdatedPages({ db, queue })).to.equal(1);
    await project.indexed();
    expect(await terms()).to.deep.equal(['/new', '/old']);
    const after = await indexedAt();
    expect(after['/new']).to.deep.equal(before['/new']);
    expect(after['/old']).to.not.deep.equal(before['/old']);
    expect(await reindexOutdatedPages({ db, queue })).to.equal(0);
  });
});
