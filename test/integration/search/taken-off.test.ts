import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';

const SITE = 'https://docs.example';

interface Suggested {
  url: string;
  score: number;
  explanation?: { bounded?: string };
}

/** A site whose pages stand in folders, as those of documentation do. */
const PAGES: Record<string, string> = {
  '/integrations/gitlab': 'Connect GitLab to run your pipelines when a merge request is opened in a repository.',
  '/integrations/jira': 'Connect Jira to see the issues of a sprint beside the pipelines that solve them.',
  '/integrations/slack': 'Connect Slack and get a message in a channel when a pipeline fails.',
  '/integrations/bitbucket': 'Connect Bitbucket to run pipelines for every branch. It works as GitHub and GitLab do.',
  '/guides/billing': 'Invoices are sent monthly. Change the address of a company or its method of payment.',
  '/guides/getting-started': 'Make an account, connect a repository and run the first pipeline in five minutes.',
  '/de/dokumentation/installation': 'Die Installation auf einem eigenen Server dauert zehn Minuten.',
};

describe('the path of a page that was taken off', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
    for (const [path, content] of Object.entries(PAGES)) await project.upsert({ url: SITE + path, content });
    await project.indexed();
  });

  const suggest = async (path: string): Promise<Suggested[]> => {
    const options = { searchThreshold: 0, explain: true };
    return (await project.post('/v1/suggest', { path, options })).body.suggestions as Suggested[];
  };
  const proxy = (path: string) => project.call('GET', `/v1/proxy?url=${encodeURIComponent(SITE + path)}`);
  const del = async (path: string): Promise<void> => {
    expect((await project.call('DELETE', '/v1/pages/delete', { url: SITE + path })).status).to.equal(200);
  };

  it('gets its siblings as links, and is not redirected to one', async () => {
    const [best] = await suggest('/integrations/github');
    expect(best?.score).to.be.within(0.1, 0.69);
    const { status, body } = await proxy('/integrations/github');
    expect(status).to.equal(404);
    expect(body.error.details.suggestions).to.deep.equal([]);
  });

  it('is told from a slip, which is redirected', async () => {
    const { status, headers } = await proxy('/integrations/gitlba');
    expect([status, headers.get('location')]).to.deep.equal([302, `${SITE}/integrations/gitlab`]);
  });

  it('is told from rubbish behind the path of a page, and from a path that was cut off', async () => {
    for (const path of ['/integrations/gitlab/print/', '/integrations/gitlab/)', '/integrations/bitbuck']) {
      const [best] = await suggest(path);
      expect([path, best?.url], path).to.deep.equal([
        path,
        path.includes('bitb') ? '/integrations/bitbucket' : '/integrations/gitlab',
      ]);
      expect(best?.score, path).to.be.above(0.7);
    }
  });

  it('gets the page of another language as a link at most', async () => {
    const [best] = await suggest('/fr/dokumentation/installation');
    expect(best).to.include({ url: '/de/dokumentation/installation', score: 0.69 });
    expect(best?.explanation?.bounded).to.equal('it is in another language');
  });

  it('gets no page that stood beside it when it was deleted, and gets one that came afterwards', async () => {
    await project.upsert({ url: `${SITE}/guides/paying`, content: 'How to pay: by card, by invoice, or by transfer.' });
    await project.upsert({
      url: `${SITE}/guides/paying0`,
      content: 'What an order costs, and what is paid in advance.',
    });
    await project.indexed();
    await del('/guides/paying');
    const beside = (await suggest('/guides/paying'))[0];
    expect(beside).to.include({ url: '/guides/paying0', score: 0.5 });
    expect(beside?.explanation?.bounded).to.equal('the path was a page, and this one stood beside it');
    await project.upsert({ url: `${SITE}/guides/paying1`, content: 'Pay by card or invoice.' });
    await project.indexed();
    const after = await suggest('/guides/paying');
    expect(after[0]?.url).to.equal('/guides/paying1');
    expect(after[0]?.explanation).not.to.have.property('bounded');
  });

  it('leads to its text where that was pushed under another path, before any page with a path like it', async () => {
    const content =
      'The colour codes of all resistors, from black to white, with a table of their values and tolerances.';
    await project.upsert({ url: `${SITE}/k/dprtqv`, content });
    await project.upsert({
      url: `${SITE}/k/dprtqv0`,
      content: 'The colours of cables in a house, by country and year.',
    });
    await project.indexed();
    await del('/k/dprtqv');
    await project.upsert({ url: `${SITE}/electronics/resistors`, content });
    await project.indexed();
    const [best, next] = await suggest('/k/dprtqv');
    expect(best?.url).to.equal('/electronics/resistors');
    expect(best?.score).to.be.at.least(0.95);
    expect(next?.score).to.be.at.most(0.5);
  });
});
