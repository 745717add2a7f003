import { expect } from 'chai';
import { expectError } from '../../support/expect-error.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';

interface Explained {
  url: string;
  score: number;
  explanation?: {
    words?: string[];
    corrections?: { from: string; to: string }[];
    bounded?: string;
    doubts?: string[];
    gone?: string;
    evidence: Record<string, number>;
  };
}

describe('options.explain', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
    await project.upsert({
      url: 'https://shop.example/help/return-policy',
      content: 'Send an item back within thirty days.',
    });
    await project.upsert({ url: 'https://shop.example/blog/seeds', content: 'Sow tomatoes in March.' });
    await project.indexed();
  });

  async function ask(endpoint: string, body: object): Promise<Explained[]> {
    const answer = await project.post(`/v1/${endpoint}`, body);
    expect(answer.status).to.equal(200);
    return answer.body.suggestions as Explained[];
  }

  it('says what suggest understood and why, in shares that add up to 1', async () => {
    const [first] = await ask('suggest', {
      path: '/hlep/Return_Polciy.html',
      options: { explain: true, searchThreshold: 0 },
    });
    expect(first?.url).to.equal('/help/return-policy');
    expect(first?.explanation?.words).to.deep.equal(['hlep', 'return', 'policy']);
    expect(first?.explanation?.corrections).to.deep.equal([{ from: 'polciy', to: 'policy' }]);
    const shares = Object.values(first?.explanation?.evidence ?? {});
    expect(shares.reduce((a, b) => a + b, 0)).to.be.closeTo(1, 0.01);
    expect(shares).to.deep.equal([...shares].sort((a, b) => b - a));
  });

  it('says of semantic-search how much is meaning and how much wording', async () => {
    const [first] = await ask('semantic-search', {
      query: 'when to sow tomatoes',
      options: { explain: true, searchThreshold: 0 },
    });
    expect(first?.url).to.equal('/blog/seeds');
    expect(first?.explanation).to.have.all.keys('evidence');
    expect(first?.explanation?.evidence).to.include.all.keys('dense', 'beginning', 'lexical');
    expect(Object.keys(first?.explanation?.evidence ?? {})).to.satisfy((names: string[]) =>
      names.every((name) => /^(?:dense|beginning|lexical|headingCover|bestHeading)$/.test(name)),
    );
  });

  it('says why a score is the most that it may be, which is no probability', async () => {
    const mine = await sharedService().newProject();
    await mine.upsert({ url: 'https://shop.example/reports/2023', content: 'The report of the year 2023.' });
    await mine.indexed();
    const requestFields = { options: { explain: true, searchThreshold: 0 } };
    const { body } = await mine.post('/v1/suggest', { path: '/reports/2022', ...requestFields });
    const [first] = body.suggestions as Explained[];
    expect(first?.score).to.equal(0.69);
    expect(first?.explanation?.bounded).to.equal('its number, date, version or code is another');
    const near = await mine.post('/v1/suggest', { path: '/report/2023', ...requestFields });
    expect((near.body.suggestions as Explained[])[0]?.explanation).not.to.have.property('bounded');
  });

  it('says what makes a guess less sure and why its path is gone, and neither where a rule decides', async () => {
    const site = await sharedService().newProject();
    for (const name of ['gitlab', 'slack', 'jira'])
      await site.upsert({
        url: `https://shop.example/integrations/${name}`,
        content: `Connect ${name}. We answer on GitHub.`,
      });
    await site.indexed();
    const ask = async (path: string, more: object = {}): Promise<Explained['explanation']> => {
      const options = { explain: true, searchThreshold: 0, ...more };
      const { body } = await site.post('/v1/suggest', { path, options });
      return (body.suggestions as Explained[])[0]?.explanation;
    };
    const sibling = await ask('/integrations/github');
    expect(sibling?.doubts).to.deep.equal(['it is another page of the same folder']);
    expect(sibling?.gone).to.equal('pages of its folder are near, none is it');
    expect(await ask('/integrations/gitlba')).not.to.have.any.keys('doubts', 'gone');
    // Another page may be near that was not asked for.
    const excluded = await ask('/integrations/gitlba', { excludeUrls: ['/integrations/gitlab'] });
    expect(excluded?.doubts).to.deep.equal(['it is another page of the same folder']);
    expect(excluded).not.to.have.property('gone');
    const rule = { path: '/integrations/github', action: 'redirect', target: '/integrations/slack' };
    const key = await site.newKey({ scopes: ['rules'] });
    const made = await site.call('POST', '/v1/rules', { rules: [rule] }, { Authorization: `Bearer ${key}` });
    expect(made.status, made.text).to.equal(200);
    const decided = await ask('/integrations/github');
    expect(decided?.evidence).to.have.any.keys('moved');
    expect(decided).not.to.have.any.keys('doubts', 'gone');
  });

  it('is off by default, also after an answer with it was cached', async () => {
    const path = '/help/return-polcy';
    expect((await ask('suggest', { path, options: { explain: true } }))[0]).to.have.property('explanation');
    expect((await ask('suggest', { path }))[0]).to.have.all.keys('url', 'title', 'score');
    expect((await ask('suggest', { path, options: { explain: true } }))[0]).to.have.property('explanation');
  });

  it('changes no score and no order', async () => {
    const body = { path: '/help/returns', options: { searchThreshold: 0 } };
    const plain = await ask('suggest', body);
    const explained = await ask('suggest', { ...body, options: { ...body.options, explain: true } });
    expect(explained.map(({ url, score }) => ({ url, score }))).to.deep.equal(
      plain.map(({ url, score }) => ({ url, score })),
    );
  });

  it('must be true or false', async () => {
    expectError(await project.post('/v1/suggest', { path: '/x', options: { explain: 'yes' } }), 400, 'options.explain');
  });
});
