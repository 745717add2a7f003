import { expect } from 'chai';
import type { Validators } from '#src/sources/source.js';
import { readAll, startSite, text, type Read, type WebSite } from '../../support/web-site.js';
import { hasWordPress, startWordPress, type WordPress } from '../../support/wordpress.js';

const POSTS = `
foreach (range(1, 120) as $n)
  wp_insert_post(['post_title' => "Post $n", 'post_content' => "<p>What post $n says.</p>", 'post_status' => 'publish']);
$brew = wp_insert_term('Brew & taste', 'category');
wp_insert_post([
  'post_title' => 'Milk &amp; <em>sugar</em> “now”',
  'post_content' => '<!-- wp:paragraph --><p>Warm the milk.</p><!-- /wp:paragraph -->[gallery]',
  'post_status' => 'publish', 'post_category' => [$brew['term_id']], 'tags_input' => ['milk'],
]);
wp_insert_post(['post_title' => 'Draft', 'post_content' => 'x', 'post_status' => 'draft']);
wp_insert_post(['post_title' => 'Secret', 'post_content' => 'x', 'post_status' => 'publish', 'post_password' => 'p']);
wp_insert_post(['post_title' => 'Über uns', 'post_content' => '<p>Wir rösten.</p>', 'post_status' => 'publish', 'post_type' => 'page']);
`;

describe('the REST API of a real WordPress', function () {
  this.timeout(120_000);
  let wordpress: WordPress | undefined;
  const known = new Map<string, Validators>();
  const site = (): WordPress => {
    if (!wordpress) throw new Error('WordPress runs');
    return wordpress;
  };
  const read = (): Promise<Read> =>
    readAll({
      ...{ start: site().url, crawl: false, restApi: true },
      known: {
        get: (url) => known.get(url),
        set: (url, validators) => void known.set(url, validators),
      },
    });

  before(async function () {
    if (!hasWordPress() && process.env['CI'] !== 'true') this.skip();
    wordpress = await startWordPress([], {});
    await wordpress.php(POSTS);
  });
  after(() => wordpress?.stop());

  it('gives what is published, with titles as people read them; then only what has changed', async () => {
    const all = await read();
    expect(all.refused).to.deep.equal([]);
    expect(all.report).to.deep.include({ isComplete: true, leftOut: { 'it has a password': 1 } });
    // With the page and the post of every new WordPress.
    expect(all.pages).to.have.length(124);
    const found = all.items.find((item) => item.kind === 'page' && item.page.title?.startsWith('Milk'));
    expect(found?.kind === 'page' && { ...found.page, metadata: { ...found.page.metadata, date: '' } }).to.deep.equal({
      url: `${site().url}/milk-sugar-now/`,
      title: 'Milk & sugar “now”',
      content: 'Warm the milk.',
      metadata: { type: 'post', date: '', categories: ['Brew & taste'], tags: ['milk'] },
    });
    expect(all.pages).to.include('/uber-uns/');

    await site().php(
      `$post = get_page_by_path('post-7', OBJECT, 'post'); sleep(1); wp_update_post(['ID' => $post->ID, 'post_content' => 'New.']);`,
    );
    const again = await read();
    expect(again.pages).to.deep.equal(['/post-7/']);
    expect(again.unchanged).to.have.length(123);
  });

  it('is found by a parameter where the urls of posts are numbers', async () => {
    await site().php(`update_option('permalink_structure', '');`);
    const all = await read();
    expect(all.pages).to.include('/?p=1').and.have.length(124);
    expect(all.refused).to.deep.equal([]);
  });
});

describe('what is no REST API of WordPress', () => {
  let site: WebSite;
  afterEach(() => site.close());

  const refusal = async (): Promise<string> =>
    readAll({ start: site.origin, crawl: false, restApi: true }).then(
      ({ refused }) => `read, ${JSON.stringify(refused)}`,
      (error: unknown) => String(error),
    );

  it('is said to be none, whatever it answers, and is not asked where robots.txt disallows it', async () => {
    for (const [status, body] of [
      [404, ''],
      [401, '{"code":"rest_forbidden"}'],
      [200, '<html></html>'],
      [200, '{"pages":[]}'],
      [200, '[null]'],
    ] as const) {
      site = await startSite((_path, response) => {
        text(response, status, body);
      });
      expect(await refusal()).to.include('shows no REST API of WordPress');
      await site.close();
    }
    site = await startSite((_path, response) => {
      text(response, 200, 'User-agent: pathmend\nDisallow: /');
    });
    expect(await refusal()).to.include('robots.txt disallows it');
    expect(site.asked).to.deep.equal([]);
  });

  it('is not complete where posts are missing, and its odd posts are refused one by one', async () => {
    const post = (id: unknown, link: unknown): object => ({ id, link, title: { rendered: 'T' }, content: null });
    site = await startSite((path, response, request) => {
      const rows = path.includes('/posts')
        ? [
            post(1, `http://${request.headers.host ?? ''}/a`),
            post(2, 'https://elsewhere.example/b'),
            post(3, 7),
            post('x', ''),
          ]
        : [];
      text(response, 200, path === '/robots.txt' ? '' : JSON.stringify(rows), {
        'x-wp-total': '9',
        'x-wp-totalpages': '1',
      });
    });
    const all = await readAll({ start: site.origin, crawl: false, restApi: true });
    expect(all.pages).to.deep.equal(['/a']);
    expect(all.refused.map(({ reason }) => reason)).to.include.members([
      'its origin may not be requested: --allow names it',
      'link must be a full url',
    ]);
    expect(all.report.isComplete).to.equal(false);
  });
});
