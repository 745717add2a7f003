import { expect } from 'chai';
import { sql } from '#src/platform/database/sql.js';
import { addClickedRedirects } from '#src/rules/store/clicked-redirects.js';
import type { Filters } from '#src/base/glossary.js';
import { pathKey } from '#src/text/paths/plain-path.js';
import { parsePageUrl } from '#src/text/page-url.js';
import { upsertPages } from '#src/pages/upsert-pages.js';
import type { PushedPage } from '#src/pages/check-page.js';
import { search } from '#src/search/search.js';
import { random } from '../../scripts/seeded.js';
import { startTestService, type TestProject, type TestService } from '../support/service.js';

const HOSTS = 1_000;
const LONG_PATHS = 600;

const next = random(11);
const word = (length: number): string =>
  Array.from({ length }, () => String.fromCharCode(97 + Math.floor(next() * 26))).join('');
/** A path of 2,000 characters, all words. */
const longPath = (): string => `/${Array.from({ length: 128 }, () => word(14)).join('-')}`;
/** One path in a hundred spellings, which differ in upper and lower case. */
const spellings = Array.from(
  { length: 100 },
  (_, n) => `/docs/${Array.from('samepage', (c, bit) => ((n >> bit) & 1 ? c.toUpperCase() : c)).join('')}`,
);

const page = (url: string, metadata: PushedPage['metadata']): PushedPage => {
  const parsed = parsePageUrl(url);
  if (!parsed) throw new Error(`not a url: ${url}`);
  return { url: parsed, content: 'A page about tea.', metadata };
};

describe('a project that is made to be slow', function () {
  this.timeout(300_000);
  let test: TestService;
  let project: TestProject;

  before(async () => {
    test = await startTestService();
    project = await test.newProject();
    const { deps, db } = test.service;
    const projectId = project.row.project_id;
    const pages = [
      ...Array.from({ length: HOSTS }, (_, n) => page(`https://h${n}.example/docs/samepage`, { kind: 'short' })),
      ...Array.from({ length: LONG_PATHS }, () => page(`https://long.example${longPath()}`, { kind: 'long' })),
    ];
    for (let from = 0; from < pages.length; from += 200)
      await upsertPages(deps, deps.tenants.of(projectId), pages.slice(from, from + 200));
    await project.indexed();
    const { rows } = await sql<{
      page_id: string;
    }>`select page_id from pathmend.pages where project_id = ${projectId} and url like '%samepage'`.execute(db);
    const clicks = rows.map(({ page_id: pageId }) => ({
      key: pathKey('/old/clicked'),
      oldPath: '/old/clicked',
      pageId,
      lastSeenAt: '2026-01-01',
    }));
    await db.transaction().execute((trx) => addClickedRedirects(trx, projectId, clicks));
    await sql`insert into pathmend.section_redirects (project_id, old_prefix, new_prefix, support, contradictions, confidence)
              values (${projectId}, '/section', '/docs', 5, 0, 0.9)`.execute(db);
    // The server's own analyze may fall between two counts, and change plans.
    await sql`vacuum analyze`.execute(db);
  });

  after(() => test.stop());

  /** Returns how many rows a search reads and how many index look-ups it makes, over all tables. */
  async function workOf(
    path: string,
    { filters = {}, excludeUrls = [] }: { filters?: Filters; excludeUrls?: string[] } = {},
  ): Promise<number> {
    const { deps, db, models } = test.service;
    return db.transaction().execute(async (trx) => {
      const counted = async (): Promise<number> => {
        const { rows } = await sql<{ work: number }>`
          select sum(seq_tup_read + coalesce(idx_tup_fetch, 0) + coalesce(idx_scan, 0))::int as work
            from pg_stat_xact_user_tables where schemaname = 'pathmend'`.execute(trx);
        return rows[0]?.work ?? NaN;
      };
      const caller = {
        projectId: project.row.project_id,
        db: trx,
        keyId: '',
        isTest: false,
        modelId: (await models.named('static')).modelId,
        indexVersion: 1,
      };
      // All in one transaction, whose statistics are counted.
      const tenants = { ...deps.tenants, of: (projectId: string) => ({ projectId, db: trx }) };
      const before = await counted();
      await search(
        { ...deps, tenants },
        caller,
        { kind: 'suggest', input: path, limit: 100, threshold: 0, filters, excludeUrls, explain: false },
        null,
      );
      return (await counted()) - before;
    });
  }

  /**
   * The work of reading each page of the project some times: its passages, terms and paths, what is looked up for it,
   * and whether it is excluded.
   */
  const SCANNED = 12 * (HOSTS + LONG_PATHS);
  /** The look-ups of words and of their forms, for as many candidates with long paths as are weighed. */
  const WORDS = 150 * 4 * 128;

  it('looks up the pages of an excluded path once, in however many spellings it is excluded', async () => {
    expect(await workOf('/docs/sameapge', { excludeUrls: spellings }))
      .to.be.above(HOSTS)
      .and.at.most(SCANNED + 2 * HOSTS + WORDS);
  });

  it('weighs few pages with long paths, and looks up few of their words', async () => {
    expect(await workOf(longPath(), { filters: { kind: 'long' } }))
      .to.be.above(LONG_PATHS)
      .and.at.most(SCANNED + WORDS);
  });

  it('weighs a hundred of the pages that were clicked for one path, and twenty of those that a section moved to', async () => {
    const usual = await workOf('/old/unclicked');
    expect(await workOf('/old/clicked')).to.be.at.most(usual + 1_000);
    expect(await workOf('/section/samepage')).to.be.at.most(usual + 1_000);
  });

  it('is answered with 200 all the while', async () => {
    const requests = [
      { path: '/docs/sameapge', options: { searchThreshold: 0, excludeUrls: spellings } },
      { path: longPath(), limit: 100, options: { searchThreshold: 0, filters: { kind: 'long' } } },
      { path: '/old/clicked', options: { searchThreshold: 0 } },
      { path: '/section/samepage', options: { searchThreshold: 0 } },
    ];
    const answers = await Promise.all(requests.map((body) => project.post('/v1/suggest', body)));
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
    const [excluded, , , moved] = answers.map(
      ({ body }) => (body as { suggestions: { url: string; score: number }[] }).suggestions,
    );
    expect(excluded?.map(({ url }) => url)).not.to.include('/docs/samepage');
    expect(moved?.[0]).to.include({ url: '/docs/samepage' }).and.to.have.property('score').above(0.8);
  });
});
