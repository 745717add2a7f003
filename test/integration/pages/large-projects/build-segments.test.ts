import { join } from 'node:path';
import { expect } from 'chai';
import { readExampleSite } from '#src/app/demo/example-site.js';
import { packageRoot } from '#src/base/package-root.js';
import { createPageCheck } from '#src/pages/check-page.js';
import { upsertPages } from '#src/pages/upsert-pages.js';
import { PATHS, QUESTIONS, startLargeProjects } from '../../../support/large-projects.js';
import type { TestProject } from '../../../support/service.js';
import { query } from '../../../support/sql.js';
import { until } from '../../../support/until.js';

describe('a project with indexes of its own', () => {
  let project: TestProject;
  let scanned: TestProject;
  const large = startLargeProjects(async (started) => {
    project = await started.newProject();
  });

  it('is answered as one that is scanned', async () => {
    scanned = await large().running.newProject();
    await large().pushShop(scanned, 0, 200);
    await query(large().running.service, 'delete from pathmend.index_segments where project_id = $1', [
      scanned.row.project_id,
    ]);
    await large().running.service.deps.ownIndexes.refresh();
    for (const text of QUESTIONS)
      expect(await large().ask(project, { query: text }), text).to.deep.equal(
        await large().ask(scanned, { query: text }),
      );
    // A score shares certainty among all candidates; those far behind may be others.
    for (const path of PATHS) {
      const [indexed, all] = [await large().ask(project, { path }), await large().ask(scanned, { path })];
      expect(
        indexed.slice(0, 3).map((suggestion) => suggestion.url),
        path,
      ).to.deep.equal(all.slice(0, 3).map((suggestion) => suggestion.url));
      expect(indexed[0]?.score, path).to.be.closeTo(all[0]?.score ?? 0, 0.02);
    }
  });

  it('is answered through them, all four', async () => {
    const before = await large().uses(project);
    // A session tells the statistics of its scans with a later statement, a second on.
    await until('the statistics tell of four index scans or more', async () => {
      await large().ask(project, { path: '/help/retrun-policy.html' });
      return (await large().uses(project)) >= before + 4;
    });
    const haveFour = async () =>
      (await large().indexNames(project)).length === 4 * (await large().coverage(project)).segments;
    await until('each segment has four, and what a builder replaced is gone', haveFour);
  });

  it('finds pages that came after the build, their new content after a change, and nothing of those that went', async () => {
    const url = 'https://shop.example/late/zanzibar-cloves';
    await project.upsert({ url, content: 'Zanzibar cloves are sold by weight.' });
    await project.indexed();
    expect((await large().ask(project, { query: 'zanzibar cloves' }))[0]?.url).to.equal('/late/zanzibar-cloves');
    expect((await large().ask(project, { path: '/old/zanzibar-cloves.html' }))[0]?.url).to.equal(
      '/late/zanzibar-cloves',
    );
    await project.upsert({ url, content: 'Madagascar vanilla is sold by the pod.' });
    await project.indexed();
    const [first] = await large().ask(project, { query: 'madagascar vanilla pod' });
    expect(first?.url).to.equal('/late/zanzibar-cloves');
    await project.call('DELETE', '/v1/pages/delete', { url });
    expect(
      (await large().ask(project, { query: 'madagascar vanilla pod' })).map((suggestion) => suggestion.url),
    ).not.to.include('/late/zanzibar-cloves');
  });

  it('remembers a deleted page whose content is there nearly word for word, before and behind its indexes', async () => {
    const { pages } = await readExampleSite(join(packageRoot(), 'examples', 'shop'));
    const held = pages.reduce((a, b) => (b.content.length > a.content.length ? b : a));
    const guide =
      'How to descale the machine: fill the tank with vinegar and water, and let it run twice. Rinse the tank with clear ' +
      'water afterwards, wipe the outlet with a soft cloth, and put the grid back. Do this every month.';
    for (const [old, content] of [
      ['/k40/care-7', held.content],
      ['/k40/care-8', guide],
    ] as const) {
      const url = `https://shop.example${old}`;
      await project.upsert({ url, content: `${content} This page was printed on Mondays.` });
      await project.indexed();
      await project.call('DELETE', '/v1/pages/delete', { url });
    }
    await project.upsert({ url: 'https://shop.example/support/limescale', content: guide });
    await project.indexed();
    for (const [old, now] of [
      ['/k40/care-7', new URL(held.url).pathname],
      ['/k40/care-8', '/support/limescale'],
    ] as const) {
      const [first] = await large().ask(project, { path: old });
      expect(first?.url, old).to.equal(now);
      expect(first?.score, old).to.be.at.least(0.95);
    }
  });

  it('is filtered and excluded from as exactly as any other', async () => {
    const all = await large().ask(project, { query: 'coffee' });
    const rest = await large().ask(project, { query: 'coffee' }, { excludeUrls: [all[0]?.url] });
    expect(rest.slice(0, 9).map((suggestion) => suggestion.url)).to.deep.equal(
      all.slice(1).map((suggestion) => suggestion.url),
    );
    const filters = { category: 'coffee' };
    const filtered = await large().ask(project, { query: 'chocolate' }, { filters });
    expect(filtered).to.deep.equal(await large().ask(scanned, { query: 'chocolate' }, { filters }));
  });

  it('gets a segment more when much has come, and is answered through both as by a scan', async () => {
    const before = await large().coverage(project);
    const check = createPageCheck();
    const pages = Array.from({ length: 120 }, (_, i) =>
      check({
        url: `https://shop.example/many/page-${i}`,
        content: `Page ${i} speaks of thing number ${i}, at some length.`,
      }),
    );
    await upsertPages(
      large().running.service.deps,
      large().running.service.deps.tenants.of(project.row.project_id),
      pages,
    );
    await project.indexed();
    await until('what came is covered', async () => (await large().coverage(project)).segments > before.segments);
    // Pages come in batches, so that it may get two.
    await until(
      'each segment has its four indexes',
      async () => (await large().indexNames(project)).length === 4 * (await large().coverage(project)).segments,
    );
    await large().running.service.deps.ownIndexes.refresh();
    expect((await large().ask(project, { path: '/many/page-77.html' }))[0]?.url).to.equal('/many/page-77');
    for (const by of [
      ...QUESTIONS.map((text) => ({ query: text })),
      { query: 'thing number 12' },
      ...PATHS.map((path) => ({ path })),
    ]) {
      const { indexed, scanned: all } = await large().foundBothWays(project, by);
      expect(indexed, JSON.stringify(by)).to.deep.equal(all);
    }
  });

  it('has its segments put together when it is quiet, and the old indexes go', async () => {
    const before = await large().coverage(project);
    // Again, should the job that covered what came still be at it: one of two builders goes home.
    await until('one segment is left', async () => {
      await large().update(project);
      return (await large().coverage(project)).segments === 1;
    });
    expect(Number((await large().coverage(project)).covered)).to.be.at.least(Number(before.covered));
    // Whichever builder was at it drops what it replaced last.
    await until('its four indexes are left', async () => (await large().indexNames(project)).length === 4);
    expect((await large().ask(project, { path: '/many/page-77.html' }))[0]?.url).to.equal('/many/page-77');
    const { indexed, scanned: all } = await large().foundBothWays(project, { query: 'thing number 12' });
    expect(indexed).to.deep.equal(all);
  });
});
