import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020, type SchemaObject } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { send } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';

interface DescribedOperation {
  operationId: string;
  tags: string[];
  requestBody?: {
    content: { 'application/json': { schema: SchemaObject; examples: Record<string, { value: object }> } };
  };
  responses: Record<string, unknown>;
}

interface Described {
  openapi: string;
  tags: { name: string }[];
  paths: Record<string, Record<string, DescribedOperation>>;
  components: { schemas: Record<string, SchemaObject>; headers: object };
}

describe('GET /openapi.json', () => {
  const described = async (): Promise<Described> =>
    (await send(sharedService().service.url, 'GET', '/openapi.json')).body as Described;

  it('is the description in docs/openapi.json', async () => {
    const written = JSON.parse(readFileSync(join(packageRoot(), 'docs', 'openapi.json'), 'utf8')) as Described;
    expect(await described()).to.deep.equal(written);
  });

  it('names addresses and methods that are there, and leaves none out that answers', async () => {
    const { url } = sharedService().service;
    const { paths } = await described();
    for (const [path, methods] of Object.entries(paths)) {
      for (const method of Object.keys(methods))
        expect((await send(url, method.toUpperCase(), path)).status, `${method} ${path}`).to.equal(401);
      expect((await send(url, 'PUT', path)).status, `PUT ${path}`).to.equal(405);
    }
    const mounted = `suggest semantic-search retrieve pages/upsert pages/delete pages/batch pages pages/{page_id}
      events click search proxy not-found llms.txt links rules rules/{id} rules/try rules/history rules/undo`
      .split(/\s+/)
      .map((name) => `/v1/${name}`);
    expect(Object.keys(paths)).to.have.members(mounted);
  });

  it('has schemas that any validator of JSON Schema takes', async () => {
    const { components, paths } = await described();
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    ajv.addVocabulary(['components']);
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    for (const { requestBody } of operations) {
      if (requestBody)
        expect(() => ajv.compile({ ...requestBody.content['application/json'].schema, components })).not.to.throw();
    }
    for (const name of ['Suggestion', 'Document', 'Page', 'Error']) {
      expect(() => ajv.compile({ $ref: `#/components/schemas/${name}`, components }), name).not.to.throw();
    }
  });

  it("raises no warning of Redocly's linter", async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({ source: JSON.stringify(await described()), config });
    expect(
      problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ''}`),
    ).to.deep.equal([]);
  });

  it("has names, defaults, tags and examples, and says that visitors' addresses are taken", async () => {
    const { components, paths, tags } = await described();
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    for (const {
      operationId,
      tags: [tag],
      requestBody,
      responses,
    } of operations) {
      expect(operationId).to.match(/^[a-z][A-Za-z]+$/);
      expect(
        tags.map(({ name }) => name),
        operationId,
      ).to.include(tag);
      if (requestBody)
        expect(Object.keys(requestBody.content['application/json'].examples), operationId).to.have.length.above(1);
      expect(Object.keys(responses), operationId).to.include.members(['400', '401', '403', '429', '500', '503']);
    }
    const { properties } = paths['/v1/suggest']?.['post']?.requestBody?.content['application/json'].schema ?? {};
    expect([properties.limit.default, properties.options.properties.searchThreshold.default]).to.deep.equal([3, 0.7]);
    expect(components.schemas['NotFoundEvent']?.['properties'])
      .to.have.nested.property('user_ip.description')
      .that.contains('IP address');
    expect(components.headers).to.include.all.keys(
      'X-Request-Id',
      'X-RateLimit-Limit',
      'X-RateLimit-Remaining',
      'X-RateLimit-Reset',
      'Retry-After',
      'X-Pathmend-Warning',
    );
  });

  it('has examples that the service takes as they are', async () => {
    const project = await sharedService().newProject({ scopes: ['read', 'write', 'rules'] });
    await project.upsert({ url: 'https://www.example.com/help/returns', content: 'How to send a parcel back.' });
    for (const [path, methods] of Object.entries((await described()).paths)) {
      for (const [method, { requestBody }] of Object.entries(methods)) {
        for (const [name, { value }] of Object.entries(requestBody?.content['application/json'].examples ?? {})) {
          const answer = await project.call(method.toUpperCase(), path, value);
          // These examples name a page, rule or change that does not exist.
          const isNobodys = name === 'id' || path.includes('{id}') || path.endsWith('/undo');
          expect(answer.status, `${path} ${name}: ${answer.text}`).to.be.oneOf(isNobodys ? [404] : [200, 202, 204]);
          expect(answer.headers.get('x-pathmend-warning'), `${path} ${name}`).to.equal(null);
        }
      }
    }
  });

  it('takes GET alone', async () => {
    expect((await send(sharedService().service.url, 'POST', '/openapi.json')).status).to.equal(405);
  });
});
