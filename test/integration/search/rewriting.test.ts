import { expect } from 'chai';
import { waitUntilVisible } from '#src/projects/index-changes.js';
import { pushPages, redirect } from '../../support/learned-redirects.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

interface Suggested {
  url: string;
  score: number;
  explanation: { rewriting?: string; evidence: Record<string, number> };
}

/** Numbers are no words, so that nothing but the redirects says which release is meant. */
const RELEASES = [1, 2, 3, 4, 5, 6].map((patch) => `/docs/dev/notes/10${patch} /tools/release-1.0.${patch}`);

describe('a dead path that is rewritten as redirects are', () => {
  let project: TestProject;
  const folder = temporaryFolder();

  beforeEach(async () => {
    project = await sharedService().newProject();
    const releases = [1, 2, 3, 4, 5, 6, 7].map((patch) => `/tools/release-1.0.${patch}`);
    await pushPages(project, ...releases, '/tools/archive', '/docs/notes');
  });

  async function know(...lines: string[]): Promise<void> {
    await redirect(sharedService().service, project, folder, ...lines);
    await waitUntilVisible();
  }

  async function suggest(path: string): Promise<Suggested[]> {
    const options = { searchThreshold: 0, explain: true };
    const { status, body } = await project.post('/v1/suggest', { path, limit: 20, options });
    expect(status).to.equal(200);
    return body.suggestions as Suggested[];
  }

  const scoreOf = async (path: string, url: string): Promise<number> =>
    (await suggest(path)).find((suggestion) => suggestion.url === url)?.score ?? 0;

  it('is led to its page, and the answer says how', async () => {
    expect(await scoreOf('/docs/dev/notes/107/', '/tools/release-1.0.7')).to.be.below(0.9);
    await know(...RELEASES);
    const [first] = await suggest('/docs/dev/notes/107/');
    expect(first?.url).to.equal('/tools/release-1.0.7');
    expect(first?.score).to.be.at.least(0.9);
    expect(first?.explanation.rewriting).to.equal(
      'the path is rewritten as in 6 redirects, such as /docs/dev/notes/106 to /tools/release-1.0.6; none contradicts it',
    );
    expect(first?.explanation.evidence).to.include.keys('moved');
  });

  it('is led there by redirects of the host on which the site was before', async () => {
    await know(...RELEASES.map((line) => `https://old.example${line}`));
    expect(await scoreOf('/docs/dev/notes/107/', '/tools/release-1.0.7')).to.be.at.least(0.9);
  });

  it('is less sure of it when redirects of its section contradict', async () => {
    await know(...RELEASES.slice(0, 2));
    const before = await suggest('/docs/dev/notes/107');
    await know(...RELEASES.slice(0, 2), '/docs/dev/notes/103 /tools/archive', '/docs/dev/notes/104 /tools/archive');
    const after = await suggest('/docs/dev/notes/107');
    const [sure, less] = [before, after].map((suggestions) =>
      suggestions.find(({ url }) => url === '/tools/release-1.0.7'),
    );
    expect(less?.explanation.rewriting).to.contain('2 contradict it');
    expect(less?.score).to.be.below(sure?.score ?? 0);
  });

  it('is rewritten to no page that is not live', async () => {
    await know(...RELEASES);
    const suggestions = await suggest('/docs/dev/notes/108');
    expect(suggestions.map(({ explanation }) => explanation.rewriting)).to.deep.equal(suggestions.map(() => undefined));
    expect(suggestions.filter(({ url, score }) => url.startsWith('/tools/') && score >= 0.9)).to.deep.equal([]);
  });

  it('keeps the redirect of its own', async () => {
    await know(...RELEASES, '/docs/dev/notes/107 /tools/archive');
    const [first] = await suggest('/docs/dev/notes/107');
    expect(first?.url).to.equal('/tools/archive');
    expect(first?.score).to.equal(1);
  });
});
