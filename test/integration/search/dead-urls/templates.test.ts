import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { openTemplates } from '#src/search/dead-urls/template-folder.js';
import { packageRoot } from '#src/base/package-root.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

/** The template of docs/start/missing-pages.md. */
async function documented(): Promise<string> {
  const document = await readFile(join(packageRoot(), 'docs/start/missing-pages.md'), 'utf8');
  return /```html\n(.*?)```/s.exec(document)?.[1] ?? '';
}

describe('a folder of templates for the page of a 404', () => {
  const folder = temporaryFolder();
  let test: TestService;
  let project: TestProject;

  before(async () => {
    await writeFile(join(folder, 'not-found.html'), await documented());
    test = await startTestService({ NOT_FOUND_TEMPLATES: folder, NOT_FOUND_MAX_AGE: '60' });
    project = await test.newProject();
    await project.upsert({
      url: 'https://shop.example/pens',
      title: 'Pens <b>',
      content: 'Fountain pens with nibs, in blue and black ink.',
    });
    await project.indexed();
  });
  after(async () => {
    await test.stop();
  });

  const ask = (path: string): ReturnType<TestProject['call']> =>
    project.call('GET', `/v1/not-found?url=${encodeURIComponent(path)}`, undefined, { Accept: 'text/html' });

  it('is what visitors see, escaped, with its policy, and may be cached for each key', async () => {
    const { status, text, headers } = await ask('/pens-<img src=x>');
    expect(status).to.equal(404);
    expect(text).to.include('<p>There is nothing at /pens-&lt;img src=x&gt;.</p>');
    expect(text).to.include('<li><a href="https://shop.example/pens">Pens &lt;b&gt;</a></li>');
    expect(headers.get('content-security-policy')).to.include("default-src 'none'; style-src 'self'");
    expect(headers.get('cache-control')).to.equal('public, max-age=60');
    expect(headers.get('vary')).to.equal(
      'Accept, Authorization, X-Original-Host, X-Pathmend-Click, X-Pathmend-Search, User-Agent',
    );
    const data = await project.call('GET', '/v1/not-found?url=/pens/ink', undefined, { Accept: 'application/json' });
    expect(data.headers.get('vary')).to.equal(
      'Accept, Authorization, X-Original-Host, X-Pathmend-Click, X-Pathmend-Search',
    );
    const assistant = { Accept: 'text/html', 'User-Agent': 'ChatGPT-User/1.0' };
    const shown = await project.call('GET', '/v1/not-found?url=/pens/ink', undefined, assistant);
    expect(shown.headers.get('cache-control')).to.equal('no-store');
  });

  it('links through the path of the server that counts clicks', async () => {
    const headers = { Accept: 'text/html', 'X-Pathmend-Click': '/a/click' };
    const { text } = await project.call('GET', '/v1/not-found?url=/pens/ink', undefined, headers);
    expect(text).to.match(/<li><a href="\/a\/click\?search_id=[0-9a-f-]{36}&amp;rank=1">Pens &lt;b&gt;<\/a><\/li>/);
  });

  it('is cached with a redirect, unless a date changes the rules of the path', async () => {
    const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();
    const key = await project.newKey({ scopes: ['rules'] });
    const target = 'https://other.example/sale';
    const rules = [
      { path: '/always', target },
      { path: '/sale', target, valid_until: day(1) },
      { path: '/chain', target: 'https://shop.example/sale', code: 301 },
      { path: '/ended', target, valid_until: day(-1) },
      { path: '/later', target, valid_from: day(1) },
      { path: '/closed', action: 'gone', valid_until: day(1) },
    ];
    const headers = { Authorization: `Bearer ${key}` };
    const added = await project.call('POST', '/v1/rules', { rules }, headers);
    expect(added.status, added.text).to.equal(200);
    const cached = async (path: string): Promise<unknown[]> => {
      const { status, headers: answered } = await ask(path);
      return [status, answered.get('cache-control')];
    };
    expect(await cached('/always')).to.deep.equal([301, 'public, max-age=60']);
    expect(await cached('/sale')).to.deep.equal([301, 'no-store']);
    expect(await cached('/chain')).to.deep.equal([301, 'no-store']);
    expect(await cached('/ended')).to.deep.equal([404, 'no-store']);
    expect(await cached('/later')).to.deep.equal([404, 'no-store']);
    expect(await cached('/closed')).to.deep.equal([410, 'no-store']);
  });

  it('may have a template for one project', async () => {
    const other = await mkdtemp(join(tmpdir(), 'pathmend-templates-'));
    const projectId = randomUUID();
    await writeFile(join(other, 'not-found.html'), 'of all');
    await writeFile(join(other, `${projectId}.html`), 'of one');
    const templateOf = await openTemplates(other);
    const render = (id: string): string | undefined =>
      templateOf(id)?.render({ heading: '', path: '/x', isGone: false, suggestions: [] });
    expect([render(projectId), render(randomUUID())]).to.deep.equal(['of one', 'of all']);
    await rm(other, { recursive: true });
  });

  it('is refused at the start if it cannot be read, is none, is too large or leads out of it', async () => {
    const other = await mkdtemp(join(tmpdir(), 'pathmend-templates-'));
    const open = async (): Promise<string> =>
      openTemplates(other).then(
        () => 'opened',
        (error: unknown) => String(error),
      );
    const put = async (name: string, text: string | Buffer, message: string): Promise<void> => {
      await writeFile(join(other, name), text);
      expect(await open()).to.include(message);
      await rm(join(other, name));
    };
    expect(await open()).to.equal('opened');
    await put('not-found.html', '\n{{x}}', 'not-found.html:2: there is no placeholder');
    await put('not-found.html', 'x'.repeat(262_145), 'larger than 262144 bytes');
    await put('not-found.html', Buffer.from([0xff]), 'not UTF-8');
    await put('shop.html', '', 'shop.html is no project');
    await put('style.css', '{{x}}', 'opened');
    await mkdir(join(other, `${randomUUID()}.html`));
    expect(await open()).to.include('is not a file');
    await rm(other, { recursive: true });
    await mkdir(other);
    await symlink(join(folder, 'not-found.html'), join(other, 'not-found.html'));
    expect(await open()).to.include('leads out of its folder');
    await rm(other, { recursive: true });
    expect(await open()).to.include('is not a folder that can be read');
  });
});
