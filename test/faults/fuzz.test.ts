import { expect } from 'chai';
import { suggestOperation } from '#src/search/routes/suggest.js';
import { createJudge } from '../../scripts/faults/fuzz/judge.js';
import type { FuzzedRequest } from '../../scripts/faults/fuzz/requests.js';
import { fuzz } from '../../scripts/faults/fuzz/run.js';
import type { RawAnswer } from '../../scripts/faults/fuzz/send.js';
import { sharedService } from '../support/shared-service.js';

/** The same on every run; scripts/faults/fuzz.ts makes others, and more of them. */
const SEED = 404;

describe('requests of every kind', function () {
  this.timeout(180_000);

  it('get no 5xx, no answer outside the description of the API, and end no process', async () => {
    const test = sharedService();
    const { service } = test;
    const project = await test.newProject({ scopes: ['read', 'write', 'rules'] });
    for (const page of ['returns', 'shipping', 'opening-hours']) {
      await project.upsert({
        url: `https://fuzz.example/help/${page}`,
        content: `All about ${page}.`,
        metadata: { category: 'help' },
      });
    }
    await project.indexed();
    const { requests, statuses, faults } = await fuzz(service, project.key, 1_200, SEED);
    expect(faults.join('\n')).to.equal('');
    expect(requests).to.be.at.least(1_200);
    // They reach what they are made for, and not only its doorkeepers.
    for (const status of ['200', '202', '204', '400', '401', '404', '405'])
      expect(statuses, status).to.have.property(status);
    expect((await fetch(`${service.url}/readyz`)).status).to.equal(200);
  });
});

describe('the judge of fuzzed requests', () => {
  const request: FuzzedRequest = {
    method: 'POST',
    target: '/v1/suggest',
    headers: [['Authorization', 'Bearer k']],
    body: Buffer.from('{}'),
    framing: 'length',
  };

  function verdict(status: number, body: unknown, headers: [string, string][] = []): string | undefined {
    const answer: RawAnswer = {
      status,
      headers: new Map([['x-request-id', 'id'], ['content-type', 'application/json; charset=utf-8'], ...headers]),
      body: Buffer.from(JSON.stringify(body)),
    };
    return createJudge()(suggestOperation, request, answer);
  }

  const answered = {
    suggestions: [{ url: '/a', title: 'A', score: 0.9 }],
    search_id: '00000000-0000-4000-8000-000000000000',
  };

  it('lets pass what the API promises', () => {
    expect(verdict(200, answered)).to.be.undefined;
    expect(verdict(400, { error: { code: 'invalid_request', message: 'path must be a text.', param: 'path' } })).to.be
      .undefined;
    const parameter = "options.filters.'; drop table pathmend.pages; --";
    expect(
      verdict(400, {
        error: { code: 'invalid_request', message: `${parameter} must be a JSON scalar.`, param: parameter },
      }),
    ).to.be.undefined;
  });

  it('finds what it does not', () => {
    expect(verdict(500, { error: { code: 'internal_error', message: 'Oh.' } })).to.include('status 500');
    expect(verdict(200, { ...answered, project_id: 'leaked' })).to.include('outside its schema');
    expect(verdict(200, { ...answered, suggestions: [{ url: '/a', title: null, score: 0.9 }] })).to.include(
      'outside its schema',
    );
    expect(verdict(400, { error: { code: 'not_found', message: 'Not there.' } })).to.include('with status 400');
    expect(
      verdict(400, { error: { code: 'invalid_request', message: 'syntax error in select 1 from pathmend.pages' } }),
    ).to.include('shows too much');
    expect(verdict(200, answered, [['set-cookie', 'a=b']])).to.include('set-cookie');
    expect(verdict(200, answered, [['content-type', 'text/html']])).to.include('Content-Type');
  });
});
