import { expect } from 'chai';
import { jsonInProcess } from '../../support/commands.js';
import { sharedService } from '../../support/shared-service.js';
import type { Answer, TestProject } from '../../support/service.js';
import { query } from '../../support/sql.js';

const SITE = 'https://shop.example';
const CROSSING = 'Wait until every car has come to a halt. Hold the hand of small children.';

describe('titles as evidence', function () {
  this.timeout(60_000);
  let project: TestProject;

  beforeEach(async () => {
    project = await sharedService().newProject();
    await push('/a', 'Zebra crossings', CROSSING);
    await push('/b', 'Opening hours', 'We are open from nine to six.');
    await project.indexed();
  });

  const push = (path: string, title: string, content: string): Promise<Answer> =>
    project.upsert({ url: SITE + path, title, content });

  async function switchTitles(to: 'on' | 'off'): Promise<unknown> {
    const args = ['project', 'update', '--project', project.row.name, '--title-evidence', to];
    const done = await jsonInProcess(args, sharedService().database.environment);
    await project.indexed();
    return done;
  }

  /** How much of the evidence for the page the words make up. */
  async function lexical(path: string, question: string): Promise<number> {
    const options = { searchThreshold: 0, explain: true };
    const { body } = await project.post('/v1/semantic-search', { query: question, options });
    const found = body.suggestions as { url: string; explanation: { evidence: { lexical?: number } } }[];
    return found.find(({ url }) => url === path)?.explanation.evidence.lexical ?? 0;
  }

  it('are not searched unless the project says so', async () => {
    expect(await lexical('/a', 'zebra')).to.equal(0);
    expect(await switchTitles('on')).to.deep.include({ title_evidence: true, queued: 2 });
    expect(await lexical('/a', 'zebra')).to.be.above(0);
    expect(await switchTitles('on')).to.not.have.property('queued');
    expect(await switchTitles('off')).to.deep.include({ title_evidence: false, queued: 2 });
    expect(await lexical('/a', 'zebra')).to.equal(0);
  });

  it('are indexed again when they change, and only where they are searched', async () => {
    const { body: off } = await push('/a', 'Giraffe crossings', CROSSING);
    expect(off).to.include({ action: 'updated_metadata', status: 'INDEXED' });
    await switchTitles('on');
    const { body: on } = await push('/a', 'Panda crossings', CROSSING);
    expect(on).to.include({ action: 'updated_metadata', status: 'PENDING_VECTORIZATION' });
    await project.indexed();
    expect(await lexical('/a', 'panda')).to.be.above(0);
    expect(await lexical('/a', 'giraffe')).to.equal(0);
  });

  it('are not repeated where the content begins with them', async () => {
    await push('/c', 'Parking', '# Parking\n\nBehind the house.');
    await project.indexed();
    const vectors = (): Promise<unknown> =>
      query(
        sharedService().service,
        `select v.ordinal, v.embedding::text from pathmend.passages v join pathmend.pages p using (project_id, page_id)
          where p.project_id = $1 and p.url = $2 order by 1`,
        [project.row.project_id, `${SITE}/c`],
      );
    const before = await vectors();
    await switchTitles('on');
    expect(await vectors()).to.deep.equal(before);
  });
});
