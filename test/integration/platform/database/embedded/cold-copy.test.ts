import { cpSync, renameSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { TestDatabase } from '../../../../support/database.js';
import { send, startTestService, type TestProject, type TestService } from '../../../../support/service.js';
import { kept } from '../../../../support/sql.js';

const WORDS = ['kettle', 'teapot', 'grinder', 'filter', 'saucer'];

describe("a copy of the embedded database's folder, taken while nobody serves it", function () {
  this.timeout(180_000);
  let root: string;
  let running: TestService | undefined;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'pathmend-copy-'));
  });

  afterEach(async () => {
    await running?.service.stop();
    running = undefined;
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });

  const at = (folder: string): TestDatabase =>
    kept({ kind: 'embedded', environment: { DATA_DIR: join(root, folder) }, drop: () => Promise.resolve() });

  async function serve(folder: string): Promise<TestService> {
    await running?.service.stop();
    return (running = await startTestService({}, { database: at(folder) }));
  }

  /** The answers to some searches, word for word but for the search's own id. */
  async function answers({ service }: TestService, project: TestProject): Promise<string[]> {
    const all: string[] = [];
    for (const word of WORDS) {
      for (const [path, body] of [
        ['/v1/suggest', { path: `/old/${word}s.html`, options: { explain: true } }],
        ['/v1/semantic-search', { query: `how to clean a ${word}`, options: { searchThreshold: 0 } }],
        ['/v1/retrieve', { query: `a ${word}`, top_k: 2 }],
      ] as const) {
        const answer = await send(service.url, 'POST', path, body, { Authorization: `Bearer ${project.key}` });
        expect(answer.status, answer.text).to.equal(200);
        all.push(answer.text.replace(/"search_id":"[^"]*"/, ''));
      }
    }
    return all;
  }

  it('answers as it did, at another place, and goes on taking pages', async () => {
    const first = await serve('data');
    const project = await first.newProject();
    for (const word of WORDS) {
      await project.upsert({
        url: `https://copy.example/care/${word}`,
        title: word,
        content: `How to choose, use and clean a ${word}.`,
      });
    }
    await project.indexed();
    const before = await answers(first, project);
    await first.service.stop();
    running = undefined;

    cpSync(join(root, 'data'), join(root, 'backup'), { recursive: true });
    renameSync(join(root, 'data'), join(root, 'lost'));
    const second = await serve('backup');
    expect(await answers(second, project)).to.deep.equal(before);
    const pushed = await send(
      second.service.url,
      'POST',
      '/v1/pages/upsert',
      { url: 'https://copy.example/new', content: 'A new page.' },
      { Authorization: `Bearer ${project.key}` },
    );
    expect(pushed.status, pushed.text).to.equal(202);
  });
});
