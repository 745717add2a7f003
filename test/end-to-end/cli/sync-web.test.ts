import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { runInProcess } from '../../support/commands.js';
import { type Finished } from '../../support/processes.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';

/** A site that knows ETags, on a port of its own; what it has may be changed. */
class Site {
  readonly pages = new Map<string, string>();
  readonly asked: { path: string; status: number; agent: string | undefined }[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const path = request.url ?? '';
      const answer = (status: number, type: string, body: string, etag?: string): void => {
        this.asked.push({ path, status, agent: request.headers['user-agent'] });
        response.writeHead(status, { 'content-type': type, ...(etag === undefined ? {} : { etag }) }).end(body);
      };
      const body = this.pages.get(path);
      if (path === '/sitemap.xml') {
        const urls = [...this.pages.keys()].map((one) => `<url><loc>${this.origin}${one}</loc></url>`);
        answer(
          200,
          'application/xml',
          `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('')}</urlset>`,
        );
      } else if (body === undefined) answer(404, 'text/plain', '');
      else {
        const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
        if (request.headers['if-none-match'] === etag) answer(304, 'text/html', '', etag);
        else answer(200, 'text/html', body, etag);
      }
    });
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  put(path: string, title: string, text: string, links: readonly string[] = []): void {
    const anchors = links.map((link) => `<a href="${link}">More of it</a>`).join(' ');
    this.pages.set(
      path,
      `<!doctype html><html lang="en"><head><title>${title}</title></head><body><nav>${anchors}</nav><main><h1>${title}</h1><p>${text}</p></main></body></html>`,
    );
  }

  start(): Promise<void> {
    return new Promise((done) => this.#server.listen(0, '127.0.0.1', done));
  }

  stop(): Promise<unknown> {
    this.#server.closeAllConnections();
    return new Promise((done) => this.#server.close(done));
  }
}

describe('pages sync of a site that is served', function () {
  this.timeout(120_000);
  let site: Site;
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
    site = new Site();
    await site.start();
    site.put('/', 'Home', 'Welcome to the workshop.', ['/care', '/hours']);
    site.put('/care', 'Care', 'Wipe it with a soft cloth, and oil the chain.', ['/care/chain']);
    site.put('/care/chain', 'Chains', 'A chain wants a drop of oil on every link.');
    for (const n of [1, 2, 3]) site.put(`/news/${n}`, `News ${n}`, `What happened on day ${n}.`);
    site.put('/hours', 'Hours', 'From Tuesday to Saturday, 9 to 18.', ['/news/1', '/news/2', '/news/3']);
  });

  afterEach(() => site.stop());

  const run = (path: string, ...args: string[]): Promise<Finished> =>
    runInProcess(['pages', 'sync', '--project', project.row.name, site.origin + path, ...args, '--json']);

  async function sync(path: string, ...args: string[]): Promise<Record<string, number>> {
    const { code, stdout, stderr } = await run(path, ...args);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout) as Record<string, number>;
  }

  it('by its sitemap, reads each page once; the next time it asks whether they changed', async () => {
    expect(await sync('/sitemap.xml', '--wait')).to.include({ created: 7, unchanged: 0, refused: 0 });
    const [care] = await project.query<{ title: string; content: string }>(
      'select title, content from pathmend.pages where project_id = $1 and url = $2',
      `${site.origin}/care`,
    );
    expect(care).to.deep.equal({ title: 'Care', content: 'Wipe it with a soft cloth, and oil the chain.' });
    expect(site.asked[0]?.agent).to.match(/^pathmend\//);
    site.asked.length = 0;
    site.put('/hours', 'Hours', 'Closed for the winter.');
    expect(await sync('/sitemap.xml')).to.include({ updated_content: 1, unchanged: 6 });
    expect(site.asked.filter(({ status }) => status === 304)).to.have.length(6);
  });

  it('asks anew for a page that was deleted here, or changed by somebody else', async () => {
    await sync('/sitemap.xml');
    await project.call('DELETE', '/v1/pages/delete', { url: `${site.origin}/hours` });
    await project.upsert({ url: `${site.origin}/care`, content: 'Not what the site says.' });
    expect(await sync('/sitemap.xml')).to.include({ created: 1, updated_content: 1, unchanged: 5 });
  });

  it('link by link finds the pages that are linked, and the second time too', async () => {
    expect(await sync('/', '--crawl')).to.include({ created: 7 });
    expect(await sync('/', '--crawl')).to.include({ created: 0, unchanged: 7, gone: 0 });
  });

  it('of a copy, told below --base, has the urls of the site, and knows what has not changed', async () => {
    const args = ['/sitemap.xml', '--base', 'https://www.example.com/shop'] as const;
    expect(await sync(...args)).to.include({ created: 7 });
    expect(await sync(...args)).to.include({ created: 0, unchanged: 7 });
    expect(site.asked.filter(({ status }) => status === 304)).to.have.length(7);
    const rows = await project.query<{ url: string }>(
      'select url from pathmend.pages where project_id = $1 order by url',
    );
    expect(rows[1]?.url).to.equal('https://www.example.com/shop/care');
  });

  it('a page that the site does not have any more is deleted with --prune', async () => {
    await sync('/sitemap.xml');
    site.pages.delete('/news/2');
    expect(await sync('/sitemap.xml', '--prune', '--dry-run')).to.include({ unchanged: 6, gone: 1 });
    expect(await sync('/sitemap.xml', '--prune')).to.include({ unchanged: 6, gone: 1 });
    expect(await sync('/sitemap.xml')).to.include({ unchanged: 6, gone: 0 });
  });

  it('deletes nothing when the site is down, and says so', async () => {
    await sync('/sitemap.xml');
    site.pages.clear();
    const { code, stderr } = await run('/sitemap.xml', '--prune', '--force');
    expect(code, stderr).to.equal(1);
    const rows = await project.query('select from pathmend.pages where project_id = $1');
    expect(rows).to.have.length(7);
  });
});
