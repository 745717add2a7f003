import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { readExampleSite } from '#src/app/demo/example-site.js';
import type { TestProject } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';

describe('words that are still typed, in the example shop', function () {
  this.timeout(120_000);
  let project: TestProject;
  let pages: { title: string; url: string }[];

  before(async () => {
    project = await sharedService().newProject();
    const shop = await readExampleSite(join(packageRoot(), 'examples', 'shop'));
    for (const { url, title, content } of shop.pages) await project.upsert({ url, title, content });
    pages = shop.pages.map(({ url, title }) => ({ url, title }));
    await project.indexed();
  });

  /** The share of pages that are among five for what `typed` makes of their titles. */
  async function shareFound(typed: (title: string) => string): Promise<number> {
    let count = 0;
    for (const { url, title } of pages) {
      const query = encodeURIComponent(typed(title));
      const { body } = await project.call('GET', `/v1/search?by=words&limit=5&query=${query}`);
      const urls = (body.suggestions as { url: string }[]).map((suggestion) => suggestion.url);
      if (urls.includes(new URL(url).pathname)) count++;
    }
    return count / pages.length;
  }

  it('find nearly all pages by four letters of the title, few if these were whole words, and all by the title', async () => {
    expect(await shareFound((title) => title.slice(0, 4))).to.be.above(0.9);
    expect(await shareFound((title) => `${title.slice(0, 4)} `)).to.be.below(0.5);
    expect(await shareFound((title) => title)).to.equal(1);
  });

  it('may be any text', async () => {
    for (const query of ['s', 'a', '%', '_', 'é', '\u{10ffff}', 'ﷺ', 'co'.repeat(900), 'a '.repeat(999)]) {
      const { status } = await project.call('GET', `/v1/search?by=words&query=${encodeURIComponent(query)}`);
      expect(status, query).to.equal(200);
    }
  });
});
