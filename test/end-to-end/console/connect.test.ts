import { expect } from 'chai';
import { clickThrough } from '../../support/browser.js';
import { startTestConsole, type TestConsole } from '../../support/console.js';
import { query } from '../../support/sql.js';
import { until } from '../../support/until.js';
import { html, page as pageOf, startSite, text, type WebSite } from '../../support/web-site.js';

const PAGES: Readonly<Record<string, string>> = {
  '/': 'Bicycles and tea',
  '/guides/flat-tyre': 'Mend a flat tyre',
  '/guides/squeaking-brakes': 'Adjust squeaking brakes',
  '/guides/oil-a-chain': 'Clean and oil a chain',
  '/legal/returns-policy': 'Returns policy',
  '/shop/opening-hours': 'Opening hours',
  '/shop/delivery': 'Delivery',
};

const LINES_FOR = ['Express', 'nginx, a site of files', 'nginx, before an application', 'Apache', 'Caddy', 'WordPress'];

describe('a site is connected in the console', function () {
  this.timeout(180_000);
  let site: TestConsole;
  let web: WebSite;
  let tagged: string[] = [];

  before(async () => {
    site = await startTestConsole({ SITE_NETWORKS: '127.0.0.0/8' });
    web = await startSite((path, response) => {
      const title = PAGES[path] ?? (tagged.includes(path) ? `Pages with ${path}` : undefined);
      if (path === '/sitemap.xml')
        text(
          response,
          200,
          `<urlset>${[...Object.keys(PAGES), ...tagged, '/draft'].map((pagePath) => `<url><loc>${web.origin}${pagePath}</loc></url>`).join('')}</urlset>`,
          { 'content-type': 'text/xml' },
        );
      else if (title !== undefined) html(response, pageOf(title, Object.keys(PAGES)));
      else if (path === '/draft') html(response, pageOf('A draft', [], '<meta name="robots" content="noindex">'));
      else text(response, 404);
    });
  });
  after(async () => {
    await site.stop();
    await web.close();
  });

  for (const script of [true, false])
    it(`by nothing else: made, looked at, synced, a key, the lines to paste, a dead link, ${script ? 'with' : 'without'} script`, async () => {
      const admin = await site.newUser('admin');
      const { page, complaints, axe, close } = await admin.tab({ script, ...(script ? {} : { width: 360 }) });
      const began = performance.now();
      let clicks = 0;
      let keys = 0;
      const press = async (name: string | RegExp, role: 'button' | 'link' = 'button'): Promise<void> => {
        clicks++;
        await clickThrough(page.getByRole(role, { name }).first());
      };
      const type = async (label: string, value: string): Promise<void> => {
        keys += value.length;
        await page.getByLabel(label).fill(value);
      };
      await page.goto(`${site.url}/`);
      await press('New project', 'link');
      await type('Site address', web.origin);
      await type('Project name', `site ${String(script)}`);
      await press('Create project');
      // The page asks again by itself until the worker has looked.
      await page.getByRole('button', { name: 'Sync these pages' }).waitFor();
      if (script) expect(await axe()).to.deep.equal([]);
      const seen = await page.locator('main').innerText();
      expect(seen)
        .to.match(/7 pages were found/)
        .and.to.include('Mend a flat tyre')
        .and.to.include('noindex');
      expect(await page.getByLabel('How often to sync').inputValue()).to.equal('86400');
      await press('Sync these pages');
      await page.getByRole('link', { name: 'Next: connect your server' }).waitFor();
      expect(await page.locator('main').innerText()).to.match(/Pages created\s+7/);
      await press('Next: connect your server', 'link');
      await press('Create a key');
      const key = await page.getByLabel('Value to copy').inputValue();
      for (const server of LINES_FOR) {
        await page.getByText(server, { exact: true }).first().click();
        const shown = page.getByRole('group').filter({ has: page.getByText(server, { exact: true }) });
        expect(await shown.innerText(), server)
          .to.include(key)
          .and.to.include(site.service.url);
        expect(await shown.getByRole('button', { name: 'Copy' }).count(), server).to.equal(script ? 1 : 0);
      }
      clicks++;
      if (script) expect(await axe()).to.deep.equal([]);
      await type('A path that does not exist on your site', '/guide/flat-tire.html');
      await press('Show the answer');
      await page.getByText(/The visitor (is redirected to|sees a 404 page with)/).waitFor();
      expect(await page.locator('main').innerText()).to.include('/guides/flat-tyre');
      const seconds = (performance.now() - began) / 1_000;
      console.log(`      a site connected in ${seconds.toFixed(1)} s with ${clicks} clicks and ${keys} keys`);
      const response = await fetch(`${site.service.url}/v1/suggest`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ path: '/guide/flat-tire.html', limit: 1 }),
      });
      expect(((await response.json()) as { suggestions: { url: string }[] }).suggestions[0]?.url).to.equal(
        '/guides/flat-tyre',
      );
      const id = page.url().split('/p/')[1]?.split('/')[0] ?? '';
      expect((await admin.get(`/p/${id}/redirects/check`)).text).to.match(
        new RegExp(`verify --project (&#39;|&apos;|')site ${String(script)}\\1 --site ${web.origin}`),
      );
      const state = async (): Promise<string> => (await admin.get(`/p/${id}/connect`)).text;
      await until('the key is used', async () => (await state()).includes('Last used'));
      expect(await state())
        .to.include('has not reported a visitor')
        .and.not.include('is connected');
      const headers = { authorization: `Bearer ${key}` };
      const body = JSON.stringify({ raw_path: '/guide/flat-tire.html', user_agent: 'Mozilla/5.0' });
      expect((await fetch(`${site.service.url}/v1/events`, { method: 'POST', headers, body })).status).to.equal(204);
      await until('the 404 is stored', async () => (await state()).includes('your server is connected'));
      const pushed = { method: 'POST', headers, body: JSON.stringify({ url: web.origin, content: 'x' }) };
      expect((await fetch(`${site.service.url}/v1/pages/upsert`, pushed)).status).to.equal(403);
      const entries = await query<{ action: string }>(
        site.service,
        'select action from pathmend.audit_log where user_id = $1 order by entry_id',
        [admin.userId],
      );
      expect(entries.map(({ action }) => action)).to.deep.equal([
        'project made',
        'source set',
        'source set',
        'sync asked for',
        'key made',
      ]);
      expect(complaints).to.deep.equal([]);
      await close();
    });

  it('from a file, too; its source is changed, synced now, and removed', async () => {
    const project = await site.newProject();
    const admin = await site.newUser('admin', project);
    const { page, complaints, close } = await admin.tab();
    page.on('dialog', (dialog) => dialog.accept());
    const connect = `${site.url}/p/${project.row.project_id}/connect`;
    await page.goto(connect);
    await page.getByText('Or upload a file', { exact: true }).click();
    const rows = 'url,title,content\nhttps://www.example.com/tea,Tea,Boil water and pour it over the leaves.\n';
    await page
      .getByLabel('File of pages')
      .setInputFiles({ name: 'pages.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) });
    await clickThrough(page.getByRole('button', { name: 'Upload and preview' }));
    await page.getByRole('button', { name: 'Sync these pages' }).waitFor();
    expect(await page.locator('main').innerText()).to.match(/1 page was found.*Boil water/s);
    await clickThrough(page.getByRole('button', { name: 'Sync these pages' }));
    await page.getByRole('link', { name: 'Next: connect your server' }).waitFor();
    await page.goto(connect);
    await page.getByText('Change source').click();
    await page.getByLabel('Site address').fill(web.origin);
    await clickThrough(page.getByRole('button', { name: 'Preview this site' }));
    await page.getByRole('button', { name: 'Sync these pages' }).waitFor();
    await page.goto(connect);
    await page.getByText('Change source').click();
    await page.getByLabel('How often to sync').selectOption('every week');
    await page.getByLabel('Delete pages that are no longer in the source').check();
    await clickThrough(page.getByRole('button', { name: 'Save, and preview a new address' }));
    expect(await page.locator('main').innerText()).to.match(/Sync\s+every week\s+Removed pages\s+deleted/);
    await clickThrough(page.getByRole('button', { name: 'Sync now' }));
    await page.getByRole('heading', { name: 'Report' }).waitFor();
    await page.goto(connect);
    await clickThrough(page.getByRole('button', { name: 'Remove source' }));
    await page.getByText('No source yet.').waitFor();
    expect(complaints).to.deep.equal([]);
    await close();
  });

  for (const [headers, fitting] of [
    [{ server: 'nginx/1.22.1', 'x-powered-by': 'PHP/8.3' }, 'nginx, before an application'],
    [{ server: 'nginx' }, 'nginx, a site of files'],
    [{ server: 'Apache/2.4.71 (Debian)', link: '<https://x.example/wp-json/>; rel="https://api.w.org/"' }, 'WordPress'],
    [{ server: 'Caddy' }, 'Caddy'],
    [{ 'x-powered-by': 'Express' }, 'Express'],
    [{ server: 'cloudflare' }, undefined],
  ] as const)
    it(`with the lines for ${fitting ?? 'no server'} open, by the headers of its pages: ${Object.values(headers).join(', ')}`, async () => {
      const answering = await startSite((path, response) => {
        if (path === '/') html(response, pageOf('A site', ['/']), headers);
        else text(response, 404);
      });
      const project = await site.newProject();
      const { page, complaints, close } = await (await site.newUser('admin', project)).tab({ script: false });
      await page.goto(`${site.url}/p/${project.row.project_id}/connect`);
      await page.getByLabel('Site address').fill(answering.origin);
      await clickThrough(page.getByRole('button', { name: 'Preview this site' }));
      await page.getByRole('button', { name: 'Sync these pages' }).waitFor();
      await page.goto(`${site.url}/p/${project.row.project_id}/connect#key`);
      const open = page.locator('details[name="server"][open]');
      expect(await open.locator('summary').allInnerTexts()).to.deep.equal(fitting === undefined ? [] : [fitting]);
      if (fitting?.startsWith('nginx')) expect(await open.innerText()).to.include(new URL(answering.origin).host);
      // Another choice closes it, without a script.
      await page.getByText('Apache', { exact: true }).click();
      expect(await open.locator('summary').allInnerTexts()).to.deep.equal(['Apache']);
      expect(await open.innerText()).to.include(`In the virtual host of ${new URL(answering.origin).host};`);
      expect(complaints).to.deep.equal([]);
      await close();
      await answering.close();
    });

  it('without paths that the preview proposes to leave out', async () => {
    tagged = Array.from({ length: 4 }, (_, at) => `/blog/tags/t-${at}`);
    const project = await site.newProject();
    const { page, complaints, axe, close } = await (await site.newUser('admin', project)).tab({ width: 390 });
    const connect = `${site.url}/p/${project.row.project_id}/connect`;
    await page.goto(connect);
    await page.getByLabel('Site address').fill(web.origin);
    await clickThrough(page.getByRole('button', { name: 'Preview this site' }));
    await page.getByLabel('/blog/tags/*: 4 of 11 pages').check();
    expect(await axe()).to.deep.equal([]);
    await page.getByLabel('Paths to leave out').fill('nonsense');
    await clickThrough(page.getByRole('button', { name: 'Sync these pages' }));
    await page.getByText('nonsense is no pattern of paths').first().waitFor();
    await page.goBack();
    await page.getByLabel('/blog/tags/*: 4 of 11 pages').check();
    await page.getByLabel('Paths to leave out').fill('');
    await clickThrough(page.getByRole('button', { name: 'Sync these pages' }));
    await page.getByRole('link', { name: 'Next: connect your server' }).waitFor();
    expect(await page.locator('main').innerText()).to.match(/Pages created\s+7.*pattern \/blog\/tags\/\*\s+4/s);
    await page.goto(connect);
    expect(await page.locator('main').innerText()).to.match(/Left out\s+\/blog\/tags\/\*/);
    tagged = [];
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('only by who may: others see its state, and what is no site is refused at its field', async () => {
    const project = await site.newProject();
    const connectPath = `/p/${project.row.project_id}/connect`;
    const [viewer, editor, admin, root] = await Promise.all([
      site.newUser('viewer', project),
      site.newUser('editor', project),
      site.newUser('admin', project),
      site.newUser('admin'),
    ]);
    expect((await viewer.get(connectPath)).text).to.include('Ask an admin of the project to add one.');
    expect((await admin.get('/new')).status).to.equal(403);
    expect((await admin.post('/new/make', { source: '', name: 'x' })).status).to.equal(403);
    for (const action of ['sync', 'look', 'source', 'remove', 'key', 'upload'])
      expect((await viewer.post(`${connectPath}/${action}`)).status, action).to.equal(403);
    for (const action of ['source', 'remove', 'key', 'upload'])
      expect((await editor.post(`${connectPath}/${action}`)).status, action).to.equal(403);
    expect((await editor.post(`${connectPath}/sync`)).status).to.equal(400);
    for (const source of [
      '',
      'ftp://x',
      'https://a b',
      'https://u:p@x.example',
      `https://x.example/${'x'.repeat(3_000)}`,
    ])
      expect((await admin.post(`${connectPath}/source`, { source })).status, source).to.equal(400);
    await admin.post(`${connectPath}/source`, { source: web.origin });
    for (const every of ['7', 'x', '-1', '1e99'])
      expect((await admin.post(`${connectPath}/source`, { source: `${web.origin}/`, every })).status, every).to.equal(
        400,
      );
    expect((await root.post('/new/make', { source: '', name: '' })).status).to.equal(400);
    expect((await root.post('/new/make', { source: '', name: project.row.name })).status).to.equal(400);
    for (const dead of ['%00', '', '//', '/shop/delivery', 'x'.repeat(5_000), '?', 'https://[x'])
      expect((await viewer.get(`${connectPath}?dead=${dead}`)).status, dead).to.equal(200);
  });
});

describe('a site inside the network', function () {
  this.timeout(120_000);

  it('is read when an admin of all projects allows its address; an admin of the project cannot', async () => {
    const site = await startTestConsole();
    const web = await startSite((path, response) => {
      if (path === '/') html(response, pageOf('Staging', ['/']));
      else text(response, 404);
    });
    try {
      const project = await site.newProject();
      const connect = `${site.url}/p/${project.row.project_id}/connect`;
      const admin = await site.newUser('admin', project);
      const { page, complaints, close } = await admin.tab();
      await page.goto(connect);
      await page.getByLabel('Site address').fill(web.origin);
      await clickThrough(page.getByRole('button', { name: 'Preview this site' }));
      await page.getByText(`leads to 127.0.0.1, an address that is not public`).waitFor();
      expect(await page.locator('main').innerText()).to.include('An admin of all projects can allow this address');
      expect((await admin.post(`/p/${project.row.project_id}/connect/allow`)).status).to.equal(403);
      expect([complaints, web.requests]).to.deep.equal([[], []]);
      const root = await site.newUser('admin');
      const other = await root.tab();
      await other.page.goto(page.url());
      await clickThrough(other.page.getByRole('button', { name: 'Allow this address, and try again' }));
      await other.page.getByRole('button', { name: 'Sync these pages' }).waitFor();
      const [{ action } = { action: '' }] = await query<{ action: string }>(
        site.service,
        'select action from pathmend.audit_log where user_id = $1 order by entry_id limit 1',
        [root.userId],
      );
      expect(action).to.equal('private address allowed');
      // The admin of the project may go on with it.
      await page.goto(connect);
      await clickThrough(page.getByRole('button', { name: 'Sync now' }));
      await page.getByRole('link', { name: 'Next: connect your server' }).waitFor();
      await other.close();
      await close();
    } finally {
      await site.stop();
      await web.close();
    }
  });
});
