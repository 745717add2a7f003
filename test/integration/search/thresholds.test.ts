import { expect } from 'chai';
import { jsonInProcess, runInProcess } from '../../support/commands.js';
import { sharedService } from '../../support/shared-service.js';
import type { Answer, TestProject } from '../../support/service.js';

const RETURNS = 'https://shop.example/help/returns/return-an-item';
const DELIVERY = 'https://shop.example/help/delivery/when-it-arrives';

describe('the thresholds of a project', function () {
  this.timeout(60_000);
  let project: TestProject;
  let environment: Record<string, string>;

  before(async () => {
    ({ environment } = sharedService().database);
    project = await sharedService().newProject();
    await project.upsert({ url: RETURNS, content: 'Print the return label and hand the parcel in.' });
    await project.upsert({ url: DELIVERY, content: 'A parcel arrives after two or three days.' });
    await project.indexed();
  });

  const update = (...args: string[]) =>
    jsonInProcess(['project', 'update', '--project', project.row.project_id, ...args], environment);
  const proxy = (url: string): Promise<Answer> => project.call('GET', `/v1/proxy?url=${encodeURIComponent(url)}`);
  const notFound = (url: string): Promise<Answer> =>
    project.call('GET', `/v1/not-found?url=${encodeURIComponent(url)}`, undefined, { Accept: 'application/json' });

  /** Some path that is answered with a score between these. */
  async function scored(least: number, most: number): Promise<string> {
    const tried: [string, number][] = [];
    for (const path of ['/returns', '/help/parcel', '/return', '/help/return-item', '/items/return-an-item.html']) {
      const { body } = await project.post('/v1/suggest', { path, options: { searchThreshold: 0 } });
      tried.push([path, body.suggestions[0]?.score ?? 0]);
    }
    const match = tried.find(([, score]) => score > least && score < most);
    if (!match) throw new Error(`none is scored between ${least} and ${most}: ${JSON.stringify(tried)}`);
    return match[0];
  }

  it('redirect above a lower score at once, and at 1 by known redirects alone', async () => {
    const doubtful = await scored(0.5, 0.9);
    expect([(await proxy(doubtful)).status, (await notFound(doubtful)).status]).to.deep.equal([404, 404]);
    expect(await update('--redirect-above', '0.5')).to.include({ redirect_above: 0.5, shown_from: 0.1 });
    expect([(await proxy(doubtful)).status, (await notFound(doubtful)).status]).to.deep.equal([302, 302]);

    const sure = '/help/returns/retrun-an-item';
    await update('--redirect-above', '0.9');
    expect((await proxy(sure)).status).to.equal(302);
    await update('--redirect-above', '1');
    expect([(await proxy(sure)).status, (await notFound(sure)).status]).to.deep.equal([404, 404]);
    const rule = ['redirects', 'add', '--project', project.row.project_id, '--from', '/known', '--to', DELIVERY];
    await jsonInProcess(rule, environment);
    expect([(await proxy('/known')).status, (await notFound('/known')).status]).to.deep.equal([301, 301]);
    await update('--redirect-above', '0.9');
  });

  it('show a page from a higher score on, and leave suggest as the request says', async () => {
    const doubtful = await scored(0.1, 0.9);
    const shown = async (): Promise<number> =>
      (await notFound(doubtful)).body.error.details.suggestions.length as number;
    expect(await shown()).to.be.above(0);
    expect(await update('--shown-from', '0.95')).to.include({ shown_from: 0.95 });
    expect(await shown()).to.equal(0);
    const { body } = await project.post('/v1/suggest', { path: doubtful, options: { searchThreshold: 0 } });
    expect(body.suggestions).to.have.length.above(0);
    await update('--shown-from', '0.1');
  });

  it('are refused outside of their range, by the name of the option', async () => {
    for (const [option, value] of [
      ['--redirect-above', '0.49'],
      ['--redirect-above', '1.1'],
      ['--redirect-above', 'x'],
      ['--shown-from', '-0.1'],
      ['--shown-from', 'NaN'],
    ] as const) {
      const { code, stderr } = await runInProcess(
        ['project', 'update', '--project', project.row.project_id, option, value],
        environment,
      );
      expect([code, stderr], `${option} ${value}`).to.satisfy(
        ([exit, output]: [number, string]) => exit === 1 && output.includes(`${option}: This is a score from 0`),
      );
    }
  });
});
