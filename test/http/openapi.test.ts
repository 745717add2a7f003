import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type SchemaObject } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { packageRoot } from '#src/package-root.js';
import { send } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

interface Described {
  openapi: string;
  paths: Record<string, Record<string, { requestBody?: { content: { 'application/json': { schema: SchemaObject } } }; responses: Record<string, unknown> }>>;
}

describe('GET /openapi.json', () => {
  const described = async (): Promise<Described> => (await send(sharedService().service.url, 'GET', '/openapi.json')).body as Described;

  it('is the description in docs/openapi.json', async () => {
    const written = JSON.parse(readFileSync(join(packageRoot(), 'docs', 'openapi.json'), 'utf8')) as Described;
    expect(await described()).to.deep.equal(written);
  });

  it('names addresses and methods that are there, and leaves none out that answers', async () => {
    const { url } = sharedService().service;
    const { paths } = await described();
    for (const [path, methods] of Object.entries(paths)) {
      const [method = ''] = Object.keys(methods);
      expect((await send(url, method.toUpperCase(), path)).status, `${method} ${path}`).to.equal(401);
      expect((await send(url, 'PATCH', path)).status, `PATCH ${path}`).to.equal(405);
    }
    const mounted = ['suggest', 'semantic-search', 'retrieve', 'pages/upsert', 'pages/delete', 'events', 'search', 'proxy'].map((name) => `/v1/${name}`);
    expect(Object.keys(paths)).to.have.members(mounted);
  });

  it('has schemas that any validator of JSON Schema takes', async () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    for (const methods of Object.values((await described()).paths)) {
      for (const { requestBody } of Object.values(methods)) {
        if (requestBody) expect(() => ajv.compile(requestBody.content['application/json'].schema)).not.to.throw();
      }
    }
  });

  it('takes GET alone', async () => {
    expect((await send(sharedService().service.url, 'POST', '/openapi.json')).status).to.equal(405);
  });
});
