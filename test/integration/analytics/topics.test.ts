import { expect } from 'chai';
import { selectContentGaps } from '#src/analytics/store/redirects.js';
import { sharedService } from '../../support/shared-service.js';
import type { TestProject } from '../../support/service.js';
import { storedNotFounds } from '../../support/stored-events.js';

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
const COURSES = ['/courses/barista-training', '/en/courses/latte-art-evening', '/2024/05/Courses/v2/tasting'];
const RENTAL = ['/machine-rental/espresso', '/machine_rental/prices'];

describe('topics of content gaps', function () {
  this.timeout(60_000);
  let project: TestProject;
  let count = 0;

  before(async () => {
    project = await sharedService().newProject();
    for (const raw_path of [...COURSES, ...COURSES, ...RENTAL, '/', '/shop.php'])
      await miss({ raw_path, user_agent: BROWSER, outcome: 'nothing' });
    await miss({ raw_path: '/courses/robots-only', user_agent: 'curl/8.5.0', outcome: 'nothing' });
    await miss({ raw_path: '/courses/recovered', user_agent: BROWSER, outcome: 'redirected' });
    await storedNotFounds(sharedService().service, project.row.project_id, count);
  });

  async function miss(body: object): Promise<void> {
    count++;
    expect((await project.post('/v1/events', body)).status).to.equal(204);
  }

  it('are the first folders that are no language, year or version', async () => {
    const rows = await project.query<{ topic: string | null; examples: string[] }>(
      'select topic, examples from analytics.content_gaps where project_id = $1 order by topic',
    );
    expect(rows.map(({ topic, examples }) => [topic, [...examples].sort()])).to.deep.equal([
      ['courses', [...COURSES].sort()],
      ['machine rental', [...RENTAL].sort()],
      [null, ['/', '/shop.php']],
    ]);
  });

  it('are the same in the console', async () => {
    const tenant = sharedService().service.deps.tenants.of(project.row.project_id);
    const today = new Date().toISOString().slice(0, 10);
    const rows = await selectContentGaps(tenant, { from: '2026-01-01', to: today }, 10);
    expect(rows.map(({ topic }) => topic)).to.deep.equal(['courses', 'machine rental', null]);
    // Up to the folder of the first example.
    expect(rows.map(({ section }) => section)).to.deep.equal(['/2024/05/Courses/', '/machine-rental/', null]);
    expect(rows[0]).to.include({ paths: 3, people: 6, not_recovered: 6 });
  });
});
