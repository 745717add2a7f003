import { expect } from 'chai';
import { PASSWORD, startTestConsole, type TestConsole } from '../../support/console.js';

describe('logging in', function () {
  this.timeout(60_000);
  let site: TestConsole;

  before(async () => {
    site = await startTestConsole();
  });
  after(() => site.stop());

  for (const script of [true, false]) {
    it(`leads to the page that was asked for, ${script ? 'with' : 'without'} script`, async () => {
      const user = await site.newUser('viewer');
      const { page, complaints, axe, close } = await site.tab({ script });
      await page.goto(`${site.url}/audit`);
      expect(await page.title()).to.equal('Log in · pathmend');
      if (script) expect(await axe()).to.deep.equal([]);
      await page.getByLabel('E-mail address').fill(user.email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.waitForURL(`${site.url}/audit`);
      expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal('Audit');
      const login = await page.getByRole('row', { name: 'logged in' }).first().innerText();
      expect(login.match(/by password from/g), 'said once').to.have.length(1);
      await page.getByRole('button', { name: 'Log out' }).click();
      await page.waitForURL(`${site.url}/logout`);
      await page.goto(`${site.url}/`);
      expect(page.url()).to.include('/login');
      expect(complaints).to.deep.equal([]);
      await close();
    });
  }
});
