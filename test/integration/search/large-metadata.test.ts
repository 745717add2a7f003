import { expect } from 'chai';
import { Kysely, type KyselyPlugin } from 'kysely';
import { selectOutline } from '#src/pages/store/page-listing.js';
import type { Database } from '#src/platform/database/db.js';
import { sessionDialect } from '#src/platform/database/session/driver.js';
import type { SearchKind } from '#src/base/glossary.js';
import { search } from '#src/search/search.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';

const PAGES = 40;
/** Rows of one statement: candidates without large metadata, or a megabyte of metadata. */
const MAX_CHARACTERS = 1_500_000;

/** Each is stored in a few hundred bytes. */
const COMPRESSIBLE: Readonly<Record<string, object>> = {
  'one letter': { description: 'a'.repeat(60_000) },
  'one word in each of many fields': Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`key-${n}`, 'word'])),
  'numbers that print as three hundred digits': { numbers: Array.from({ length: 200 }, () => 1e300) },
};

describe('metadata that compresses', function () {
  this.timeout(120_000);

  for (const [what, metadata] of Object.entries(COMPRESSIBLE))
    describe(`to little: ${what}`, () => {
      let project: TestProject;

      before(async () => {
        project = await sharedService().newProject();
        const pages = Array.from({ length: PAGES }, (_, n) => ({
          url: `https://shop.example/pens/blue-${n}`,
          content: `A blue fountain pen, number ${n}.`,
          metadata: { ...metadata, n },
        }));
        for (let at = 0; at < PAGES; at += 20)
          expect((await project.post('/v1/pages/batch', { pages: pages.slice(at, at + 20) })).status).to.equal(200);
        await project.indexed();
      });

      const searches: [SearchKind, string][] = [
        ['semantic-search', 'A blue fountain pen'],
        ['suggest', '/pens/blue-pen'],
      ];
      for (const [kind, input] of searches)
        it(`is read by ${kind} for the pages shown alone, some at a time, and whole`, async () => {
          const { service } = sharedService();
          const read: number[] = [];
          const measure: KyselyPlugin = {
            transformQuery: ({ node }) => node,
            transformResult: ({ result }) => {
              read.push(JSON.stringify(result.rows).length);
              return Promise.resolve(result);
            },
          };
          const dialect = sessionDialect(service.database.connection.pool, {});
          const db = new Kysely<Database>({ dialect, plugins: [measure] });
          const { modelId } = await service.models.named('static');
          const caller = {
            projectId: project.row.project_id,
            db,
            keyId: '',
            isTest: false,
            modelId,
            indexVersion: 1,
          };
          const tenants = { ...service.deps.tenants, of: (projectId: string) => ({ projectId, db }) };
          const request = { kind, input, limit: PAGES, threshold: 0, filters: {}, excludeUrls: [], explain: false };
          const { answer } = await search({ ...service.deps, tenants }, caller, request, null);
          expect(answer.suggestions).to.have.lengthOf(PAGES);
          for (const { metadata: shown, href } of answer.suggestions)
            expect(shown).to.deep.equal({ ...metadata, n: Number(/\d+$/.exec(href)?.[0]) });
          expect(Math.max(...read)).to.be.below(MAX_CHARACTERS);
          expect(read[0], 'the candidates').to.be.below(PAGES * 4_000);
        });

      it('is no description of a page in an outline', async () => {
        const { service } = sharedService();
        const tenant = service.deps.tenants.of(project.row.project_id);
        const { pages } = await selectOutline(tenant, '', PAGES);
        expect(pages.map(({ description }) => description)).to.deep.equal(pages.map(() => null));
        expect(pages).to.have.lengthOf(PAGES);
      });
    });

  it('has its length stored with each change of it', async () => {
    const project = await sharedService().newProject();
    const bytes = async (): Promise<unknown> =>
      (
        await project.query<{ bytes: number | null }>(
          'select metadata_bytes as bytes from pathmend.pages where project_id = $1',
        )
      )[0]?.bytes;
    const page = { url: 'https://shop.example/a', content: 'A page.' };
    await project.upsert(page);
    expect(await bytes()).to.equal(null);
    await project.upsert({ ...page, metadata: { a: 'é' } });
    expect(await bytes()).to.equal(Buffer.byteLength('{"a": "é"}'));
    await project.upsert({ ...page, content: 'Another text.' });
    expect(await bytes()).to.equal(Buffer.byteLength('{"a": "é"}'));
    await project.upsert({ ...page, metadata: null });
    expect(await bytes()).to.equal(null);
  });
});
