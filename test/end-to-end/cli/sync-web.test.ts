import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { runInProcess } from '../../support/commands.js';
import { type Finished } from '../../support/processes.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { html, startSite, text, type WebSite } from '../../support/web-site.js';

const titled = (title: string, words: string): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${words}</p></main></body></html>`;

describe('pages sync of a site that is served', function () {
  this.timeout(120_000);
  let site: WebSite;
  let pages: Map<string, string>;
  /** Counts the answers that a page is unchanged. */
  let unchanged: number;
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
    pages = new Map([
      ['/', titled('Home', 'Welcome to the workshop.')],
      ['/care', titled('Care', 'Wipe it with a soft cloth, and oil the chain.')],
      ['/care/chain', titled('Chains', 'A chain wants a drop of oil on every link.')],
      ...[1, 2, 3].map((day) => [`/news/${day}`, titled(`News ${day}`, `What happened on day ${day}.`)] as const),
      ['/hours', titled('Hours', 'From Tuesday to Saturday, 9 to 18.')],
    ]);
    unchanged = 0;
    site = await startSite((path, response, request) => {
      const body = pages.get(path);
      const etag = `"${createHash('sha256')
        .update(body ?? '')
        .digest('hex')}"`;
      const urls = [...pages.keys()].map((name) => `<url><loc>${site.origin}${name}</loc></url>`);
      if (path === '/sitemap.xml') text(response, 200, `<urlset>${urls.join('')}</urlset>`);
      else if (body === undefined) text(response, 404);
      else if (request.headers['if-none-match'] === etag) {
        unchanged++;
        response.writeHead(304, { etag }).end();
      } else html(response, body, { etag });
    });
  });

  afterEach(() => site.close());

  const run = (path: string, ...args: string[]): Promise<Finished> =>
    runInProcess(
      ['pages', 'sync', '--project', project.row.name, site.origin + path, ...args, '--json'],
      sharedService().database.environment,
    );

  async function sync(path: string, ...args: string[]): Promise<Record<string, number>> {
    const { code, stdout, stderr } = await run(path, ...args);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout) as Record<string, number>;
  }

  it('by its sitemap, reads each page once; the next time it asks whether they changed', async () => {
    expect(await sync('/sitemap.xml', '--wait')).to.include({ created: 7, unchanged: 0, refused: 0 });
    const [care] = await query<{ title: string; content: string }>(
      sharedService().service,
      'select title, content from pathmend.pages where project_id = $1 and url = $2',
      [project.row.project_id, `${site.origin}/care`],
    );
    expect(care).to.deep.equal({ title: 'Care', content: 'Wipe it with a soft cloth, and oil the chain.' });
    expect(site.requests[0]?.headers['user-agent']).to.match(/^pathmend\//);
    pages.set('/hours', titled('Hours', 'Closed for the winter.'));
    expect(await sync('/sitemap.xml')).to.include({ updated_content: 1, unchanged: 6 });
    expect(unchanged).to.equal(6);
  });

  it('asks anew for a page that was deleted here, or changed by somebody else', async () => {
    await sync('/sitemap.xml');
    await project.call('DELETE', '/v1/pages/delete', { url: `${site.origin}/hours` });
    await project.upsert({ url: `${site.origin}/care`, content: 'Not what the site says.' });
    expect(await sync('/sitemap.xml')).to.include({ created: 1, updated_content: 1, unchanged: 5 });
  });

  it('of a copy, told below --base, has the urls of the site, and knows what has not changed', async () => {
    const args = ['/sitemap.xml', '--base', 'https://www.example.com/shop'] as const;
    expect(await sync(...args)).to.include({ created: 7 });
    expect(await sync(...args)).to.include({ created: 0, unchanged: 7 });
    expect(unchanged).to.equal(7);
    const rows = await query<{ url: string }>(
      sharedService().service,
      'select url from pathmend.pages where project_id = $1 order by url',
      [project.row.project_id],
    );
    expect(rows[1]?.url).to.equal('https://www.example.com/shop/care');
  });
});
