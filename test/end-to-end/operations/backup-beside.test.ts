import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { clientPrograms } from '../../support/administrator.js';
import { shellBlocks, typeBlock } from '../../support/document.js';
import { cliJson, startServer, type ServerProcess } from '../../support/processes.js';
import { send, type Answer } from '../../support/service.js';
import { until } from '../../support/until.js';

describe('a backup beside a server on the embedded database, as docs/operate/backup.md types it', function () {
  this.timeout(120_000);
  let root: string | undefined;
  let server: ServerProcess;
  let key: string;
  let path: string;
  let environment: Record<string, string>;

  before(async function () {
    const programs = await clientPrograms();
    if (programs === undefined) {
      console.log('      left out: there is no pg_dump of PostgreSQL 18 here');
      this.skip();
      return;
    }
    path = `${programs}:${process.env['PATH'] ?? ''}`;
    const folder = (root = await mkdtemp(join(tmpdir(), 'pathmend-beside-')));
    environment = { DATA_DIR: join(folder, 'data') };
    server = await startServer(environment);
    await cliJson(['project', 'create', '--name', 'shop', '--plan', 'scale'], environment);
    ({ key } = (await cliJson(['key', 'create', '--project', 'shop', '--mode', 'live'], environment)) as {
      key: string;
    });
    await upsert('/help/grinder-jammed', 'When the grinder hums but the burrs do not turn, a stone is stuck.');
  });

  after(async () => {
    if (root === undefined) return;
    await server.end('SIGTERM');
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  });

  const post = (path: string, body: unknown): Promise<Answer> =>
    send(server.url, 'POST', path, body, { Authorization: `Bearer ${key}` });

  async function upsert(path: string, content: string): Promise<void> {
    const answer = await post('/v1/pages/upsert', { url: `https://shop.example${path}`, content });
    expect(answer.status, answer.text).to.equal(202);
    await until(
      `${path} is indexed`,
      async () => {
        const { pages } = (await cliJson(['project', 'show', '--project', 'shop'], environment)) as {
          pages: Record<string, number>;
        };
        return pages['PENDING_VECTORIZATION'] === 0 && pages['PROCESSING'] === 0;
      },
      30_000,
    );
  }

  /** Texts that were never asked for are answered by no cache. */
  async function expectServing(mark: string): Promise<void> {
    const suggested = await post('/v1/suggest', {
      path: `/old/grinder-jammed-${mark}`,
      options: { searchThreshold: 0 },
    });
    expect(suggested.status, suggested.text).to.equal(200);
    expect(suggested.body.suggestions[0]?.url).to.equal('/help/grinder-jammed');
    const searched = await post('/v1/semantic-search', {
      query: `the grinder hums, ${mark}`,
      options: { searchThreshold: 0 },
    });
    expect(searched.status, searched.text).to.equal(200);
    expect(searched.body.suggestions[0]?.url).to.equal('/help/grinder-jammed');
    const documents = await post('/v1/retrieve', { query: `burrs do not turn, ${mark}` });
    expect(documents.status, documents.text).to.equal(200);
    await upsert(`/news/${mark}`, `News of ${mark}: the shop is open.`);
    const ready = await send(server.url, 'GET', '/readyz');
    expect(ready.status, ready.text).to.equal(200);
  }

  it('leaves a server that answers and takes pages as before', async () => {
    const [block = ''] = (
      await shellBlocks('docs/operate/backup.md', 'Move from the embedded database to a server')
    ).filter((text) => text.includes('data/socket'));
    const at = { cwd: root ?? '', env: { PATH: path } };
    const typed = await typeBlock(block, at);
    expect(typed.code, typed.stderr).to.equal(0);
    expect((await stat(join(at.cwd, 'pathmend.dump'))).size).to.be.above(10_000);
    await expectServing('dumped');

    // Twice more, while it is asked; and once cut off in the middle of its transaction.
    const dumps = [typeBlock(block, at), typeBlock(`${block} & sleep 0.2; kill -9 $!`, at)];
    await expectServing('meanwhile');
    await Promise.all(dumps);
    await expectServing('after');
  });
});
