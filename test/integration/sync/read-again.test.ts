import { expect } from 'chai';
import { startTestService, type TestService } from '../../support/service.js';
import { OWN_NETWORK } from '../../support/watch.js';
import { SyncedProject } from '../../support/synced-site.js';
import { html, page, startSite, text, type WebSite } from '../../support/web-site.js';

describe('a synced page whose lastmod is of today', function () {
  this.timeout(180_000);
  let test: TestService;
  let web: WebSite;
  let price = 'ten';
  const today = new Date().toISOString().slice(0, 10);
  const long = '2020-02-02';

  before(async () => {
    test = await startTestService(OWN_NETWORK);
    web = await startSite((path, response, request) => {
      const url = (of: string, lastmod: string): string =>
        `<url><loc>${web.origin}${of}</loc><lastmod>${lastmod}</lastmod></url>`;
      if (path === '/sitemap.xml')
        text(
          response,
          200,
          `<urlset>${url('/a', today)}${url('/tagged', today)}${url('/copy', today)}${url('/old', long)}</urlset>`,
        );
      else if (path === '/robots.txt') text(response, 404);
      else if (path === '/tagged' && request.headers['if-none-match'] === '"1"') response.writeHead(304).end();
      else if (path === '/tagged' || path === '/copy')
        html(response, page('Café prices'), path === '/tagged' ? { etag: '"1"' } : {});
      else html(response, page(`${path} costs ${price} euros`));
    });
  });
  after(async () => {
    await web.close();
    await test.stop();
  });

  it('is read again at the next sync, and no other is', async () => {
    const project = await test.newProject();
    const synced = new SyncedProject(
      test,
      { web, paths: [], deadLinks: [], hasSitemap: true, atPage: () => undefined },
      project,
    );
    await synced.set();
    expect((await synced.sync()).report).to.include({ created: 3 });
    const storedAt = async (): Promise<number> => {
      const [row] = await synced.rows<{ at: Date }>(
        `select v.stored_at as at from pathmend.page_validators v join pathmend.pages p using (project_id, page_id)
          where p.project_id = $1 and p.url like '%/tagged'`,
      );
      return row?.at.getTime() ?? NaN;
    };
    const before = await storedAt();
    price = 'twenty';
    web.requests.length = 0;
    expect((await synced.sync()).report).to.include({ updated_content: 1, unchanged: 2 });
    expect(web.requests.map(({ path }) => path).slice(1)).to.deep.equal(['/a', '/tagged', '/copy']);
    // The page that answered 304 was read now: its lastmod counts once that day has passed.
    expect(await storedAt()).to.be.above(before);
    // A copy of it is still no page.
    expect(await synced.urls()).to.deep.equal(['/a', '/old', '/tagged']);
  });
});
