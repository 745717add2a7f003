import { expect } from 'chai';
import { waitUntilVisible } from '#src/projects/index-changes.js';
import { redirect } from '../../support/learned-redirects.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const SITE = 'https://shop.example';
const ROD = 'A travel rod in four parts, for trout in small streams.';
/** Four dead ends of one folder. */
const DEAD = ['/shop/rods/nymph', '/shop/rods/streamer', '/shop/rods/spey', '/shop/rods/salmon'];

describe('a path that is gone for good', () => {
  let project: TestProject;
  const folder = temporaryFolder();

  async function know(...lines: string[]): Promise<number> {
    const report = await redirect(sharedService().service, project, folder, ...lines);
    expect(report.bad).to.deep.equal([]);
    await waitUntilVisible();
    return report.gone;
  }

  beforeEach(async () => {
    project = await sharedService().newProject();
    for (const [path, content] of [
      ['/gear/travel-rod', ROD],
      ['/help/returns', 'How to send an item back within thirty days.'],
    ] as const)
      await project.upsert({ url: SITE + path, content });
    await project.indexed();
  });

  async function best(path: string): Promise<{ url: string; score: number }> {
    const { body } = await project.post('/v1/suggest', { path, limit: 1, options: { searchThreshold: 0 } });
    return (body.suggestions as { url: string; score: number }[])[0] ?? { url: '', score: 0 };
  }

  it('is answered with no page, though one looks alike, and redirects nobody', async () => {
    const path = '/gear/travel-rods';
    expect((await best(path)).score).to.be.above(0.7);
    expect(await know(`${path} 410`)).to.equal(1);
    expect((await best(path)).score).to.be.at.most(0.5);
    expect((await project.call('GET', `/v1/proxy?url=${path}`)).status).to.equal(410);
    expect((await best('/gear/travel-rodd')).score, 'another path').to.be.above(0.7);
  });

  it('is one no more when a redirect of it is imported, and the other way round', async () => {
    await know('/old-rod 410');
    expect(await know('/old-rod /gear/travel-rod')).to.equal(0);
    expect(await best('/old-rod')).to.deep.include({ url: '/gear/travel-rod', score: 1 });
    await know('/old-rod 410');
    expect((await best('/old-rod')).score).to.be.at.most(0.5);
  });

  it('is one no more when a page is pushed there', async () => {
    await know('/gear/fly-reel 410');
    await project.upsert({ url: `${SITE}/gear/fly-reel/`, content: 'A reel for lines of weight four to six.' });
    await project.indexed();
    expect((await best('/gear/fly-reel')).score).to.be.above(0.7);
  });

  it('is led to the content of its page, where that appears again', async () => {
    await project.call('DELETE', '/v1/pages/delete', { url: `${SITE}/gear/travel-rod` });
    await know('/gear/travel-rod 410');
    await project.upsert({ url: `${SITE}/catalogue/7731`, content: ROD });
    await project.indexed();
    const suggestion = await best('/gear/travel-rod');
    expect(suggestion.url).to.equal('/catalogue/7731');
    expect(suggestion.score).to.be.at.least(0.95);
  });

  it('makes a dead end of its folder, with three others', async () => {
    const path = '/shop/rods/travel-rod';
    expect((await best(path)).score).to.be.above(0.7);
    await know(...DEAD.slice(1).map((dead) => `${dead} 410`));
    expect((await best(path)).score, 'three').to.be.above(0.7);
    await know(`${DEAD[0] ?? ''} 410`);
    expect((await best(path)).score).to.be.at.most(0.5);
    expect((await best('/shop/travel-rod')).score, 'another folder').to.be.above(0.7);
  });

  it('makes no dead end for what redirects know, or for the living pages of the folder', async () => {
    await know(...DEAD.map((dead) => `${dead} 410`));
    await project.upsert({ url: `${SITE}/shop/rods/switch-rod`, content: 'A rod for one hand or two.' });
    await project.indexed();
    expect((await best('/shop/rods/swich-rod')).score, 'a page of the folder').to.be.above(0.7);
    expect((await best('/shop/rods/travel-rod')).score).to.be.at.most(0.5);
    await know('/shop/rods/trout /gear/travel-rod');
    expect((await best('/shop/rods/trout')).score, 'its redirect').to.equal(1);
    expect((await best('/shop/rods/travel-rod')).score, 'a way out').to.be.above(0.7);
  });
});
