import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { jsonInProcess } from '../../support/commands.js';
import { sharedService } from '../../support/shared-service.js';
import type { Answer, TestProject } from '../../support/service.js';
import { until } from '../../support/until.js';

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

  const command = (...args: string[]): Promise<unknown> => jsonInProcess(args);

  async function switchTitles(to: 'on' | 'off'): Promise<unknown> {
    const args = ['project', 'update', '--project', project.row.name, '--title-evidence', to];
    const done = await command(...args);
    await project.indexed();
    return done;
  }

  /** Returns the part of the evidence for the page that comes from its words. */
  async function lexical(path: string, question: string): Promise<number> {
    const options = { searchThreshold: 0, explain: true };
    const { body } = await project.post('/v1/semantic-search', { query: question, options });
    const suggestions = body.suggestions as { url: string; explanation: { evidence: { lexical?: number } } }[];
    return suggestions.find(({ url }) => url === path)?.explanation.evidence.lexical ?? 0;
  }

  it('are searched by default, and not where the project says so', async () => {
    expect(await lexical('/a', 'zebra')).to.be.above(0);
    expect(await switchTitles('off')).to.deep.include({ title_evidence: false, queued: 2 });
    expect(await lexical('/a', 'zebra')).to.equal(0);
    expect(await switchTitles('off')).to.not.have.property('queued');
    expect(await switchTitles('on')).to.deep.include({ title_evidence: true, queued: 2 });
    expect(await lexical('/a', 'zebra')).to.be.above(0);
  });

  it('are indexed again when they change, without a change of the status', async () => {
    const { body } = await push('/a', 'Panda crossings', CROSSING);
    expect(body).to.include({ action: 'updated_metadata', status: 'INDEXED' });
    await until('the new title is found', async () => (await lexical('/a', 'panda')) > 0);
    expect(await lexical('/a', 'zebra')).to.equal(0);
    const { body: again } = await push('/a', 'Panda crossings', CROSSING);
    expect(again.message, 'nothing changed').to.match(/nothing/i);
  });

  it('are evidence in the same way, whatever way a page came in', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pathmend-titles-'));
    const page = { url: `${SITE}/a`, title: 'Zebra crossings', content: CROSSING };
    const file = join(folder, 'pages.jsonl');
    await writeFile(file, `${JSON.stringify(page)}\n`);
    const ways: Record<string, (other: TestProject) => Promise<unknown>> = {
      upsert: (other) => other.upsert(page),
      batch: (other) => other.post('/v1/pages/batch', { pages: [page] }),
      import: (other) => command('pages', 'import', '--project', other.row.name, file),
      sync: (other) => command('pages', 'sync', '--project', other.row.name, file),
    };
    const scores: Record<string, unknown> = {};
    for (const [way, pushBy] of Object.entries(ways)) {
      const other = await sharedService().newProject();
      await pushBy(other);
      await other.indexed();
      const { body } = await other.post('/v1/suggest', { path: '/zebra-crossing', options: { searchThreshold: 0 } });
      scores[way] = (body.suggestions as { score: number }[])[0]?.score;
    }
    expect(scores['upsert']).to.be.above(0.5);
    expect(new Set(Object.values(scores)), JSON.stringify(scores)).to.have.length(1);
    await rm(folder, { recursive: true });
  });

  it('are not repeated where the content begins with them', async () => {
    await push('/c', 'Parking', '# Parking\n\nBehind the house.');
    await project.indexed();
    const vectors = (): Promise<unknown> =>
      project.query(
        `select v.ordinal, v.embedding::text from pathmend.chunks v join pathmend.pages p using (project_id, page_id)
          where p.project_id = $1 and p.url = $2 and v.ordinal <> -2 order by 1`,
        `${SITE}/c`,
      );
    const before = await vectors();
    await switchTitles('off');
    expect(await vectors()).to.deep.equal(before);
  });
});
