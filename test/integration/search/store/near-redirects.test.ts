import { expect } from 'chai';
import { waitUntilVisible } from '#src/projects/index-changes.js';
import { redirect } from '../../../support/learned-redirects.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

const SITE = 'https://shop.example';

describe('a dead path beside redirects', () => {
  let project: TestProject;
  const folder = temporaryFolder();

  /** `/old /new` lines, imported as the command does. */
  async function know(of: TestProject, ...lines: string[]): Promise<void> {
    await redirect(sharedService().service, of, folder, ...lines);
    await waitUntilVisible();
  }

  beforeEach(async () => {
    project = await sharedService().newProject();
    for (const [path, content] of [
      ['/eu/shop/prices', 'What our pens cost in the shops of Europe, with tax.'],
      ['/us/shop/prices', 'What our pens cost in the shops of America, without tax.'],
      ['/us/shop/shipping', 'How long a parcel takes, and what it costs.'],
      ['/us/shop/returns', 'How to send a pen back within thirty days.'],
      ['/account', 'Passwords, devices and sign-in codes of your account.'],
      ['/jobs', 'Open positions in workshop and office.'],
    ] as const)
      await project.upsert({ url: SITE + path, content });
    await project.indexed();
  });

  async function scores(of: TestProject, path: string): Promise<Map<string, number>> {
    const { body } = await of.post('/v1/suggest', { path, limit: 6, options: { searchThreshold: 0 } });
    const suggestions = body.suggestions as { url: string; score: number }[];
    return new Map(suggestions.map(({ url, score }) => [url, score]));
  }

  const margin = async (path: string, page: string, over: string): Promise<number> => {
    const pageScores = await scores(project, path);
    return (pageScores.get(page) ?? 0) - (pageScores.get(over) ?? 0);
  };

  it('is led to the section to which they lead', async () => {
    const before = await margin('/old-us-site/price-list', '/us/shop/prices', '/eu/shop/prices');
    await know(project, '/old-us-site/parcels /us/shop/shipping', '/old-us-site/refunds /us/shop/returns');
    const after = await margin('/old-us-site/price-list', '/us/shop/prices', '/eu/shop/prices');
    expect(after).to.be.above(before + 0.1);
  });

  it('is led to the page into which its section was merged', async () => {
    const before = await margin('/faq/sign-in/lost-telephone', '/account', '/jobs');
    await know(
      project,
      '/faq/sign-in/forgotten-password /account',
      '/faq/sign-in/locked-out /account',
      '/faq/sign-in/new-telephone /account',
    );
    const pageScores = await scores(project, '/faq/sign-in/lost-telephone');
    expect([...pageScores.keys()][0]).to.equal('/account');
    expect((pageScores.get('/account') ?? 0) - (pageScores.get('/jobs') ?? 0)).to.be.above(before + 0.2);
  });

  it('follows its section, to the page that is neither excluded nor filtered out', async () => {
    await know(project, '/old/prices /us/shop/prices', '/old/shipping /us/shop/shipping');
    const first = async (more: object): Promise<string | undefined> => {
      const options = { searchThreshold: 0, ...more };
      const { body } = await project.post('/v1/suggest', { path: '/old/returns', options });
      return (body.suggestions as { url: string; score: number }[]).find(({ score }) => score >= 0.8)?.url;
    };
    expect(await first({})).to.equal('/us/shop/returns');
    expect(await first({ excludeUrls: ['/us/shop/returns'] })).to.equal(undefined);
    expect(await first({ filters: { section: 'none' } })).to.equal(undefined);
  });

  it('says in its explanation what the redirects added', async () => {
    await know(project, '/faq/sign-in/new-telephone /account', '/faq/sign-in/locked-out /account');
    const options = { searchThreshold: 0, explain: true };
    const { body } = await project.post('/v1/suggest', { path: '/faq/sign-in/lost-telephone', options });
    const [first] = body.suggestions as { explanation: { evidence: Record<string, number> } }[];
    expect(first?.explanation.evidence).to.include.keys('redirectedPage');
  });
});
