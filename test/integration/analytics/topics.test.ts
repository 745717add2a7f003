import { expect } from 'chai';
import { selectContentGaps } from '#src/analytics/store/links.js';
import { groupMissingPaths, groupPaths } from '#src/analytics/group-missing-paths-job.js';
import { runInProcess } from '../../support/commands.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { query } from '../../support/sql.js';
import { storedNotFounds } from '../../support/stored-events.js';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const BARISTA = ['/courses/barista-training', '/academy/barista-class', '/workshops/learn-to-be-a-barista'];
const RENTAL = ['/rental/espresso-machine-for-weddings', '/rental/machine-hire-prices'];
const ART = ['/learn/latte-art', '/courses/latte-art-evening'];

describe('topics of content gaps', function () {
  this.timeout(60_000);
  let project: TestProject;
  let count = 0;

  before(async () => {
    project = await sharedService().newProject();
    await miss(...BARISTA, ...BARISTA, ...RENTAL, ...ART, '/');
    await miss404({ raw_path: '/courses/robots-only', user_agent: 'curl/8.5.0', outcome: 'nothing' });
    await miss404({ raw_path: '/courses/recovered', user_agent: BROWSER, outcome: 'redirected' });
    await stored();
  });

  async function miss(...paths: string[]): Promise<void> {
    for (const raw_path of paths) await miss404({ raw_path, user_agent: BROWSER, outcome: 'nothing' });
  }

  async function miss404(body: object): Promise<void> {
    count++;
    expect((await project.post('/v1/events', body)).status).to.equal(204);
  }

  const stored = () => storedNotFounds(sharedService().service, project.row.project_id, count);

  async function gaps(): Promise<Map<string | null, string[]>> {
    const rows = await query<{ topic: string | null; examples: string[] }>(
      sharedService().service,
      'select topic, examples from analytics.content_gaps where project_id = $1',
      [project.row.project_id],
    );
    return new Map(rows.map(({ topic, examples }) => [topic, examples.sort()]));
  }

  const topicOf = (found: Map<string | null, string[]>, path: string): string | null | undefined =>
    [...found].find(([, paths]) => paths.includes(path))?.[0];

  it('are what paths mean, wherever they stand, not a word that all have', async () => {
    expect([...(await gaps()).keys()]).to.deep.equal([null]);
    await groupPaths(sharedService().service, project.row.project_id);
    const found = await gaps();
    const groups = [...found.values()].map((paths) => paths.join(' ')).sort();
    expect(groups).to.deep.equal([BARISTA, RENTAL, ART, ['/']].map((paths) => [...paths].sort().join(' ')).sort());
    expect(topicOf(found, BARISTA[0] ?? '')).to.include('barista');
    expect(topicOf(found, ART[0] ?? '')).to.include('latte art');
    expect(topicOf(found, '/')).to.equal(null);
  });

  it('are the same in the console', async () => {
    const tenant = sharedService().service.deps.tenants.of(project.row.project_id);
    const today = new Date().toISOString().slice(0, 10);
    const rows = await selectContentGaps(tenant, { today, days: 7 }, 10);
    expect(new Set(rows.map(({ topic }) => topic))).to.deep.equal(new Set((await gaps()).keys()));
    expect(rows[0]).to.include({ paths: 3, people: 6, not_recovered: 6 });
  });

  it('stay as they are until there is a new path, which the nightly job groups', async () => {
    const before = await gaps();
    await groupPaths(sharedService().service, project.row.project_id);
    expect(await gaps()).to.deep.equal(before);
    await miss('/training/become-a-barista');
    await stored();
    await groupMissingPaths
      .work(sharedService().service)
      .handle([{ data: { projectId: project.row.project_id } } as never]);
    const found = await gaps();
    expect(topicOf(found, '/training/become-a-barista')).to.equal(topicOf(found, BARISTA[0] ?? ''));
  });

  it('go with the erasure of a path, for they have its words, and are made again without it', async () => {
    const { environment } = sharedService().database;
    const { code } = await runInProcess(
      ['events', 'forget', '--project', project.row.name, '--path', ART[1] ?? ''],
      environment,
    );
    expect(code).to.equal(0);
    expect([...(await gaps()).keys()]).to.deep.equal([null]);
    await groupPaths(sharedService().service, project.row.project_id);
    const found = await gaps();
    expect([...found.keys()].join(' ')).not.to.include('evening');
    expect(topicOf(found, ART[0] ?? '')).to.include('latte art');
  });
});
