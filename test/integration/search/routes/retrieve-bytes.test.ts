import { expect } from 'chai';
import { LIMITS } from '#src/base/request-limits.js';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';

interface Documents {
  documents: { url: string; content: string }[];
  omitted?: { id: string; url: string; score: number; bytes: number }[];
}

describe('an answer of POST /v1/retrieve', () => {
  let testService: TestService;
  let project: TestProject;
  const ids = new Map<string, string>();

  const push = async (path: string, content: string): Promise<void> => {
    const url = `https://shop.example/${path}`;
    const { body } = await project.upsert({ url, content });
    ids.set(url, body.page_id as string);
  };
  const ask = async (query: string): Promise<{ bytes: number; body: Documents }> => {
    const { status, text } = await project.post('/v1/retrieve', { query, top_k: 100 });
    expect(status, text).to.equal(200);
    return { bytes: Buffer.byteLength(text), body: JSON.parse(text) as Documents };
  };

  before(async function () {
    this.timeout(120_000);
    testService = await startTestService();
    project = await testService.newProject();
  });
  after(() => testService.stop());

  it('has documents while they fit as JSON, and names the one that found no room with id, url, score and size', async () => {
    // In JSON each of these characters takes six bytes.
    for (const name of ['a', 'b', 'c', 'd', 'e']) await push(name, `Telescope ${name}. ${'\u0001'.repeat(340_000)}`);
    await push('small', 'The shop opens at nine and closes at six, on Saturdays at four.');
    await project.indexed();
    const { bytes, body } = await ask('telescope');
    expect(bytes).to.be.at.most(LIMITS.retrieveBytes + 1_000);
    expect(body.documents.map(({ content }) => content.length > 5_000)).to.deep.equal([true, true, true, true, false]);
    const [left] = body.omitted ?? [];
    expect(body.omitted).to.have.length(1);
    expect(left?.id).to.equal(ids.get(left?.url ?? ''));
    expect(left?.score).to.be.within(0, 1);
    const whole = await project.call('GET', `/v1/pages/${left?.id ?? ''}?content=true`);
    expect(left?.bytes).to.equal(Buffer.byteLength((whole.body as { content: string }).content));
  });
});
