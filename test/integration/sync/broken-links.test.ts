import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { onCommandLine } from '#src/accounts/actor.js';
import { changeRules } from '#src/rules/change-rules.js';
import { LinkLog } from '#src/sources/web/link-log.js';
import { jsonInProcess, runInProcess } from '../../support/commands.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { html, page, startSite, text, type WebSite } from '../../support/web-site.js';

describe('a crawl names the broken links of a site', function () {
  this.timeout(120_000);
  let site: WebSite;
  let project: TestProject;
  /** The pages of the site by path: the links of a page, or the status that the site answers. */
  let pages: Record<string, string[] | number>;

  beforeEach(async () => {
    project = await sharedService().newProject();
    pages = {
      '/': ['/help', '/shop', '/dead', '/members', '/blocked/x', 'https://elsewhere.example/dead'],
      '/help': ['/dead#part', '/gone?id=1', '/shop', '/help'],
      '/shop': ['/crashes', '/away'],
      '/gone?id=1': 410,
      '/crashes': 500,
      '/members': 403,
    };
    site = await startSite((path, response, request) => {
      const linksOrStatus = pages[path];
      if (path === '/robots.txt') text(response, 200, 'User-agent: *\nDisallow: /blocked/');
      else if (path === '/away') response.writeHead(302, { location: 'https://elsewhere.example/' }).end();
      else if (typeof linksOrStatus !== 'object') text(response, linksOrStatus ?? 404);
      else {
        const body = page(`Page ${path}`, linksOrStatus);
        const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
        if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
        else html(response, body, { etag });
      }
    });
  });
  afterEach(() => site.close());

  const crawl = async (...args: string[]): Promise<string> => {
    const command = ['pages', 'sync', `${site.origin}/`, '--project', project.row.project_id, ...args];
    const { code, stderr } = await runInProcess(command);
    expect(code, stderr).to.equal(0);
    return stderr;
  };
  const path = (url: string): string => url.replace(site.origin, '');
  const links = async (search = ''): Promise<[string, number | null, string[], number][]> => {
    const { status, body } = await project.call('GET', `/v1/links${search}`);
    expect(status).to.equal(200);
    return (body.links as { url: string; status: number | null; pages: string[]; page_count: number }[]).map((link) => [
      path(link.url),
      link.status,
      link.pages.map(path).sort(),
      link.page_count,
    ]);
  };
  const change = async (of: string, action: 'redirect' | 'ignore', target?: string): Promise<void> => {
    const { service } = sharedService();
    const deps = { ...service.deps, db: service.db };
    await changeRules(deps, project.row.project_id, [{ path: of, action, target }], onCommandLine('a test'));
  };

  it('with the pages that have them, what was answered, and when; not what only some may see or ask for', async () => {
    expect(await crawl('--crawl')).to.include('3 broken links: ');
    expect(await links()).to.deep.equal([
      ['/dead', 404, ['/', '/help'], 2],
      ['/crashes', 500, ['/shop'], 1],
      ['/gone?id=1', 410, ['/help'], 1],
    ]);
    const { body } = await project.call('GET', '/v1/links?limit=1');
    expect(body.links[0]).to.deep.include({ answer: 'the server answers 404', broken: true, leads_to: null });
    expect(Date.now() - Date.parse(body.links[0].checked_at)).to.be.within(0, 60_000);
    const { body: next } = await project.call('GET', `/v1/links?limit=5&cursor=${body.next_cursor}`);
    expect([next.links.length, next.next_cursor]).to.deep.equal([2, null]);
  });

  it('of pages that have not changed, too; each crawl replaces what the one before met', async () => {
    await crawl('--crawl');
    delete pages['/shop'];
    pages['/gone?id=1'] = ['/help'];
    site.requests.length = 0;
    await crawl('--crawl');
    expect(site.requests.find((request) => request.path === '/help')?.headers['if-none-match']).to.be.a('string');
    // The pages that link to /shop answered 304. No page links to /crashes any longer, so that the crawl does not
    // check it.
    expect(await links()).to.deep.equal([
      ['/dead', 404, ['/', '/help'], 2],
      ['/shop', 404, ['/', '/help'], 2],
    ]);
    pages['/'] = ['/help'];
    pages['/help'] = ['/'];
    await crawl('--crawl', '--dry-run');
    await crawl('--allow', 'https://elsewhere.example').catch(() => undefined);
    expect(await links()).to.have.length(2);
    await crawl('--crawl');
    expect(await links()).to.deep.equal([]);
  });

  it('which are broken no more when they have a rule, or a page', async () => {
    await crawl('--crawl');
    await project.indexed();
    await change('/dead', 'redirect', '/help');
    await change('/crashes', 'ignore');
    const { body } = await project.call('GET', '/v1/links');
    const linkStates = (body.links as { broken: boolean; leads_to: string | null }[]).map((link) => [
      link.broken,
      link.leads_to,
    ]);
    expect(linkStates).to.deep.equal([
      [false, `${site.origin}/help`],
      [false, null],
      [true, null],
    ]);
    expect((await links('?broken=true')).map(([of]) => of)).to.deep.equal(['/gone?id=1']);
    await project.upsert({ url: `${site.origin}/gone?id=1`, content: 'It is there again, with all that it had.' });
    await project.indexed();
    expect(await links('?broken=true')).to.deep.equal([]);
    expect(await links('?broken=false')).to.have.length(3);
    const rows = await project.query<{ link: string }>(
      `select link, page, status, broken, people::int from analytics.broken_internal_links where project_id = $1 order by 1, 2`,
    );
    expect(rows.map((row) => Object.values(row))).to.deep.equal([
      ['/crashes', `${site.origin}/shop`, 500, false, 0],
      ['/dead', `${site.origin}/`, 404, false, 0],
      ['/dead', `${site.origin}/help`, 404, false, 0],
      ['/gone', `${site.origin}/help`, 410, true, 0],
    ]);
  });

  it('and forgets those of a path that is erased', async () => {
    await crawl('--crawl');
    const erase = (of: string): Promise<unknown> =>
      jsonInProcess(['events', 'forget', '--project', project.row.project_id, '--path', of]);
    await erase('/Gone');
    await erase('/help');
    expect(await links()).to.deep.equal([
      ['/dead', 404, ['/'], 2],
      ['/crashes', 500, ['/shop'], 1],
    ]);
  });

  it('to its own project alone', async () => {
    await crawl('--crawl');
    const { body } = await (await sharedService().newProject()).call('GET', '/v1/links');
    expect(body).to.deep.equal({ links: [], next_cursor: null });
    for (const cursor of ['x', 'LTk5OTk5OTk5OTk5', ''])
      expect((await project.call('GET', `/v1/links?cursor=${cursor}`)).status, cursor).to.be.oneOf([200, 400]);
  });

  it('twenty pages of each by name, and the others by number', () => {
    const log = new LinkLog();
    const origins = new Set(['https://a.example']);
    for (let n = 0; n < 30; n++)
      log.add(`https://a.example/${n}`, ['https://a.example/dead', 'https://a.example/live'], origins);
    log.add('https://a.example/0', ['https://a.example/dead'], origins);
    log.addBroken('https://a.example/dead', 404, 'the server answers 404');
    log.addBroken('https://a.example/nobody-links-here', 404, 'the server answers 404');
    const [link, ...otherLinks] = log.list();
    expect(otherLinks).to.deep.equal([]);
    expect([link?.url, link?.pages.length, link?.pageCount]).to.deep.equal(['https://a.example/dead', 20, 30]);
  });

  it('ten thousand of them, in twenty million characters, however many links a hostile site has', () => {
    const log = new LinkLog();
    const origins = new Set(['https://a.example']);
    const urlOf = (number: number): string => `https://a.example/${'x'.repeat(400)}${number}`;
    const groups = Array.from({ length: 12 }, (_, group) =>
      log.add(
        urlOf(-group),
        Array.from({ length: 1_000 }, (_link, at) => urlOf(group * 1_000 + at)),
        origins,
      ),
    );
    for (let number = 0; number < 240; number++)
      log.addKnown(`https://a.example/${'p'.repeat(400)}${number}`, groups[number % 12] ?? Buffer.alloc(0));
    for (let number = 0; number < 12_000; number++) log.addBroken(urlOf(number), 404, 'the server answers 404');
    const list = log.list();
    expect(list).to.have.length(10_000);
    expect(list.reduce((sum, { pageCount }) => sum + pageCount, 0)).to.be.above(200_000);
    const characters = list.reduce((sum, { pages: urls }) => sum + urls.join('').length, 0);
    expect(characters).to.be.within(19_000_000, 20_000_000);
  });
});
