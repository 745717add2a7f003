import { expect } from 'chai';
import { redirect } from '../../../support/learned-redirects.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const SITE = 'https://shop.example';

describe('GET /v1/proxy for a page that is indexed and dead', () => {
  const folder = temporaryFolder();
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
  });

  async function push(...paths: string[]): Promise<void> {
    for (const path of paths)
      await project.upsert({ url: SITE + path, content: `All that there is to say about ${path}.` });
    await project.indexed();
  }

  async function sentTo(url: string, key = project.key): Promise<string | null> {
    const { headers } = await project.call('GET', `/v1/proxy?url=${encodeURIComponent(url)}`, undefined, {
      Authorization: `Bearer ${key}`,
    });
    return headers.get('location');
  }

  it('never redirects to the url that was asked, however that is written', async () => {
    await push('/help/opening-hours', '/catalogue/b%C3%BCcher', '/start/', '/list?page=2', '/');
    for (const url of [
      '/help/opening-hours',
      `${SITE}/help/opening-hours`,
      'http://shop.example/help/opening-hours/',
      'https://SHOP.example:443/help/opening-hours#times',
      'https://www.shop.example/help/opening-hours/index.html',
      '/help/%6Fpening-hours',
      '/help/opening-hours?utm_source=mail&gclid=1',
      '/catalogue/bücher',
      '/catalogue/b%C3%BCcher',
      '/start',
      '/start/index.php',
      '/list?page=2',
      '/',
      '/index.html',
      SITE,
    ]) {
      expect(await sentTo(url), url).to.equal(null);
    }
  });

  it('shows a page to whoever asks for it in another spelling, and redirects there by a rule alone', async () => {
    await push('/help/opening-hours', '/contact');
    const shown = async (url: string): Promise<string[]> => {
      const { status, body } = await project.call('GET', `/v1/proxy?url=${encodeURIComponent(url)}`);
      expect(status, url).to.equal(404);
      return (body.error.details.suggestions as { url: string }[]).map((suggestion) => suggestion.url);
    };
    expect(await shown('/help/opening-hours'), 'it is what is missing').to.not.include('/help/opening-hours');
    for (const url of ['/help/opening-hours/', '/help/opening-hours/index.html'])
      expect(await shown(url), url).to.include('/help/opening-hours');
    await redirect(sharedService().service, project, folder, '/contact/index.php /contact');
    expect(await sentTo('/contact/index.php')).to.equal(`${SITE}/contact`);
    expect(await sentTo('/contact')).to.equal(null);
  });

  it('suggest may still name it, and other urls that mean it are redirected to it', async () => {
    await push('/help/opening-hours');
    const { body } = await project.post('/v1/suggest', { path: '/help/opening-hours' });
    expect(body.suggestions[0].url).to.equal('/help/opening-hours');
    for (const url of [
      'https://old.example/help/opening-hours',
      '/help/opening-hours.html',
      '/Help/Opening-Hours',
      '/help/opening-hours?page=7',
    ]) {
      expect(await sentTo(url), url).to.equal(`${SITE}/help/opening-hours`);
    }
  });

  it('redirects to the next best page, if that is nearly certain', async () => {
    await push('/help/opening-hours', '/contact');
    await redirect(sharedService().service, project, folder, '/help/opening-hours /contact');
    expect(await sentTo('/help/opening-hours')).to.equal(`${SITE}/contact`);
  });

  it('two dead pages that lead to each other end in a 404, for a test key of its own, too', async () => {
    await push('/one', '/two', '/three');
    await redirect(sharedService().service, project, folder, '/one /two', '/two /one', '/three /one');
    const testKey = await project.newKey({ mode: 'test' });
    for (const key of [project.key, testKey]) {
      expect(await sentTo('/one', key)).to.equal(`${SITE}/two`);
      expect(await sentTo('/two', key), 'where it came from').to.equal(null);
      expect(await sentTo('/one', key), 'again').to.equal(null);
    }
    expect(await sentTo('/three'), 'a third dead page').to.equal(null);
    await push('/one');
    expect(await sentTo('/three'), 'pushed again').to.equal(`${SITE}/one`);
  });
});
