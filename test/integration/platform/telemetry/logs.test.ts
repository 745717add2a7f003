import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { startTestService, type TestProject, type TestService } from '../../../support/service.js';
import { query } from '../../../support/sql.js';
import { storedNotFounds } from '../../../support/stored-events.js';
import { until } from '../../../support/until.js';

const CONTENT = 'The zanzibar parcel takes three days';
const IP = '198.51.100.211';

describe('the log at its most talkative', function () {
  this.timeout(120_000);
  let test: TestService;
  let project: TestProject;
  let text = '';

  before(async () => {
    const log = new PassThrough();
    log.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    test = await startTestService({ LOG_LEVEL: 'debug', EVENT_IP_MODE: 'full' }, { log });
    project = await test.newProject();
  });

  after(() => test.stop());

  function lines(): Record<string, unknown>[] {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  async function lineOf(id: string, message: string): Promise<Record<string, unknown>> {
    await until(`the log has ${message} of ${id}`, () =>
      lines().some((line) => line['request_id'] === id && line['message'] === message),
    );
    return lines().find((line) => line['request_id'] === id && line['message'] === message) ?? {};
  }

  it('has a JSON line for each request, under the X-Request-Id of its answer', async () => {
    const answer = await project.call('POST', '/v1/suggest', { path: '/zanzibar' }, { 'X-Request-Id': 'given-1' });
    expect(answer.headers.get('x-request-id')).to.equal('given-1');
    expect(await lineOf('given-1', 'request')).to.deep.include({
      level: 'info',
      method: 'POST',
      route: '/v1/suggest',
      status: 200,
      project_id: project.row.project_id,
    });
    const made = await project.post('/v1/suggest', {});
    expect(await lineOf(made.headers.get('x-request-id') ?? '', 'request')).to.deep.include({
      route: '/v1/suggest',
      status: 400,
    });
  });

  it('has a line of the worker under the X-Request-Id of the request that queued its job', async () => {
    const page = { url: 'https://shop.example/job', content: CONTENT };
    await project.call('POST', '/v1/pages/upsert', page, { 'X-Request-Id': 'given-2' });
    await project.call('GET', '/v1/not-found?url=/gone-by-proxy', undefined, { 'X-Request-Id': 'given-3' });
    const isOf = (line: Record<string, unknown>, job: string): boolean =>
      line['request_id'] === 'given-2' && line['message'] === 'job' && line['job'] === job;
    for (const job of ['index-words', 'vectorize-page'])
      await until(`the log has ${job}`, () => lines().some((line) => isOf(line, job) && line['jobs'] === 1));
    expect(await lineOf('given-3', 'job')).to.deep.include({ level: 'info', job: 'record-events', jobs: 1 });
  });

  it('has the reason of a 500 under the request_id that the answer shows', async () => {
    await query(
      test.service,
      `alter table pathmend.pages add constraint pages__no_poison check (title is distinct from 'poison')`,
    );
    const answer = await project.post('/v1/pages/upsert', {
      url: 'https://shop.example/p',
      title: 'poison',
      content: CONTENT,
    });
    await query(test.service, 'alter table pathmend.pages drop constraint pages__no_poison');
    expect(answer.status).to.equal(500);
    expect(answer.text).to.not.contain('pages__no_poison');
    const { error } = await lineOf(answer.body.error.details.request_id as string, 'request failed');
    expect(JSON.stringify(error)).to.contain('pages__no_poison');
  });

  it("never holds a key, a visitor's IP or page content", async () => {
    const { key } = project;
    await project.upsert({
      url: 'https://shop.example/zanzibar',
      title: 'Zanzibar',
      content: CONTENT,
      metadata: { note: CONTENT },
    });
    await project.indexed();
    await project.upsert({ url: 'https://shop.example/zanzibar', content: `${CONTENT} and a half` });
    await project.indexed();
    await project.post('/v1/suggest', { path: '/zanzibar' });
    await project.post('/v1/retrieve', { query: 'zanzibar' });
    await project.post('/v1/events', { raw_path: '/gone', user_ip: IP, user_agent: `agent of ${IP}` });
    await storedNotFounds(test.service, project.row.project_id, 1);
    // Everything wrong, with secrets where they do not belong.
    await project.post('/v1/pages/upsert', `{"content": "${CONTENT}`);
    await project.post('/v1/pages/upsert', { url: CONTENT, content: CONTENT });
    await project.call('GET', `/v1/search?query=${key}`);
    await project.call('GET', `/${key}`);
    await project.call(
      'POST',
      '/v1/suggest',
      { path: key },
      { Authorization: `Bearer ${key.slice(0, -1)}`, 'X-Request-Id': key },
    );
    await project.call('POST', '/v1/suggest', { path: '/x' }, { Authorization: `Bearer ${key}x` });
    await project.call('GET', '/healthz', undefined, { 'X-Request-Id': 'the-last-one' });
    await lineOf('the-last-one', 'request');

    expect(lines().length).to.be.above(15);
    for (const secret of [key, key.slice(8, 40), IP, 'parcel takes three']) expect(text).to.not.contain(secret);
  });

  it("blots out a key that stands in an error's text, and a password in a database url", async () => {
    const { logger } = test.service.deps;
    logger.error('fault', {
      error: new Error(`no ${project.key} at postgres://me:topsecret@db/x`),
      request_id: 'redacted-1',
    });
    const { error } = await lineOf('redacted-1', 'fault');
    expect(JSON.stringify(error)).to.not.contain(project.key.slice(8, 20)).and.to.not.contain('topsecret');
  });
});
