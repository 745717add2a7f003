import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type pg from 'pg';
import { packageRoot } from '#src/base/package-root.js';
import type { TestProject } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';
import { query } from '../../support/sql.js';

const TEXT = 'Descale the kettle once a month with citric acid, then boil clear water twice.';
const SITE = 'https://shop.example';
const PAGES = [
  { url: `${SITE}/en/help/descale`, title: 'Descaling', content: TEXT, metadata: { kind: 'guide' } },
  { url: `${SITE}/en/help/descaling?print=1`, content: `${TEXT} Rinse it.`, metadata: { lang: 'de-CH' } },
  { url: `${SITE}/about`, title: 'About us', content: 'We have sold grinders and scales in this town since 1974.' },
];

describe('pages and vectors for analysts', function () {
  this.timeout(60_000);
  let project: TestProject;
  let other: TestProject;
  const login = `analyst_${randomUUID().slice(0, 8)}`;

  before(async () => {
    [project, other] = [await sharedService().newProject(), await sharedService().newProject()];
    for (const of of [project, other]) {
      for (const page of PAGES) await of.upsert(page);
      await of.indexed();
    }
    await query(sharedService().service, `create role ${login} login`);
    await query(sharedService().service, `grant pathmend_project_analyst to ${login}`);
    await project.query('insert into pathmend.analyst_projects (project_id, login) values ($1, $2)', login);
  });

  after(() => query(sharedService().service, `drop role ${login}`));

  /** The analyst asks in a transaction that is undone. */
  async function ask<Row extends pg.QueryResultRow>(text: string, ...values: unknown[]): Promise<Row[]> {
    const client = await sharedService().service.database.connection.pool.connect();
    try {
      await client.query('begin');
      await client.query(`set local role ${login}`);
      return (await client.query<Row>(text, values)).rows;
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  it('pages has each page with its path, section, language, words and model', async () => {
    const rows = await ask(
      'select url, path, section, title, language, status, words, metadata, model is not null as has_model, indexed_at is not null as is_indexed from analytics.pages order by url desc',
    );
    const indexed = { status: 'INDEXED', has_model: true, is_indexed: true };
    expect(rows).to.deep.equal([
      {
        ...{ url: PAGES[1]?.url, path: '/en/help/descaling?print=1', section: 'help', title: null, language: 'de' },
        ...{ words: 16, metadata: { lang: 'de-CH' }, ...indexed },
      },
      {
        ...{ url: PAGES[0]?.url, path: '/en/help/descale', section: 'help', title: 'Descaling', language: 'en' },
        ...{ words: 14, metadata: { kind: 'guide' }, ...indexed },
      },
      {
        ...{ url: PAGES[2]?.url, path: '/about', section: null, title: 'About us', language: null },
        ...{ words: 11, metadata: null, ...indexed },
      },
    ]);
  });

  it('page_vectors has a vector of length 1 for each page, by the model that pages names', async () => {
    const rows = await ask<{ url: string; norm: number; model: string; named: string }>(
      'select v.url, vector_norm(v.vector) as norm, v.model, p.model as named from analytics.page_vectors v join analytics.pages p using (project_id, url)',
    );
    expect(rows.map(({ url }) => url)).to.have.members(PAGES.map(({ url }) => url));
    for (const { norm, model, named } of rows) {
      expect(norm).to.be.closeTo(1, 1e-6);
      expect(model).to.equal(named);
    }
  });

  it('similar_pages names the twin first, by name or id of the project', async () => {
    for (const named of [project.row.name, project.row.project_id]) {
      const rows = await ask<{ url: string; similarity: number }>(
        'select * from analytics.similar_pages($1, $2, 2)',
        named,
        PAGES[1]?.url,
      );
      expect(rows.map(({ url }) => url)).to.deep.equal([PAGES[0]?.url, PAGES[2]?.url]);
      expect(rows[0]).to.include({ title: 'Descaling' });
      expect(rows[0]?.similarity).to.be.within(0.9, 1);
      expect(rows[1]?.similarity).to.be.below(0.9);
    }
  });

  it('near_duplicates names the pair of twins once, and nothing that is less alike', async () => {
    const rows = await ask('select url, other_url from analytics.near_duplicates($1, 0.9)', project.row.name);
    expect(rows).to.deep.equal([{ url: PAGES[0]?.url, other_url: PAGES[1]?.url }]);
  });

  it('a function finds nothing in a project that its caller does not see, or that does not exist', async () => {
    for (const named of [other.row.name, other.row.project_id, 'no such project']) {
      expect(await ask('select * from analytics.similar_pages($1, $2, 5)', named, PAGES[0]?.url)).to.be.empty;
      expect(await ask('select * from analytics.near_duplicates($1, -1)', named)).to.be.empty;
    }
  });

  it('every statement of analytics.md runs as an analyst', async () => {
    const document = await readFile(join(packageRoot(), 'docs', 'reference', 'analytics.md'), 'utf8');
    const statements = [...document.matchAll(/```sql\n([^`]+)```/g)].map(([, text = '']) => text);
    expect(statements).to.have.length.above(25);
    const client = await sharedService().service.database.connection.pool.connect();
    try {
      await client.query(`begin; create schema ann authorization ${login}; set local role ${login}`);
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  it('a function refuses a project of more pages than it compares', async () => {
    const large = await sharedService().newProject();
    await large.query(
      `insert into pathmend.pages (project_id, page_id, url, url_hash, path_key, content, content_hash, status)
       select $1, left(md5($1::uuid::text || i), 24), '${SITE}/' || i, sha256(i::text::bytea), sha256(i::text::bytea), 'x', ''::bytea, 'ERROR'
         from generate_series(1, 5001) as i`,
    );
    const refusal = await large
      .query(`select * from analytics.near_duplicates(($1::uuid)::text)`)
      .then(() => 'none', String);
    expect(refusal).to.contain('near_duplicates compares up to 5000 pages, and this project has more');
    await large.query('delete from pathmend.pages where project_id = $1');
  });
});
