import { expect } from 'chai';
import { PAGES } from '#src/console/server.js';
import { inTransaction } from '#src/platform/database/session/connect.js';
import { addSyncRun, endSyncRun } from '#src/sync/store/run-turns.js';
import { startTestConsole, type TestConsole } from '../../support/console.js';
import { miss } from '../../support/missed.js';
import { pushPages } from '../../support/learned-redirects.js';
import type { TestProject } from '../../support/service.js';
import { query } from '../../support/sql.js';

/** Tables whose last columns are seen after scrolling alone. */
const CUT_OFF = `[...document.querySelectorAll('.scroll')]
  .filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.getAttribute('aria-label'))`;
/** Cells on a wide screen that are numbers, and do not stand one below the other. */
const NOT_ALIGNED = `innerWidth < 800 ? [] : [...document.querySelectorAll('tbody td')]
  .filter((cell) => /^[\\d.,]+%?$/.test(cell.innerText.trim()))
  .filter((cell) => getComputedStyle(cell).textAlign !== 'right' || getComputedStyle(cell).fontVariantNumeric !== 'tabular-nums')
  .map((cell) => cell.innerText)`;

describe('every page of the console', function () {
  this.timeout(240_000);
  let site: TestConsole;
  let full: TestProject;
  let bare: TestProject;

  before(async () => {
    site = await startTestConsole();
    [full, bare] = [await site.newProject(), await site.newProject({ plan: null })];
    await pushPages(full, '/help/returns', '/coffee/grinders');
    const began = {
      source: 'https://shop.example/',
      prune: true,
      dryRun: false,
      preview: false,
      by: 'command line',
      at: new Date(),
      begins: true,
    };
    const { project_id: id } = full.row;
    const report = {
      created: 2,
      updated_content: 0,
      updated_metadata: 0,
      unchanged: 9,
      gone: 1,
      refused: 1,
      redirects: 3,
    };
    const run = await inTransaction(site.service.db, (trx) => addSyncRun(trx, id, began));
    await endSyncRun(
      site.service.db,
      id,
      { run_id: run ?? '', tries: 0 },
      {
        outcome: 'incomplete',
        report,
        problem: 'Nothing was deleted: more than a fifth.',
        refusals: [{ where: `https://shop.example/${'long'.repeat(60)}`, reason: 'it has no text' }],
        left_out: { 'robots.txt forbids it': 12 },
        seen: null,
      },
      new Date(),
    );
    await miss(
      site,
      full,
      { path: '/help/return', times: 2, referrer: 'https://shop.example/help' },
      { path: '/nowhere' },
    );
  });
  after(() => site.stop());

  /** The pages, with a project and one of its pages in their paths; not those that end the session or need a secret. */
  async function paths(project: TestProject): Promise<string[]> {
    const { project_id: id } = project.row;
    const [page] = await query<{ page_id: string }>(
      site.service,
      'select page_id from pathmend.pages where project_id = $1 limit 1',
      [id],
    );
    const [run] = await query<{ run_id: string }>(
      site.service,
      'select run_id from pathmend.sync_runs where project_id = $1 limit 1',
      [id],
    );
    return PAGES.map(({ path }) => path)
      .filter((path) => !path.startsWith('/log') && !path.includes(':secret'))
      .filter((path) => (page || !path.includes(':page')) && (run || !path.includes(':run')))
      .map((path) =>
        path
          .replace(':project', id)
          .replace(':page', page?.page_id ?? '')
          .replace(':run', run?.run_id ?? ''),
      );
  }

  for (const [what, width, dark] of [
    ['with rows', 1280, false],
    ['with rows', 360, true],
    ['without rows', 360, false],
  ] as const)
    it(`${what}, ${width} pixels wide${dark ? ' and dark' : ''}: has one heading, fits, and nothing complains of it`, async () => {
      const project = what === 'with rows' ? full : bare;
      const { page, complaints, axe, close } = await (await site.newUser('admin')).tab({ width, dark });
      for (const path of await paths(project)) {
        const answer = await page.goto(site.url + path);
        expect(answer?.status(), path).to.equal(200);
        expect(await page.getByRole('heading', { level: 1 }).count(), path).to.equal(1);
        expect(await page.evaluate('document.documentElement.scrollWidth'), path).to.be.at.most(width);
        expect(await page.evaluate(CUT_OFF), path).to.deep.equal([]);
        expect(await page.evaluate(NOT_ALIGNED), path).to.deep.equal([]);
        expect(await axe(), path).to.deep.equal([]);
        expect(complaints, path).to.deep.equal([]);
      }
      await close();
    });

  it('says the same without script', async () => {
    for (const project of [full, bare]) {
      const user = await site.newUser('admin');
      const { page, complaints, close } = await user.tab({ script: false });
      for (const path of await paths(project)) {
        expect((await page.goto(site.url + path))?.status(), path).to.equal(200);
        expect((await page.locator('main').innerText()).length, path).to.be.above(20);
      }
      expect(complaints).to.deep.equal([]);
      await close();
    }
  });
});
