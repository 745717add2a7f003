import { expect } from 'chai';
import { startTestConsole, type TestConsole } from '../../support/console.js';
import { miss } from '../../support/missed.js';
import { pushPages } from '../../support/learned-redirects.js';
import { until } from '../../support/until.js';

describe('the inbox by keyboard', function () {
  this.timeout(240_000);
  let site: TestConsole;

  before(async () => {
    site = await startTestConsole();
  });
  after(() => site.stop());

  it('is emptied of a hundred paths by keyboard alone, with the keys that it shows, fewer than two a path', async () => {
    const project = await site.newProject();
    const editor = await site.newUser('editor', project);
    const words = 'returns delivery warranty grinders kettles filters descaling invoices vouchers'.split(' ');
    await pushPages(project, ...words.map((word) => `/help/${word}`));
    const slips = words.flatMap((word) => [`${word}s`, `${word}z`, `${word}-page`, `old-${word}`, word.slice(0, -1)]);
    const typed = [...slips, ...slips.slice(0, 25).map((slip) => `${slip}x`)].map((slip) => `/help/${slip}`);
    const gone = Array.from({ length: 15 }, (_, at) => `/campaign-${at}/zq`);
    const noise = Array.from({ length: 10 }, (_, at) => `/wp-junk-${at}.xq`);
    const elsewhere = ['/zzyzx', '/qwfp', '/xkcd', '/blorp', '/frobnitz'];
    const all = [...typed, ...gone, ...noise, ...elsewhere];
    expect(all).to.have.length(100);
    await miss(site, project, ...all.map((path, at) => ({ path, times: 1 + (at % 3) })));
    const { page, complaints, axe, close } = await editor.tab();
    const keys = new Map<string, number>();
    const press = async (key: string): Promise<void> => {
      keys.set(key, (keys.get(key) ?? 0) + 1);
      await page.keyboard.press(key);
    };
    const settled = async (): Promise<number> =>
      (await project.query('select from pathmend.rules where project_id = $1')).length;
    const end = page.getByText('No missing path needs a decision.');
    const current = page.locator('li.missing.current:not([data-ask])');
    const started = performance.now();
    await page.goto(`${site.url}/p/${project.row.project_id}/inbox`);
    expect(await page.locator('details.keys').innerText()).to.match(/accept the suggestion.*choose another page.*gone/);
    expect(await axe()).to.deep.equal([]);
    for (let done = 1; ; done++) {
      await current.or(end).first().waitFor();
      if (await end.isVisible()) break;
      expect(done, 'paths that were decided about').to.be.below(110);
      // It has the focus, so that a screen reader says it.
      expect(await page.locator('li.missing.current:focus').count()).to.equal(1);
      const path = (await current.locator('.path').innerText()).trim();
      if (gone.includes(path)) await press('g');
      else if (noise.includes(path)) await press('i');
      else if (typed.includes(path)) {
        await current.locator('[data-key=a]').waitFor();
        await press('a');
      } else {
        const next = page.locator('li.missing.current + li .path');
        const expected = (await next.count()) > 0 ? await next.innerText() : undefined;
        await press('c');
        await page.getByLabel('Search your pages').waitFor();
        for (const letter of 'grin') await press(letter);
        await page.locator('#choices li').first().filter({ hasText: '/help/grinders' }).waitFor();
        await press('ArrowDown');
        await press('Enter');
        await page.getByText(`${path} now leads to`).waitFor();
        if (expected !== undefined) expect(await current.locator('.path').innerText()).to.equal(expected);
      }
      if (done === 11) {
        await until('all of these are settled', async () => (await settled()) === 11);
        await press('z');
        await page.getByText(`Undone: ${path}.`).waitFor();
        expect((await current.locator('.path').innerText()).trim()).to.equal(path);
      }
    }
    const presses = [...keys.values()].reduce((sum, times) => sum + times, 0);
    const seconds = (performance.now() - started) / 1_000;
    console.log(
      `        a hundred paths by ${presses} keys in ${seconds.toFixed(1)} s: ${JSON.stringify(Object.fromEntries(keys))}`,
    );
    expect(presses / 100).to.be.below(2);
    expect(await settled()).to.equal(100);
    expect(complaints).to.deep.equal([]);
    await close();
  });
});
