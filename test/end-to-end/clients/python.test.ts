import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { freePort } from '../../../scripts/service/throwaway-database.js';
import { BROKEN, startInPlace } from '../../support/broken-pathmend.js';
import { typeBlock } from '../../support/document.js';
import type { Listening } from '../../support/listen.js';
import { sharedService } from '../../support/shared-service.js';
import { storedClicks, storedNotFounds } from '../../support/stored-events.js';

const HEAD = `
import json, os, time
from pathmend_client import Client, PathmendError
client = Client(os.environ["PATHMEND_URL"], os.environ["PATHMEND_KEY"], timeout=20)
def code_of(call):
    try:
        call()
    except PathmendError as error:
        return error.code
`;
const BREAD = 'https://site.example/guides/sourdough-bread';

describe('the client for Python', function () {
  this.timeout(120_000);
  let folder: string;
  const running: Listening[] = [];

  before(async function () {
    if (spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status !== 0) this.skip();
    folder = await mkdtemp(join(tmpdir(), 'pathmend-python-'));
    await cp(join(packageRoot(), 'clients/python/pathmend_client.py'), join(folder, 'pathmend_client.py'));
  });
  after(async () => {
    await Promise.all(running.map((server) => server.stop()));
    if (folder) await rm(folder, { recursive: true });
  });

  /** Runs a Python program; returns the JSON that it prints. */
  async function run(program: string, url: string, key = 'pm_live_key'): Promise<unknown> {
    await writeFile(join(folder, 'program.py'), program);
    const { code, stdout, stderr } = await typeBlock('python3 program.py', {
      cwd: folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', PATHMEND_URL: url, PATHMEND_KEY: key },
    });
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout);
  }

  async function inPlace(answer: Parameters<typeof startInPlace>[0]): Promise<string> {
    const server = await startInPlace(answer);
    running.push(server);
    return server.url;
  }

  it('pushes, finds, retrieves and deletes pages, sends events, and says what was refused', async () => {
    const { service } = sharedService();
    const project = await sharedService().newProject();
    const pushed = await run(
      `${HEAD}
upserted = client.upsert_page({"url": "${BREAD}", "content": "How to bake sourdough bread."})
pages = ({"url": f"https://site.example/p/{n}", "content": f"Page {n}" if n != 40 else ""} for n in range(50))
results = client.upsert_pages(pages, delete=["https://site.example/p/3", "https://site.example/never"])
print(json.dumps([upserted["action"], len(results), results[40]["error"]["code"], results[50]["action"], results[51]["error"]["code"]]))`,
      service.url,
      project.key,
    );
    expect(pushed).to.deep.equal(['created', 52, 'invalid_request', 'deleted', 'not_found']);
    await project.indexed();
    const answers = await run(
      `${HEAD}
found = client.suggest("/guides/sourdough-braed", limit=1)
filtered = client.suggest("/guides/sourdough-braed", options={"filters": {"section": "blog"}})
searched = client.semantic_search("how to bake sourdough bread", limit=1)
documents = client.retrieve("how to bake sourdough bread", top_k=1)["documents"]
client.send_event({"clicked_url": "/guides/sourdough-bread", "clicked_rank": 1, "raw_path": "/x", "search_id": found["search_id"]})
client.send_event({"raw_path": "/x"})
deleted = client.delete_page("${BREAD}")
try:
    client.suggest("")
except PathmendError as error:
    refused = [error.status, error.code, error.param, bool(error.request_id)]
print(json.dumps([found["suggestions"][0]["url"], filtered["suggestions"], searched["suggestions"][0]["url"], documents[0]["content"], deleted["status"], refused]))`,
      service.url,
      project.key,
    );
    expect(answers).to.deep.equal([
      '/guides/sourdough-bread',
      [],
      '/guides/sourdough-bread',
      'How to bake sourdough bread.',
      'success',
      [400, 'invalid_request', 'path', true],
    ]);
    expect(await storedClicks(service, project.row.project_id, 1)).to.have.length(1);
    expect(await storedNotFounds(service, project.row.project_id, 1)).to.have.length(1);
  });

  it('keeps to the rate of a small plan: smaller batches, and waits of Retry-After', async () => {
    const project = await sharedService().newProject({ rates: { write_rate: 20, write_burst: 10 } });
    const program = `${HEAD}
results = client.upsert_pages({"url": f"https://site.example/p/{n}", "content": f"Page {n}"} for n in range(25))
print(json.dumps([result["action"] for result in results]))`;
    expect(await run(program, sharedService().service.url, project.key)).to.deep.equal(Array(25).fill('created'));
  });

  it('sends again those pages of a batch that pathmend did not come to', async () => {
    const url = await inPlace((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        const { pages } = JSON.parse(text) as { pages: { url: string }[] };
        const results = pages.map((page, index) =>
          index < 2 ? { url: page.url, action: 'created' } : { url: page.url, error: { code: 'overloaded' } },
        );
        response.writeHead(200).end(JSON.stringify({ results }));
      });
    });
    const program = `${HEAD}
results = client.upsert_pages({"url": url, "content": "Bread."} for url in "abcde")
print(json.dumps([[result["url"], result.get("action")] for result in results]))`;
    expect(await run(program, url)).to.deep.equal([...'abcde'].map((page) => [page, 'created']));
  });

  it('says that an answer is wrong, whatever its shape', async () => {
    const deep = '['.repeat(100_000);
    const bodies = [deep, `{"error": ${deep}`, '{"results": [7, null]}', '{"results": [{"error": null}, {}]}'];
    for (const status of [200, 503])
      for (const body of bodies) {
        const url = await inPlace((_request, response) => {
          response.writeHead(status, { 'Retry-After': '9'.repeat(400) }).end(body);
        });
        const program = `${HEAD}
pages = [{"url": url, "content": "Bread."} for url in "ab"]
print(json.dumps(code_of(lambda: client.upsert_pages(pages))))`;
        expect(await run(program, url), body.slice(0, 40)).to.equal('wrong_answer');
      }
  });

  it('fails in time, and says how, when pathmend is slow, wrong or down', async () => {
    const seen: Record<string, unknown> = {};
    const program = `${HEAD}
began = time.monotonic()
code = code_of(lambda: client.suggest("/a", timeout=0.3))
print(json.dumps([code, time.monotonic() - began < 3]))`;
    for (const [how, answer] of Object.entries(BROKEN)) seen[how] = await run(program, await inPlace(answer));
    seen['trickles'] = await run(
      program,
      await inPlace((_request, response) => {
        const timer = setInterval(() => response.write(' '), 50);
        response.on('close', () => {
          clearInterval(timer);
        });
      }),
    );
    seen['down'] = await run(program, `http://127.0.0.1:${await freePort()}`);
    // On a fast machine the answer reaches the limit of its size, on a slow machine the limit of its time.
    const [endless] = seen['sends bytes without an end'] as unknown[];
    expect(endless).to.be.oneOf(['timeout', 'wrong_answer']);
    expect(seen).to.deep.equal({
      'never answers': ['timeout', true],
      'begins an answer and never ends it': ['timeout', true],
      'sends bytes without an end': [endless, true],
      'answers 500': ['internal_error', true],
      'answers with a page of its proxy': ['wrong_answer', true],
      'answers with something that is not JSON': ['wrong_answer', true],
      'answers with JSON that says nothing': [null, true],
      'answers null': ['wrong_answer', true],
      'answers with suggestions of other types': [null, true],
      'redirects elsewhere': ['wrong_answer', true],
      'ends the connection': ['unreachable', true],
      trickles: ['timeout', true],
      down: ['unreachable', true],
    });
  });

  it('sends a write again after 429, an upsert after 500, and a delete or an event not', async () => {
    const requestedPaths: string[] = [];
    const url = await inPlace((request, response) => {
      requestedPaths.push(request.url ?? '');
      if (requestedPaths.length === 1) response.writeHead(429, { 'Retry-After': '1' }).end();
      else response.writeHead(500).end();
    });
    const program = `${HEAD}
page = {"url": "${BREAD}", "content": "Bread."}
codes = [code_of(lambda: client.upsert_page(page, retries=2)), code_of(lambda: client.delete_page("a")), code_of(lambda: client.send_event({}))]
print(json.dumps(codes))`;
    await run(program, url);
    expect(requestedPaths).to.deep.equal([
      '/v1/pages/upsert',
      '/v1/pages/upsert',
      '/v1/pages/upsert',
      '/v1/pages/delete',
      '/v1/events',
    ]);
  });

  it('does what its README shows', async () => {
    const { service } = sharedService();
    const project = await sharedService().newProject();
    await project.upsert({ url: 'https://www.example.com/help', content: 'Help\n\nCall us from 9 to 5.' });
    await project.indexed();
    const readme = await readFile(join(packageRoot(), 'clients/python/README.md'), 'utf8');
    const [, code = ''] = /```python\n([\s\S]*?)```/.exec(readme) ?? [];
    const patient = code
      .replace('["PATHMEND_KEY"])', '["PATHMEND_KEY"], timeout=20)')
      .replace('print(', 'import json\nprint(json.dumps(')
      .replace(/\)\n$/, '))\n');
    const [target, suggestions] = (await run(patient, service.url, project.key)) as [string | null, { url: string }[]];
    expect(suggestions[0]?.url).to.equal('/help');
    expect(target).to.be.oneOf([null, '/help']);
  });
});
