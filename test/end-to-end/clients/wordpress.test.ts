import { createServer, request as httpRequest, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { BROKEN } from '../../support/broken-pathmend.js';
import { listen, type Listening } from '../../support/listen.js';
import { startTestService, type TestProject, type TestService } from '../../support/service.js';
import { storedClicks, storedNotFounds } from '../../support/stored-events.js';
import { hasWordPress, startWordPress, type WordPress } from '../../support/wordpress.js';

/** The time that the plugin waits for an answer: enough on a busy machine. The default of the plugin is 300. */
const BUDGET_MS = 2_000;
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
/** The time that WordPress itself takes for a page on a busy machine. */
const SITE_MS = 4_000;
const TYRE = `wp_insert_post(['post_title' => 'Mend a flat <i>tyre</i>', 'post_name' => 'flat-tyre', 'post_type' => 'page',
  'post_status' => 'publish', 'post_content' => '<p>Find the hole in the inner tube.</p><p>Patch it &amp; pump.</p>'])`;

describe('the plugin for WordPress, in a real one', function () {
  this.timeout(120_000);
  let test: TestService;
  let project: TestProject;
  let between: Listening | undefined;
  let wordpress: WordPress | undefined;
  let answer: RequestListener;

  before(async function () {
    if (!hasWordPress() && process.env['CI'] !== 'true') this.skip();
    test = await startTestService();
    project = await test.newProject();
    const forward: RequestListener = (request, response) => {
      const { method, headers, url = '' } = request;
      const onward = httpRequest(test.service.url + url, { method, headers }, (back) => {
        response.writeHead(back.statusCode ?? 0, back.headers);
        back.pipe(response);
      });
      request.pipe(onward.on('error', () => response.destroy()));
    };
    answer = forward;
    const proxy = await listen(
      createServer((request, response) => {
        answer(request, response);
      }),
    );
    between = proxy;
    wordpress = await startWordPress([join(packageRoot(), 'clients/wordpress/pathmend.php')], {
      ...{ PATHMEND_URL: JSON.stringify(proxy.url), PATHMEND_KEY: JSON.stringify(project.key) },
      PATHMEND_TIMEOUT_MS: String(BUDGET_MS),
      // Only this test starts it.
      DISABLE_WP_CRON: 'true',
    });
    await wordpress.php(`${TYRE}; wp_insert_post(['post_title' => 'Draft', 'post_content' => 'x']);
      wp_insert_post(['post_title' => 'Opening hours', 'post_status' => 'publish', 'post_content' => 'Tuesday to Saturday']);
      require ABSPATH . 'wp-admin/includes/plugin.php';
      $failed = activate_plugin('pathmend.php'); if ($failed) echo $failed->get_error_message();`);
    await cron();
    await project.indexed();
  });

  after(async () => {
    await wordpress?.stop();
    await between?.stop();
    await (test as TestService | undefined)?.stop();
  });

  const site = (): WordPress => {
    if (!wordpress) throw new Error('WordPress runs');
    return wordpress;
  };
  const cron = async (): Promise<void> => {
    expect((await fetch(`${site().url}/wp-cron.php`)).status).to.equal(200);
  };
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(site().url + path, { redirect: 'manual', headers });
  const pushed = async (): Promise<string[]> => {
    const { body } = await project.call('GET', '/v1/pages?limit=100');
    return (body.pages as { url: string }[]).map(({ url }) => url.replace(site().url, '')).sort();
  };
  const postId = (path: string): string => `get_page_by_path('${path}')->ID`;

  it('pushes all pages when it is activated, as people read them', async () => {
    expect(await pushed()).to.deep.equal(['/flat-tyre/', '/hello-world/', '/opening-hours/', '/sample-page/']);
    const { body } = await project.call('GET', '/v1/pages?limit=100');
    const { page_id } =
      (body.pages as { url: string; page_id: string }[]).find(({ url }) => url.endsWith('/flat-tyre/')) ?? {};
    const page = await project.call('GET', `/v1/pages/${page_id ?? ''}?content=true`);
    expect(page.body).to.include({
      title: 'Mend a flat tyre',
      content: 'Mend a flat tyre\n\nFind the hole in the inner tube.\n\nPatch it & pump.',
    });
  });

  it('redirects a visitor when it is nearly certain where to', async () => {
    const response = await get('/old/flat-tyre.html?a=1&b=2', { 'User-Agent': BROWSER });
    expect(response.status).to.equal(302);
    expect(response.headers.get('location')).to.equal(`${site().url}/flat-tyre/`);
    const [row] = await storedNotFounds(test.service, project.row.project_id, 1);
    expect(row).to.include({ raw_path: '/old/flat-tyre.html?a=1&b=2', outcome: 'redirected', user_agent: BROWSER });
  });

  it('else shows links in the page of the theme, once, which count clicks and lead nowhere else', async () => {
    const response = await get('/repairing-holes-of-tubes');
    const html = await response.text();
    expect(response.status).to.equal(404);
    expect(html).to.include('<h1>Nothing here</h1><nav class="pathmend">').and.include('>Mend a flat tyre</a>');
    expect(html.split('class="pathmend"')).to.have.length(2);
    const [, link = ''] = /href="([^"]*pathmend_click=[^"]*)"/.exec(html) ?? [];
    const click = link.replaceAll('&#038;', '&').replace(site().url, '');
    const led = await get(click);
    expect(led.status).to.equal(302);
    expect(led.headers.get('location')).to.equal(`${site().url}/flat-tyre/`);
    const [row] = await storedClicks(test.service, project.row.project_id, 1);
    expect(row).to.include({ clicked_url: '/flat-tyre/', raw_path: '/repairing-holes-of-tubes' });
    for (const forged of [
      click.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      '/?pathmend_click=eyJ9.',
      '/?pathmend_click[]=x',
    ])
      expect((await get(forged)).status, forged).to.equal(200);
  });

  it('asks once where PATHMEND_URL leads to the site itself', async () => {
    const before = answer;
    let questions = 0;
    answer = ({ headers, url = '' }, response) => {
      questions++;
      const onward = httpRequest(`${site().url}/gone${url}`, { headers }, (back) => {
        response.writeHead(back.statusCode ?? 0, back.headers);
        back.pipe(response);
      });
      onward.on('error', () => response.destroy()).end();
    };
    try {
      expect((await get('/asks-itself')).status).to.equal(404);
      expect(questions).to.equal(1);
    } finally {
      answer = before;
    }
  });

  it('asks nothing of a page that is there, or of a missing picture', async () => {
    const before = answer;
    answer = () => expect.fail('asked');
    try {
      expect((await get('/opening-hours/')).status).to.equal(200);
      expect((await get('/img/missing.png')).status).to.equal(404);
    } finally {
      answer = before;
    }
  });

  it('pushes what is saved, renamed and thrown away, and what went while pathmend was down', async () => {
    const forward = answer;
    await site().php(`wp_update_post(['ID' => ${postId('flat-tyre')}, 'post_name' => 'punctures']);`);
    await cron();
    expect(await pushed())
      .to.include('/punctures/')
      .and.not.include('/flat-tyre/');
    answer = (_request, response) => void response.writeHead(503).end();
    await site().php(`wp_trash_post(${postId('punctures')}); wp_delete_post(${postId('sample-page')}, true); ${TYRE};`);
    await cron();
    const left = await site().php(
      `echo get_option('pathmend_failures'), ' ', (bool) wp_next_scheduled('pathmend_push');`,
    );
    expect(left).to.equal('1 1');
    answer = forward;
    await site().php(
      `wp_clear_scheduled_hook('pathmend_push'); wp_schedule_single_event(time() - 1, 'pathmend_push');`,
    );
    await cron();
    expect(await pushed()).to.deep.equal(['/flat-tyre/', '/hello-world/', '/opening-hours/']);
    expect(await site().php(`echo count(Pathmend\\todo(9)), get_option('pathmend_failures');`)).to.equal('00');
  });

  it('pushes texts of any length, and names what pathmend refuses without asking again', async () => {
    const post = (title: string, content: string): string =>
      `wp_insert_post(['post_title' => ${title}, 'post_status' => 'publish', 'post_content' => ${content}]);`;
    await site().php(post("'Good'", "'Good'") + post("'Long'", "str_repeat('länge ', 300000)"));
    await cron();
    expect(await pushed()).to.include.members(['/good/', '/long/']);
    const forward = answer;
    answer = (_request, response) =>
      void response.end('{"results": [{"url": "/bad", "error": {"code": "invalid_request", "message": "too odd"}}]}');
    await site().php(post("'Bad'", "'Bad'"));
    await cron();
    answer = forward;
    expect(await site().php(`echo count(Pathmend\\todo(9)), get_option('pathmend_last_error');`)).to.match(
      /^0.*\/bad: too odd$/,
    );
  });

  for (const [name, broken] of Object.entries(BROKEN)) {
    it(`leaves the site its own 404 in time when pathmend ${name}`, async () => {
      const forward = answer;
      answer = broken;
      await site().php(`delete_transient('pathmend_down');`);
      try {
        const began = performance.now();
        const response = await get('/repairing-holes-of-tubes');
        expect(response.status).to.equal(404);
        expect(await response.text())
          .to.include('<h1>Nothing here</h1><form')
          .and.not.include('class="pathmend"');
        expect(performance.now() - began).to.be.lessThan(BUDGET_MS + SITE_MS);
      } finally {
        answer = forward;
      }
    });
  }

  it('is set up by administrators only, by a form of theirs', async () => {
    const form = new URLSearchParams({ action: 'pathmend_push_all' });
    const post = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${site().url}/wp-admin/admin-post.php`, { method: 'POST', body: form, redirect: 'manual', headers });
    await post({});
    const login = await fetch(`${site().url}/wp-login.php`, {
      ...{ method: 'POST', redirect: 'manual', headers: { Cookie: 'wordpress_test_cookie=WP%20Cookie%20check' } },
      body: new URLSearchParams({ log: 'admin', pwd: 'Only-4-tests', testcookie: '1' }),
    });
    const cookie = login.headers
      .getSetCookie()
      .map((setCookie) => setCookie.split(';')[0])
      .join('; ');
    expect((await post({ Cookie: cookie })).status).to.equal(403);
    expect(await site().php('echo count(Pathmend\\todo(9));')).to.equal('0');
    const page = await (await get('/wp-admin/tools.php?page=pathmend', { Cookie: cookie })).text();
    expect(page).to.include('0 pages wait to be pushed').and.not.include(project.key);
    form.set('_wpnonce', /name="_wpnonce" value="(\w+)"/.exec(page)?.[1] ?? '');
    expect((await post({ Cookie: cookie })).status).to.equal(302);
    expect(await site().php('echo count(Pathmend\\todo(9));')).to.equal('6');
  });
});
