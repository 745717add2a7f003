import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { clickThrough } from '../../support/browser.js';
import { startTestConsole, type TestConsole, type TestUser } from '../../support/console.js';
import { pushPages } from '../../support/learned-redirects.js';
import type { TestProject } from '../../support/service.js';

describe('files that are sent to the console', function () {
  this.timeout(120_000);
  let site: TestConsole;
  let project: TestProject;
  let editor: TestUser;

  const buildPath = (path: string): string => `/p/${project.row.project_id}${path}`;
  const file = (name: string, text: string | Buffer): { name: string; mimeType: string; buffer: Buffer } => ({
    name,
    mimeType: 'text/plain',
    buffer: Buffer.from(text),
  });
  const rules = async (): Promise<string[]> =>
    (
      await project.query<{ rule: string }>(
        `select path || ' ' || action || coalesce(' ' || target, '') as rule from pathmend.rules where project_id = $1 order by 1`,
      )
    ).map(({ rule }) => rule);

  before(async () => {
    site = await startTestConsole();
  });
  after(() => site.stop());
  beforeEach(async () => {
    project = await site.newProject();
    editor = await site.newUser('editor', project);
    await pushPages(project, '/help/returns', '/help/delivery', '/coffee/grinders');
  });

  /** Sends a form with a file as a browser does. */
  const send = async (
    user: TestUser,
    path: string,
    fields: Record<string, string>,
    upload?: { name: string; text: string | Buffer },
    headers: Record<string, string> = { 'Sec-Fetch-Site': 'same-origin' },
  ): Promise<{ status: number; text: string }> => {
    const body = new FormData();
    const { text: page } = await user.get(buildPath('/redirects/transfer'));
    body.set('form_token', /name="form_token" value="([^"]*)"/.exec(page)?.[1] ?? '');
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    if (upload) body.set('file', new Blob([upload.text]), upload.name);
    const answer = await fetch(site.url + buildPath(path), {
      method: 'POST',
      headers: { cookie: user.cookie, ...headers },
      body,
      redirect: 'manual',
    });
    return { status: answer.status, text: await answer.text() };
  };

  /** Sends a body as it is, with the form's token in place of TOKEN. */
  const sendRaw = async (user: TestUser, type: string, body: string): Promise<Response> => {
    const { text: page } = await user.get(buildPath('/redirects/transfer'));
    const token = /name="form_token" value="([^"]*)"/.exec(page)?.[1] ?? '';
    return fetch(site.url + buildPath('/redirects/map/upload'), {
      method: 'POST',
      headers: { cookie: user.cookie, 'Sec-Fetch-Site': 'same-origin', 'content-type': type },
      body: body.replace('TOKEN', token),
      redirect: 'manual',
    });
  };

  it('are imported as redirects, known by their names, and what was refused is said by line', async () => {
    const { page, complaints, close } = await editor.tab({ script: false });
    await page.goto(site.url + buildPath('/redirects/transfer'));
    const redirects = [{ source: '/old/returns', destination: '/help/returns', permanent: true }];
    await page.getByLabel('File').setInputFiles(file('vercel.json', JSON.stringify({ redirects })));
    await clickThrough(page.getByRole('button', { name: 'Import file' }));
    await page.getByText('1 new redirect').waitFor();
    await page.goto(site.url + buildPath('/redirects/transfer'));
    await page.getByLabel('File').setInputFiles(file('old urls ü.csv', 'from,to\n/a,/help/returns\nb,/help/returns\n'));
    await clickThrough(page.getByRole('button', { name: 'Import file' }));
    expect(await page.getByRole('status').innerText()).to.match(/1 new redirect.*1 line was refused\. Line 3: /s);
    expect(await rules()).to.deep.equal(['/a redirect /help/returns', '/old/returns redirect /help/returns']);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('and text have columns that the field Columns explains', async () => {
    const { page, complaints, close } = await editor.tab({ script: false });
    await page.goto(site.url + buildPath('/redirects/transfer'));
    const rows = 'from,to,weg\n/on,/help/returns,0\n/off,/help/returns,1\n';
    const importWith = async (columns: string): Promise<void> => {
      await page.getByLabel('File').setInputFiles(file('old.csv', rows));
      await page.locator('#upload-columns').fill(columns);
      await clickThrough(page.getByRole('button', { name: 'Import file' }));
    };
    await importWith('');
    await page.getByText('may change what its redirects do: weg').first().waitFor();
    await importWith('weg=fort');
    await page.getByText('columns must be pairs such as deleted=disabled').first().waitFor();
    expect(await page.locator('#upload-columns').inputValue()).to.equal('weg=fort');
    expect(await rules()).to.deep.equal([]);
    await importWith('weg=disabled');
    expect(await page.getByRole('status').innerText()).to.match(/1 new redirect.*1 line was refused\. Line 3: /s);
    expect(await rules()).to.deep.equal(['/on redirect /help/returns']);
    await page.goto(site.url + buildPath('/redirects/transfer'));
    await page.getByText('Or paste text').click();
    await page.getByLabel('Redirects to import').fill(rows.replaceAll('/o', '/text-o'));
    await page.locator('#import-format').selectOption('csv');
    await page.locator('#import-columns').fill('weg=disabled');
    await clickThrough(page.getByRole('button', { name: 'Import text' }));
    expect(await page.locator('.notice').innerText()).to.match(/1 new redirect.*1 line was refused\. Line 3: /s);
    expect(await rules()).to.deep.equal(['/on redirect /help/returns', '/text-on redirect /help/returns']);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  for (const script of [true, false])
    it(`are mapped, reviewed, saved as rules that answer, and undone, ${script ? 'with' : 'without'} script`, async () => {
      const { page, complaints, axe, close } = await editor.tab({ script, ...(script ? {} : { width: 360 }) });
      await page.goto(site.url + buildPath('/redirects/map'));
      const list =
        'url,clicks\n/help/returns.html,90\n/helpp/delivry,40\n/zzz/qqq,7\n/coffee/grinders,3\n/help/returns,3\n/old/*,2\nnonsense,1\n';
      await page.getByLabel('File').setInputFiles(file('search-console.csv', list));
      await clickThrough(page.getByRole('button', { name: 'Upload and look up' }));
      expect(await page.getByRole('status').first().innerText()).to.include('5 old urls added. 1 was listed already.');
      // The page asks again by itself.
      await page.getByRole('heading', { name: 'Review old urls' }).waitFor();
      expect(await page.getByRole('status').count()).to.be.at.most(1);
      if (script) expect(await axe()).to.deep.equal([]);
      const becomes = (path: string): Promise<string> => page.getByLabel(`Action for ${path}`).inputValue();
      expect(await becomes('/zzz/qqq')).to.equal('gone');
      expect(await becomes('/coffee/grinders')).to.equal('none');
      expect(await rules()).to.deep.equal([]);
      await page.getByLabel('Action for /help/returns.html').selectOption('Redirect');
      await page.getByLabel('Another target of /help/returns.html').fill('/help/returns');
      await page.getByLabel('Action for /helpp/delivry').selectOption('Redirect');
      await page.getByLabel('Another target of /helpp/delivry').fill('nowhere');
      await page.getByLabel('Action for /old/*').selectOption('Ignore');
      await clickThrough(page.getByRole('button', { name: 'Keep' }));
      expect(await page.getByRole('alert').innerText()).to.include('The target must be');
      expect(await page.getByLabel('Another target of /helpp/delivry').getAttribute('aria-invalid')).to.equal('true');
      expect(await becomes('/old/*')).to.equal('ignore');
      await page.getByLabel('Another target of /helpp/delivry').fill('/coffee/grinders');
      await clickThrough(page.getByRole('button', { name: 'Keep' }));
      await page.getByText('5 rows kept.').waitFor();
      const actions = (): Promise<string[]> =>
        Promise.all(['/zzz/qqq', '/old/*', '/help/returns.html'].map((path) => becomes(path)));
      const before = await actions();
      await page.getByLabel('All rows of this page').selectOption('Undecided');
      await clickThrough(page.getByRole('button', { name: 'Keep' }));
      expect(new Set(await actions())).to.deep.equal(new Set(['review']));
      for (const [path, action] of [
        ['/zzz/qqq', before[0]],
        ['/old/*', before[1]],
        ['/help/returns.html', before[2]],
        ['/helpp/delivry', 'accept'],
        ['/coffee/grinders', 'none'],
      ] as const)
        await page.getByLabel(`Action for ${path}`).selectOption(action ?? '');
      await clickThrough(page.getByRole('button', { name: 'Keep' }));
      await page.getByText('5 rows kept.').waitFor();
      expect(await rules()).to.deep.equal([]);
      // A choice that was changed since is kept and saved, too.
      await page.getByLabel('Action for /zzz/qqq').selectOption('Ignore');
      await clickThrough(page.getByRole('button', { name: 'Save all decided rows as rules' }));
      await page.getByText('4 rules were created').waitFor();
      expect(await rules()).to.deep.equal([
        '/help/returns.html redirect /help/returns',
        '/helpp/delivry redirect /coffee/grinders',
        '/old/%2A ignore',
        '/zzz/qqq ignore',
      ]);
      const { headers } = await project.call('GET', '/v1/proxy?url=/helpp/delivry');
      expect(headers.get('location')).to.include('/coffee/grinders');
      await page.goto(site.url + buildPath('/redirects/history'));
      await clickThrough(page.getByRole('button', { name: /Undo/ }).first());
      expect(await rules()).to.deep.equal([]);
      expect(complaints).to.deep.equal([]);
      await close();
    });

  it('are reviewed by keys: three pages by title and path each, the doubtful first; what nobody decided is not called decided', async () => {
    await pushPages(project, '/help/returns-of-sale-items', '/help/returning-a-grinder');
    const { page, complaints, axe, close } = await editor.tab();
    await page.goto(site.url + buildPath('/redirects/map'));
    const list = ['/help/returns.html', '/service/sale-grinder', '/zzz/qqq', '/coffee/grinders'];
    const rows = list.map((path, at) => `https://shop.example${path},${at === 3 ? 200 : 404},Page not found`);
    await page
      .getByLabel('File')
      .setInputFiles(file('crawl.csv', ['Address,Status Code,Title 1', ...rows, '/x,301,'].join('\n')));
    await clickThrough(page.getByRole('button', { name: 'Upload and look up' }));
    expect(await page.getByRole('status').first().innerText()).to.match(/4 old urls added. 1 line was refused.*: 301/);
    await page.getByRole('heading', { name: 'Review old urls' }).waitFor();
    const shown = page.locator('li.missing');
    const paths = await page.locator('li.missing .path').allInnerTexts();
    expect(paths.map((path) => list.findIndex((end) => path.endsWith(end)))).to.deep.equal([1, 2, 0, 3]);
    expect(await shown.first().innerText()).to.match(/\/help\/return.*0\.\d\d.*0\.\d\d.*Why: .+/s);
    expect(await shown.first().getByRole('radio').count()).to.equal(3);
    const hint = page.getByText('Saving keeps this page');
    expect(await hint.innerText()).to.include('as pathmend proposes or you decided');
    expect(await page.locator('main').innerText()).to.not.include('decided on other pages');

    const second = await shown.first().getByRole('radio').nth(1).inputValue();
    await page.keyboard.press('2');
    expect(await page.getByRole('status').last().innerText()).to.match(/\/service\/sale-grinder: Redirect$/);
    await page.keyboard.press('i');
    await page.keyboard.press('n');
    expect(await axe()).to.deep.equal([]);
    await clickThrough(page.getByRole('button', { name: 'Save all decided rows as rules' }));
    await page.getByText('2 rules were created').waitFor();
    expect(await rules()).to.deep.equal([`/service/sale-grinder redirect ${second}`, '/zzz/qqq ignore']);
    expect(complaints).to.deep.equal([]);
    await close();
  });

  it('may be a packed access log; learned proposals and the sheet leave each other alone', async () => {
    const hit = '9.9.9.9 - - [01/Nov/2026:10:00:00 +0000] "GET /help/retruns HTTP/1.1" 404 9 "-" "Mozilla/5.0"\n';
    const sent = await send(editor, '/redirects/map/upload', {}, { name: 'log.gz', text: gzipSync(hit.repeat(3)) });
    expect(sent.status).to.equal(303);
    await editor.post(buildPath('/redirects/proposals/renew'));
    expect((await editor.get(buildPath('/redirects/proposals'))).text).to.include('No proposals');
    const { text } = await editor.get(buildPath('/redirects/map'));
    expect(text).to.match(/requested 3 times|Looking up old urls/);
    expect((await editor.post(buildPath('/redirects/map/discard'))).status).to.equal(303);
    expect((await editor.get(buildPath('/redirects/map'))).text).to.include('Upload old urls');
  });

  it('are refused with the reason at the field, and read from nobody who may not send them', async () => {
    const { status, text } = await send(
      editor,
      '/redirects/map/upload',
      {},
      { name: 'x.csv', text: 'nothing,like\nit,1\n' },
    );
    expect(status).to.equal(400);
    expect(text).to.include('neither an old path or url').and.not.to.include('/tmp/');
    const none = await send(editor, '/redirects/map/upload', {});
    expect([none.status, none.text.includes('Choose a file.')]).to.deep.equal([400, true]);
    const large = await send(
      editor,
      '/redirects/transfer/upload',
      { format: '' },
      { name: 'x', text: '/a /b\n'.repeat(800_000) },
    );
    expect([large.status, large.text.includes('The file is larger than 4 MB.')]).to.deep.equal([400, true]);
    const begun = [
      '--x\r\nContent-Disposition: form-data; name="form_token"\r\n\r\nTOKEN\r\n',
      '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n/a /b\r\n',
    ];
    for (const [type, body, status] of [
      ['multipart/form-data', begun.join(''), 400],
      ['multipart/form-data; boundary=x', begun.join(''), 400],
      ['multipart/form-data; boundary=x', begun[0] ?? '', 400],
      ['multipart/form-data; boundary=x', [...begun].reverse().join('') + '--x--', 403],
      ['multipart/form-data; boundary=x', 'nonsense', 400],
    ] as const)
      expect((await sendRaw(editor, type, body)).status, body).to.equal(status);
    const elsewhere = await send(editor, '/redirects/map/upload', {}, undefined, { 'Sec-Fetch-Site': 'cross-site' });
    expect(elsewhere.status).to.equal(403);
    expect((await editor.post(buildPath('/redirects/map/upload'), { file: 'x' })).status).to.equal(400);
    const viewer = await site.newUser('viewer', project);
    expect((await send(viewer, '/redirects/map/upload', {}, { name: 'x', text: '/a' })).status).to.equal(403);
    const stranger = await site.newUser('admin', await site.newProject());
    expect((await send(stranger, '/redirects/map/upload', {}, { name: 'x', text: '/a' })).status).to.equal(404);
    for (const action of ['decide', 'discard'])
      expect((await viewer.post(buildPath(`/redirects/map/${action}`))).status, action).to.equal(403);
    const rows = Object.fromEntries(
      Array.from({ length: 26 }, (_, at) => [`do:${String(at).padStart(64, '0')}`, 'gone']),
    );
    expect((await editor.post(buildPath('/redirects/map/decide'), rows)).status).to.equal(400);
    expect((await editor.post(buildPath('/redirects/map/decide'), { [`do:${'0'.repeat(64)}`]: 'x' })).status).to.equal(
      400,
    );
    expect((await editor.post(buildPath('/redirects/map/decide'), { then: 'save' })).status).to.equal(400);
  });
});
