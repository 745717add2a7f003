import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.js';
import { storedClicks, storedNotFounds } from '../../support/stored-events.js';
import type { TestProject } from '../../support/service.js';

const click = { clicked_url: '/here', clicked_rank: 1, raw_path: '/gone', search_id: randomUUID() };

describe('POST /v1/events: which type an event is', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
  });

  async function refusal(body: unknown): Promise<{ code: string; message: string; param?: string }> {
    const { status, body: answer } = await project.post('/v1/events', body);
    expect(status, JSON.stringify(body)).to.equal(400);
    expect(answer.error.code).to.equal('invalid_request');
    return answer.error;
  }

  it('takes clicked_url with search_id for a click, and raw_path without either for a 404', async () => {
    const separateProject = await sharedService().newProject();
    await separateProject.post('/v1/events', click);
    await separateProject.post('/v1/events', { raw_path: '/a-404', referrer: 'https://x.example' });
    const { service } = sharedService();
    expect((await storedClicks(service, separateProject.row.project_id, 1)).map((row) => row.raw_path)).to.deep.equal([
      '/gone',
    ]);
    expect(
      (await storedNotFounds(service, separateProject.row.project_id, 1)).map((row) => row.raw_path),
    ).to.deep.equal(['/a-404']);
  });

  it('refuses what is neither: nothing, a click without its search_id, what is left of a click', async () => {
    const { search_id, clicked_url, clicked_rank, ...rest } = click;
    for (const body of [
      {},
      { foo: 1 },
      { ...rest, clicked_rank, clicked_url },
      { ...rest, search_id },
      { clicked_url },
      { search_id },
      { raw_path: '/x', clicked_url: null },
    ]) {
      const error = await refusal(body);
      expect(error.param).to.equal(undefined);
      expect(error.message).to.contain('type of the event');
    }
  });

  it('names the missing field of a click', async () => {
    for (const name of ['clicked_url', 'raw_path', 'clicked_rank'] as const) {
      const error = await refusal({ ...click, [name]: undefined });
      expect(error).to.deep.include({ param: name, message: `Missing required parameter: ${name}` });
    }
  });

  it('names the field of a click that is wrong', async () => {
    const wrong: [string, unknown[]][] = [
      ['clicked_url', [5, '', null, [], {}]],
      ['raw_path', [5, '', null]],
      ['clicked_rank', [0, -1, 1.5, '1', null, 1e300, true]],
      ['search_id', ['', 'abc', 5, null, '00000000-0000-0000-0000-00000000000g', `${randomUUID()}x`]],
      ['origin', [5, {}]],
      ['timestamp', [5, {}]],
    ];
    for (const [name, values] of wrong) {
      for (const value of values) {
        const error = await refusal({ ...click, [name]: value });
        expect(error.param, `${name} ${JSON.stringify(value)}`).to.equal(name);
      }
    }
  });

  it('names the field of a 404 that is wrong', async () => {
    for (const name of ['raw_path', 'origin', 'referrer', 'user_agent']) {
      const error = await refusal({ raw_path: '/x', [name]: 5 });
      expect(error.param).to.equal(name);
    }
    expect((await refusal({ raw_path: '' })).param).to.equal('raw_path');
  });
});
