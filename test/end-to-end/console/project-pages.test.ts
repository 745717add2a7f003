import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { deleteUser } from '#src/accounts/store/users.js';
import { clickThrough, tabTo } from '../../support/browser.js';
import { startTestConsole, type TestConsole, type TestUser } from '../../support/console.js';
import { miss } from '../../support/missed.js';
import { loggedSearches } from '../../support/stored-events.js';
import type { TestProject } from '../../support/service.js';
import { until } from '../../support/until.js';

const GRINDER = {
  url: 'https://a.example/help/grinder-cleaning',
  title: 'Cleaning the grinder',
  content: 'Cleaning the grinder\n\nTake the burrs out and brush the old coffee off.',
};
const KETTLE = {
  url: 'https://a.example/help/kettle-descaling',
  title: 'Descaling the kettle',
  content: 'Descaling the kettle\n\nFill it with citric acid and water, and wait for an hour.',
};

for (const script of [true, false])
  describe(`the pages of a project, ${script ? 'with' : 'without'} script`, function () {
    this.timeout(120_000);
    let site: TestConsole;
    let project: TestProject;
    let admin: TestUser;

    before(async () => {
      site = await startTestConsole();
    });
    after(() => site.stop());

    beforeEach(async () => {
      project = await site.newProject();
      await project.upsert(GRINDER);
      await project.upsert(KETTLE);
      await project.indexed();
      admin = await site.newUser('admin', project);
    });

    const buildUrl = (end: string): string => `${site.url}/p/${project.row.project_id}/${end}`;

    async function audit(): Promise<string[]> {
      const { rows } = await site.service.database.connection.pool.query<{ entry: string }>(
        `select action || ': ' || subject as entry from pathmend.audit_log where about_project = $1 and user_id = $2 order by entry_id`,
        [project.row.project_id, admin.userId],
      );
      return rows.map(({ entry }) => entry);
    }

    const rows = (page: Page, table = 'Pages'): Locator =>
      page.getByRole('table', { name: table, exact: true }).locator('tbody tr');

    it('Pages: a page is found by its title or url, looked at, indexed again and deleted', async () => {
      const { page, complaints, axe, close } = await admin.tab({ script });
      // With script, the console asks for confirmation before it deletes something for good.
      page.on('dialog', (dialog) => dialog.accept());
      await page.goto(buildUrl('pages'));
      expect(await rows(page).count()).to.equal(2);
      if (script) expect(await axe()).to.deep.equal([]);
      await page.getByLabel('Title, url or text').fill(KETTLE.title.toUpperCase());
      await clickThrough(page.getByRole('button', { name: 'Show' }));
      expect(await rows(page).count()).to.equal(1);
      await page.getByLabel('Title, url or text').fill('KETTLE');
      await clickThrough(page.getByRole('button', { name: 'Show' }));
      expect(await rows(page).count()).to.equal(1);
      await rows(page).getByRole('link', { name: KETTLE.title }).click();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal(KETTLE.title);
      expect(await page.locator('pre').textContent()).to.equal(KETTLE.content);
      if (script) expect(await axe()).to.deep.equal([]);
      await page.getByRole('button', { name: 'Reindex' }).click();
      expect(await page.getByRole('status').textContent()).to.include('Page queued');
      await project.indexed();
      await page.getByRole('button', { name: 'Delete' }).click();
      expect(await page.getByRole('status').textContent()).to.include('deleted');
      expect(page.url()).to.equal(buildUrl('pages'));
      expect(await rows(page).count()).to.equal(1);
      const { body } = await project.post('/v1/suggest', {
        path: '/help/kettle-descaling',
        options: { searchThreshold: 0 },
      });
      expect(JSON.stringify(body)).not.to.include('kettle-descaling');
      expect(await audit()).to.deep.equal([`page reindexed: ${KETTLE.url}`, `page deleted: ${KETTLE.url}`]);
      expect(complaints).to.deep.equal([]);
      await close();
    });

    it('Pages: a page is found by what it says, and those that people miss come first, with how many', async () => {
      await miss(site, project, { path: '/help/kettle-descalng', times: 3 });
      const { body } = await project.post('/v1/suggest', { path: '/help/kettle-descalng' });
      await project.post('/v1/events', {
        ...{ raw_path: '/help/kettle-descalng', user_agent: null, search_id: body.search_id, outcome: 'suggested' },
      });
      const { page, complaints, axe, close } = await admin.tab({ script });
      await page.goto(buildUrl('pages?url=burrs'));
      await page.getByText('No matching pages.').waitFor();
      expect(await rows(page, 'Pages by content').first().innerText()).to.match(/Cleaning the grinder[^]*0\.\d\d/);
      if (script) expect(await axe()).to.deep.equal([]);
      await page.goto(buildUrl('pages'));
      await until('the search is linked', async () => {
        await page.getByLabel('Order').selectOption('Most missed');
        await clickThrough(page.getByRole('button', { name: 'Show' }));
        return (await page.getByText('No missing path leads to a page yet.').count()) === 0;
      });
      expect(await rows(page).allInnerTexts()).to.have.length(1);
      expect(await rows(page).innerText()).to.match(/Descaling the kettle[^]*\s4\s/);
      await rows(page).getByRole('link', { name: '4', exact: true }).click();
      await page.getByRole('table', { name: 'Missing paths that lead here' }).waitFor();
      expect(complaints).to.deep.equal([]);
      await close();
    });

    it('Try it: starts with paths and questions of the project, which fill the form', async () => {
      const { page, complaints, axe, close } = await admin.tab({ script });
      await page.goto(buildUrl('try'));
      await page.getByText('No recent questions.').waitFor();
      await miss(site, project, { path: '/help/kettel', times: 2 });
      await project.post('/v1/semantic-search', { query: 'how do I brush the burrs' });
      await loggedSearches(site.service, project.row.project_id, 1);
      await page.reload();
      if (script) expect(await axe()).to.deep.equal([]);
      await page.getByRole('link', { name: 'how do I brush the burrs' }).click();
      await page.getByRole('heading', { name: 'Results' }).waitFor();
      expect(await page.getByLabel('Type').inputValue()).to.equal('query');
      await page.goto(buildUrl('try'));
      await page.getByRole('link', { name: '/help/kettel' }).click();
      await page.getByRole('heading', { name: 'Results' }).waitFor();
      expect(await page.getByLabel('Path or question').inputValue()).to.equal('/help/kettel');
      expect(complaints).to.deep.equal([]);
      await close();
    });

    it('Pages and Settings: are found, indexed again and changed by the keyboard alone', async () => {
      const { page, complaints, close } = await admin.tab({ script });
      page.on('dialog', (dialog) => dialog.accept());
      const press = async (): Promise<void> => {
        await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
      };
      await page.goto(buildUrl('pages'));
      await tabTo(page, 'Title, url or text');
      await page.keyboard.type('kettle');
      await press();
      await tabTo(page, KETTLE.title);
      await press();
      await tabTo(page, 'Reindex');
      await press();
      await tabTo(page, 'Settings');
      await press();
      await tabTo(page, 'Stop searching titles');
      await press();
      await page.getByText('Titles are not searched').first().waitFor();
      await tabTo(page, 'Search titles too');
      await press();
      expect(await audit()).to.deep.equal([
        `page reindexed: ${KETTLE.url}`,
        'project changed: title evidence on → off',
        'project changed: title evidence off → on',
      ]);
      const { rows } = await site.service.database.connection.pool.query<{ how: string }>(
        `select method || ' ' || address as how from pathmend.audit_log where user_id = $1`,
        [admin.userId],
      );
      expect(new Set(rows.map(({ how }) => how))).to.deep.equal(new Set(['password 127.0.0.1']));
      await page.goto(`${site.url}/audit`);
      expect(await page.locator('tbody tr').first().innerText()).to.include('by password from 127.0.0.1');
      expect(complaints).to.deep.equal([]);
      await close();
    });

    it('Pages: an ERROR says why, and is indexed after all with the others', async () => {
      await site.service.database.connection.pool.query(
        `update pathmend.pages set status = 'ERROR', error = 'The model refused it.' where project_id = $1 and url = $2`,
        [project.row.project_id, GRINDER.url],
      );
      const { page, close } = await admin.tab({ script });
      page.on('dialog', (dialog) => dialog.accept());
      await page.goto(buildUrl('pages'));
      await page.getByLabel('Status').selectOption('Error');
      await clickThrough(page.getByRole('button', { name: 'Show' }));
      expect(await page.locator('tbody').textContent()).to.include('The model refused it.');
      await page.getByRole('button', { name: 'Reindex all pages' }).click();
      expect(await page.getByRole('status').textContent()).to.include('2 pages queued');
      await project.indexed();
      await page.goto(buildUrl('pages?status=INDEXED'));
      expect(await page.locator('tbody tr').count()).to.equal(2);
      await close();
    });

    it('Try it: a path and a question are answered with reasons, and leave no trace in the analytics', async () => {
      const { page, complaints, axe, close } = await admin.tab({ script, width: 360 });
      await page.goto(buildUrl('try'));
      await page.getByLabel('Path or question').fill('/support/clening-the-grinder');
      await page.getByLabel('Threshold', { exact: true }).fill('0.9999');
      await page.getByRole('button', { name: 'Try' }).click();
      const first = page.locator('.answer').first();
      expect(await first.getByRole('heading').textContent()).to.equal(GRINDER.title);
      expect(await first.locator('.evidence tbody tr').count()).to.be.above(1);
      expect(await first.locator('.verdict').textContent()).to.equal('below the threshold');
      if (script) {
        expect(await axe()).to.deep.equal([]);
        await page.getByLabel('Threshold, as a slider').fill('0.01');
        expect(await first.locator('.verdict').textContent()).to.equal('answered');
        expect(await page.getByLabel('Threshold', { exact: true }).inputValue()).to.equal('0.01');
      }
      await page.getByLabel('Path or question').fill('how do I get limescale out of my kettle');
      await page.getByLabel('Type').selectOption('A question');
      await page.getByRole('button', { name: 'Try' }).click();
      expect(await first.getByRole('heading').textContent()).to.equal(KETTLE.title);
      await page.getByLabel('Path or question').fill('citri');
      await page.getByLabel('Type').selectOption('Words, as a search field shows them');
      await page.getByRole('button', { name: 'Try' }).click();
      expect(await first.getByRole('heading').textContent()).to.equal(KETTLE.title);
      // A visitor's search afterwards is logged, and none of the tries above is.
      await project.post('/v1/suggest', { path: '/asked-by-a-visitor' });
      const logged = async (): Promise<string[]> => {
        const { pool } = site.service.database.connection;
        const { rows } = await pool.query<{ input: string }>(
          'select input from pathmend.searches where project_id = $1',
          [project.row.project_id],
        );
        return rows.map(({ input }) => input);
      };
      await until('the search is logged', async () => (await logged()).length > 0);
      expect(await logged()).to.deep.equal(['/asked-by-a-visitor']);
      expect(complaints).to.deep.equal([]);
      await close();
    });

    it('Settings: a key is made, shown once, rotated and revoked', async () => {
      const { page, complaints, axe, close } = await admin.tab({ script });
      page.on('dialog', (dialog) => dialog.accept());
      await page.goto(buildUrl('settings'));
      if (script) expect(await axe()).to.deep.equal([]);
      await page.getByLabel('Name', { exact: true }).fill('The web server');
      await page.getByLabel('write').uncheck();
      await page.getByRole('button', { name: 'Create key' }).click();
      const key = await page.getByLabel('Value to copy').inputValue();
      expect(key).to.match(/^pm_live_/);
      if (script) expect(await page.getByRole('button', { name: 'Copy' }).count()).to.equal(1);
      const ask = async (by: string): Promise<number> =>
        (await fetch(`${site.service.url}/v1/search?query=kettle`, { headers: { Authorization: `Bearer ${by}` } }))
          .status;
      expect(await ask(key)).to.equal(200);
      await page.reload();
      expect(await page.content()).not.to.include(key);
      const row = page.getByRole('row', { name: /The web server/ });
      expect(await row.textContent())
        .to.include('read')
        .and.not.include('write');
      await row.getByRole('button', { name: 'Rotate' }).click();
      const rotated = await page.getByLabel('Value to copy').inputValue();
      expect([await ask(key), await ask(rotated)]).to.deep.equal([200, 200]);
      const revoke = page
        .getByRole('row')
        .filter({ hasText: rotated.slice(-4) })
        .getByRole('button', { name: 'Revoke' });
      await clickThrough(revoke);
      await until('the key is refused', async () => (await ask(rotated)) === 401);
      expect(await audit()).to.deep.equal([
        `key made: The web server (…${key.slice(-4)})`,
        `key rotated: The web server (…${key.slice(-4)}), now …${rotated.slice(-4)}`,
        `key revoked: The web server (…${rotated.slice(-4)})`,
      ]);
      await page.goto(`${site.url}/audit`);
      expect(await page.locator('tbody tr').count()).to.equal(3);
      if (script) expect(await axe()).to.deep.equal([]);
      expect(complaints).to.deep.equal([]);
      await close();
    });

    it('Settings: titles are searched, and not', async () => {
      const { page, close } = await admin.tab({ script });
      page.on('dialog', (dialog) => dialog.accept());
      await page.goto(buildUrl('settings'));
      await page.getByRole('button', { name: 'Stop searching titles' }).click();
      expect(await page.getByRole('status').textContent()).to.include('2 pages are indexed again');
      await project.indexed();
      await page.getByRole('button', { name: 'Search titles too' }).click();
      expect(await page.locator('main').textContent()).to.include('Titles are searched');
      await close();
    });

    it('Settings: the model is chosen, with the languages that the pages have now beside it', async () => {
      const { page, complaints, axe, close } = await admin.tab({ script });
      await page.goto(buildUrl('settings'));
      expect(await page.locator('main').innerText()).to.match(
        /Selected model\s+static: EMBEDDING_MODEL of the workers\s+Languages now\s+100% of 2 pages in English; 0 pages declare their language/,
      );
      for (const [model, reason] of [
        ['english', 'english: the choice of this project'],
        ['', 'static: EMBEDDING_MODEL of the workers'],
      ] as const) {
        await page.getByLabel('Model of this project').selectOption(model);
        await clickThrough(page.getByRole('button', { name: 'Change model' }));
        expect(await page.getByRole('status').textContent()).to.include('Saved');
        expect(await page.locator('main').innerText()).to.include(reason);
        if (script) expect(await axe()).to.deep.equal([]);
      }
      expect(await audit()).to.deep.equal([
        'project changed: model choice none → english',
        'project changed: model choice english → none',
      ]);
      expect(complaints).to.deep.equal([]);
      await close();
    });

    it('Settings: thresholds are set within their range, and visitors are redirected by them', async () => {
      const { page, complaints, axe, close } = await admin.tab({ script, width: 360 });
      await page.goto(buildUrl('settings'));
      await page.locator('form[action$="/thresholds"]').evaluate((form) => {
        (form as unknown as { noValidate: boolean }).noValidate = true;
      });
      await page.getByLabel('Redirect above').fill('0.2');
      await clickThrough(page.getByRole('button', { name: 'Save' }));
      expect(await page.locator('#redirect_above-problem').textContent()).to.equal('This is a score from 0.5 to 1.');
      if (script) expect(await axe()).to.deep.equal([]);
      await page.getByLabel('Redirect above').fill('1');
      await clickThrough(page.getByRole('button', { name: 'Save' }));
      expect(await page.getByRole('status').textContent()).to.include('Saved');
      expect(await page.getByLabel('Redirect above').inputValue()).to.equal('1');
      const { status } = await project.call('GET', '/v1/proxy?url=/help/grinder-cleanning');
      expect(status).to.equal(404);
      expect(await audit()).to.deep.equal(['project changed: redirect above 0.9 → 1']);
      expect(complaints).to.deep.equal([]);
      await close();
    });

    it('Settings: somebody is invited, gets another role, and is removed', async () => {
      const { page, complaints, close } = await admin.tab({ script });
      page.on('dialog', (dialog) => dialog.accept());
      await page.goto(buildUrl('settings'));
      await page.getByLabel('E-mail address').fill('not an address');
      await page.getByLabel('E-mail address').evaluate((input) => {
        (input as unknown as { type: string }).type = 'text';
      });
      await page.getByRole('button', { name: 'Create invitation' }).click();
      expect(await page.locator('#invite-email-problem').textContent()).to.include('not an e-mail address');
      await page.getByLabel('E-mail address').fill('new@example.com');
      await page.getByRole('button', { name: 'Create invitation' }).click();
      const link = await page.getByLabel('Value to copy').inputValue();
      const invited = await site.tab({ script });
      await invited.page.goto(link);
      await invited.page.getByLabel('New password').fill('a long pass phrase');
      await invited.page.getByLabel('Repeat the password').fill('a long pass phrase');
      await clickThrough(invited.page.getByRole('button', { name: 'Accept' }));
      await invited.page.goto(buildUrl('pages'));
      expect(await invited.page.getByRole('button', { name: 'Reindex all pages' }).count()).to.equal(0);
      await page.reload();
      await clickThrough(page.getByRole('button', { name: 'Make editor: new@example.com' }));
      await invited.page.reload();
      expect(await invited.page.getByRole('button', { name: 'Reindex all pages' }).count()).to.equal(1);
      await clickThrough(page.getByRole('button', { name: 'Remove new@example.com' }));
      expect((await invited.page.reload())?.status()).to.equal(404);
      await deleteUser(site.service.db, 'new@example.com');
      expect([...complaints, ...invited.complaints]).to.deep.equal([]);
      await invited.close();
      await close();
    });
  });
