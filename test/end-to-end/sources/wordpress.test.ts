import { expect } from 'chai';
import { readAll } from '../../support/web-site.js';
import { hasWordPress, startWordPress, type WordPress } from '../../support/wordpress.js';

describe('the sitemap of a real WordPress', function () {
  this.timeout(120_000);
  let wordpress: WordPress | undefined;

  before(async function () {
    if (!hasWordPress() && process.env['CI'] !== 'true') this.skip();
    wordpress = await startWordPress([], {});
    await wordpress.php(`
      foreach (range(1, 12) as $n)
        wp_insert_post(['post_title' => "Post $n", 'post_content' => "<p>What post $n says.</p>", 'post_status' => 'publish']);
      wp_insert_post(['post_title' => 'Draft', 'post_content' => 'x', 'post_status' => 'draft']);
      wp_insert_post(['post_title' => 'Über uns', 'post_content' => '<p>Wir rösten.</p>', 'post_status' => 'publish', 'post_type' => 'page']);
      update_option('blog_public', '1');`);
  });
  after(() => wordpress?.stop());

  it('gives what is published, from the address of the site alone', async () => {
    const { pages, refused, report } = await readAll({ start: `${wordpress?.url ?? ''}/`, crawl: false });
    expect([refused, report.isComplete]).to.deep.equal([[], true]);
    expect(pages)
      .to.include.members(['/uber-uns/', ...Array.from({ length: 12 }, (_, at) => `/post-${at + 1}/`)])
      .and.not.include('/draft/');
  });
});
