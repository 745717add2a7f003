import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { packageRoot } from '#src/base/package-root.js';
import { send } from '../../support/service.js';
import { sharedService } from '../../support/shared-service.js';

/** The program of a customer who generates a client: it uses each operation once, with the types that it promises. */
const PROGRAM = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

type Suggestion = components['schemas']['Suggestion'];
type Page = components['schemas']['Page'];
type Document = components['schemas']['Document'];
type ApiError = components['schemas']['Error'];

export async function useAll(baseUrl: string, key: string, indexed: () => Promise<void>) {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: \`Bearer \${key}\` } });
  const page: Page = { url: 'https://site.example/guides/sourdough-bread', content: 'How to bake sourdough bread.', metadata: { section: 'guides', tags: ['bread'], price: { eur: 3.5 } } };
  const upserted = await client.POST('/v1/pages/upsert', { body: page });
  const action: 'created' | 'updated_content' | 'updated_metadata' | undefined = upserted.data?.action;
  await indexed();
  const suggest = await client.POST('/v1/suggest', { body: { path: '/guides/sourdough-braed', options: { explain: true, filters: { section: 'guides' } } } });
  const best: Suggestion | undefined = suggest.data?.suggestions[0];
  const section: unknown = best?.metadata?.['section'];
  const evidence: unknown = best?.explanation?.['evidence'];
  const searched = await client.POST('/v1/semantic-search', { body: { query: 'how to bake bread', limit: 1, options: { searchThreshold: 0 } } });
  const linked = await client.GET('/v1/search', { params: { query: { query: 'how to bake bread' } } });
  const retrieved = await client.POST('/v1/retrieve', { body: { query: 'how to bake bread', top_k: 1 } });
  const document: Document | undefined = retrieved.data?.documents[0];
  const clicked = await client.POST('/v1/events', { body: { clicked_url: best?.url ?? '', clicked_rank: 1, raw_path: '/guides/sourdough-braed', search_id: suggest.data?.search_id ?? '' } });
  const missed = await client.POST('/v1/events', { body: { raw_path: '/nowhere', user_agent: 'Mozilla/5.0', user_ip: '203.0.113.7' } });
  const proxied = await client.GET('/v1/proxy', { params: { query: { url: '/wp-login.php' } } });
  const refusal: ApiError | undefined = proxied.error;
  const details: { [name: string]: unknown } | undefined = refusal?.error.details;
  const id = upserted.data?.page_id ?? '';
  const listed = await client.GET('/v1/pages', { params: { query: { status: 'INDEXED', limit: 5 } } });
  const cursor: string | null | undefined = listed.data?.next_cursor;
  const shown = await client.GET('/v1/pages/{page_id}', { params: { path: { page_id: id }, query: { content: true } } });
  const batch = await client.POST('/v1/pages/batch', { body: { pages: [{ url: 'https://site.example/new', content: 'New.' }], delete: ['https://site.example/none'] } });
  const told = batch.data?.results.map(({ url, action, error }) => [url, action ?? error?.code]);
  const deleted = await client.DELETE('/v1/pages/delete', { body: { pageId: upserted.data?.page_id ?? '' } });
  const wrong = await client.POST('/v1/suggest', { body: { path: '' } });
  return {
    action, best: best?.url, section, evidence: typeof evidence, searched: searched.data?.suggestions.length, linked: linked.response.status,
    told, pages: [listed.data?.pages[0]?.url, cursor, shown.data?.content],
    document: document?.content, events: [clicked.response.status, missed.response.status],
    proxied: [refusal?.error.code, Object.keys(details ?? {})], deleted: deleted.data?.status, wrong: wrong.error?.error.param,
  };
}
`;

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
};

describe('a client that is generated from /openapi.json', function () {
  this.timeout(120_000);
  let folder: string;

  // Below the repository's folder, so that the client's library is found.
  before(async () => {
    folder = await mkdtemp(join(packageRoot(), '.build', 'generated-client-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('compiles under strict rules, and calls every operation', async () => {
    const { service } = sharedService();
    const project = await sharedService().newProject();
    const described = await send(service.url, 'GET', '/openapi.json');
    await writeFile(join(folder, 'api.ts'), astToString(await openapiTS(described.text)));
    const program = join(folder, 'program.ts');
    await writeFile(program, PROGRAM);
    await writeFile(join(folder, 'package.json'), '{"type": "module"}');
    const compiler = ts.createProgram([program], OPTIONS);
    const faults = [...ts.getPreEmitDiagnostics(compiler), ...compiler.emit().diagnostics];
    expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).to.deep.equal([]);

    const { useAll } = (await import(pathToFileURL(join(folder, 'program.js')).href)) as {
      useAll: (...parameters: unknown[]) => Promise<unknown>;
    };
    expect(await useAll(service.url, project.key, () => project.indexed())).to.deep.equal({
      action: 'created',
      best: '/guides/sourdough-bread',
      section: 'guides',
      evidence: 'object',
      searched: 1,
      linked: 200,
      document: 'How to bake sourdough bread.',
      events: [204, 204],
      proxied: ['not_found', ['suggestions', 'search_id']],
      told: [
        ['https://site.example/new', 'created'],
        ['https://site.example/none', 'not_found'],
      ],
      pages: ['https://site.example/guides/sourdough-bread', null, 'How to bake sourdough bread.'],
      deleted: 'success',
      wrong: 'path',
    });
  });
});
