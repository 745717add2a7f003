import { expect } from 'chai';
import { pushPages, redirect } from '../../support/moves.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

describe('POST /v1/suggest after sections moved', () => {
  const folder = temporaryFolder();
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
    // /archive/y is as like /old/y as /new/y is: only the moves tell which of them is meant.
    await pushPages(project, '/new/x', '/new/y', '/new/z', '/archive/x', '/archive/y', '/archive/z');
  });

  const redirects = (...lines: string[]): Promise<unknown> =>
    redirect(sharedService().service, project, folder, ...lines);

  async function first(path: string, options: object = {}): Promise<{ url: string; score: number } | undefined> {
    const { body } = await project.post('/v1/suggest', { path, options: { searchThreshold: 0, ...options } });
    return body.suggestions[0] as { url: string; score: number } | undefined;
  }

  it('when two redirects show that /old/x became /new/x, /old/y is answered by /new/y first, and well', async () => {
    await redirects('/old/x /new/x', '/old/z /new/z');
    const answer = await first('/old/y');
    expect(answer?.url).to.equal('/new/y');
    expect(answer?.score).to.be.at.least(0.8);
  });

  it('the same the other way round, and a cached answer is not older than what was learned', async () => {
    await redirects('/old/x /new/x', '/old/z /new/z');
    expect((await first('/old/y'))?.url).to.equal('/new/y');
    await redirects('/old/x /archive/x', '/old/z /archive/z');
    expect((await first('/old/y'))?.url).to.equal('/archive/y');
  });

  it('a redirected path is answered by its page first, however unlike, and surely enough for the proxy', async () => {
    await redirects('/qqq /new/z', '/index.php?id=7 /new/y');
    expect(await first('/qqq')).to.include({ url: '/new/z', score: 1 });
    expect(await first('/index.php?id=7')).to.include({ url: '/new/y', score: 1 });
    const answer = await project.call('GET', '/v1/proxy?url=/qqq');
    expect(answer.status).to.equal(301);
    expect(answer.headers.get('location')).to.match(/\/new\/z$/);
  });

  it('an explanation names the move', async () => {
    await redirects('/qqq /new/z');
    const { body } = await project.post('/v1/suggest', { path: '/qqq', options: { explain: true } });
    expect(body.suggestions[0].explanation.evidence.moved).to.be.above(0.3);
  });

  it('an excluded page stays out, and one that a filter leaves out', async () => {
    await redirects('/old/x /new/x', '/old/z /new/z');
    expect((await first('/old/y', { excludeUrls: ['/new/y'] }))?.url).to.not.equal('/new/y');
    expect(await first('/old/y', { filters: { section: 'none' } })).to.equal(undefined);
  });
});
