import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { listSyncRuns } from '#src/sync/store/sync-runs.js';
import { queueDueSyncs } from '#src/sync/request-sync.js';
import { jsonInProcess, runInProcess } from '../../../support/commands.js';
import type { TestProject } from '../../../support/service.js';
import { sharedService } from '../../../support/shared-service.js';
import { until } from '../../../support/until.js';

describe('project update --source', function () {
  this.timeout(120_000);
  let folder: string;
  let project: TestProject;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pathmend-source-'));
    project = await sharedService().newProject();
  });
  afterEach(() => rm(folder, { recursive: true }));

  const command = (name: string, ...args: string[]) =>
    jsonInProcess(['project', name, '--project', project.row.name, ...args]);
  const update = async (...args: string[]): Promise<unknown> =>
    ((await command('update', ...args)) as { source?: unknown }).source;
  const refused = async (...args: string[]): Promise<string> => {
    const { environment } = sharedService().database;
    const { code, stderr } = await runInProcess(
      ['project', 'update', '--project', project.row.name, ...args],
      environment,
    );
    expect(code).to.equal(1);
    return stderr.trim();
  };

  it('names a site and a time, which show and list say, until it is removed', async () => {
    const from = 'https://shop.example/';
    expect(await update('--source', `${from}?key=secret`)).to.deep.include({ from, every: '1d', prune: false });
    expect(await update('--every', '12h', '--prune')).to.deep.include({ from, every: '12h', prune: true });
    const patterns = ['--exclude', '/tags/*', '*?print=*', '--include', '/shop/*'];
    const filter = { exclude: ['/tags/*', '*?print=*'], include: ['/shop/*'] };
    expect(await update(...patterns)).to.deep.include({ from, every: '12h', ...filter });
    expect(await update('--include', '')).to.deep.include({ ...filter, include: [] });
    expect(await refused('--exclude', 'tags')).to.include('tags is no pattern of paths');
    expect(await update('--no-prune')).to.deep.include({ from, every: '12h', prune: false });
    const shown = (await command('show')) as { source: { next_at: string } };
    expect(shown.source).to.deep.include({ from, every: '12h', set_by: 'command line' });
    const { stdout } = await runInProcess(
      ['project', 'show', '--project', project.row.name],
      sharedService().database.environment,
    );
    expect(stdout)
      .to.match(/^next sync +(\S+)$/m)
      .and.include(shown.source.next_at);
    const all = (await jsonInProcess(['project', 'list'])) as {
      id: string;
      source: unknown;
    }[];
    expect(all.find(({ id }) => id === project.row.project_id)?.source).to.deep.equal(shown.source);
    expect(await update('--source', '')).to.equal(null);
    expect(((await command('show')) as { source: unknown }).source).to.equal(null);
  });

  it('may be a folder or file of the machine, which the worker reads', async () => {
    const file = join(folder, 'pages.jsonl');
    await writeFile(file, `${JSON.stringify({ url: 'https://a.example/x', content: 'X, in words.' })}\n`);
    expect(await update('--source', file)).to.deep.include({ from: file, every: '1d' });
    const { service } = sharedService();
    await queueDueSyncs({ ...service.deps, db: service.db });
    const latest = async () => (await listSyncRuns(service.db, project.row.project_id, 1))[0];
    await until('it is synced', async () => (await latest())?.ended_at != null);
    expect(await latest()).to.deep.include({ outcome: 'done', source: file, asked_by: 'schedule' });
    expect((await latest())?.report).to.include({ created: 1 });
  });

  it('is refused in words where it is nothing that can be read, or its time is', async () => {
    expect(await refused('--every', '1d')).to.equal('The project has no source yet: give --source.');
    expect(await refused('--source', 'www.shop.example')).to.contain('Did you mean https://www.shop.example?');
    expect(await refused('--source', 'https://a:b@shop.example')).to.contain('not the url of a site');
    expect(await refused('--source', 'https://shop.example', '--every', '5m')).to.contain('every 15 minutes at most');
    expect(await refused('--source', 'https://shop.example', '--every', 'often')).to.contain(
      '--every must be a number',
    );
    expect(await refused('--source', '', '--every', '1d')).to.contain('removes the source');
  });
});
