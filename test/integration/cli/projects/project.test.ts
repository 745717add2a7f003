import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { inParallel } from '../../../support/in-parallel.js';
import { jsonInProcess, runInProcess } from '../../../support/commands.js';
import { sharedService } from '../../../support/shared-service.js';
import { send, type Answer } from '../../../support/service.js';
import { tablesHolding } from '../../../support/sql.js';
import { loggedSearches, storedNotFounds } from '../../../support/stored-events.js';

interface Project {
  id: string;
  name: string;
  plan: string | null;
  access: string;
  pages: Record<string, number>;
}

describe('project …, beside a running server', function () {
  this.timeout(180_000);
  const cli = (...args: string[]): Promise<unknown> => jsonInProcess(args);
  const fails = (...args: string[]) => runInProcess(args);

  async function create(...args: string[]): Promise<Project> {
    return (await cli('project', 'create', '--name', `cli ${randomUUID()}`, ...args)) as Project;
  }

  async function keyOf(project: Project): Promise<string> {
    return ((await cli('key', 'create', '--project', project.id, '--mode', 'live')) as { key: string }).key;
  }

  function search(key: string): Promise<Answer> {
    return send(
      sharedService().service.url,
      'POST',
      '/v1/semantic-search',
      { query: 'a' },
      { Authorization: `Bearer ${key}` },
    );
  }

  function write(key: string): Promise<Answer> {
    return send(sharedService().service.url, 'DELETE', '/v1/pages/delete', {}, { Authorization: `Bearer ${key}` });
  }

  it('create prints id, name and plan; a project has no limit where none is given', async () => {
    const name = `  cli ${randomUUID()} `;
    const made = (await cli('project', 'create', '--name', name)) as Project;
    expect(made).to.have.all.keys('id', 'name', 'plan');
    expect(made).to.include({ name: name.trim(), plan: 'enterprise' });
    expect(made.id).to.match(/^[0-9a-f-]{36}$/);
    const key = await keyOf(made);
    for (const answer of await inParallel(Array.from({ length: 40 }), () => write(key)))
      expect(answer.status).to.equal(400);
    const { stdout } = await fails('project', 'show', '--project', made.id);
    expect(stdout)
      .to.match(/^reads +no limit$/m)
      .and.to.match(/^writes +no limit$/m);
  });

  it("show prints the rates of a plan, and a rate of one's own is a limit without a burst beside it", async () => {
    const show = async ({ id }: Project): Promise<string> => (await fails('project', 'show', '--project', id)).stdout;
    expect(await show(await create('--plan', 'hacker'))).to.match(/^reads +2 a second, 5 at once$/m);
    expect(await show(await create('--read-rate', '3'))).to.match(/^reads +3 a second, 6 at once\nwrites +no limit$/m);
    expect(await show(await create('--plan', 'none'))).to.match(/^reads +none$/m);
  });

  it('create takes every plan, and the four numbers of an enterprise project reach the rate limit', async () => {
    const plans = ['hacker', 'solo', 'startup', 'scale', 'enterprise'];
    expect((await inParallel(plans, (plan) => create('--plan', plan))).map(({ plan }) => plan)).to.deep.equal(plans);
    const numbers = ['--read-rate', '0.5', '--read-burst', '7', '--write-rate', '0.25', '--write-burst', '3'];
    const key = await keyOf(await create('--plan', 'enterprise', ...numbers));
    const read = await search(key);
    const written = await write(key);
    expect([read, written].map(({ headers }) => headers.get('x-ratelimit-limit'))).to.deep.equal(['7', '3']);
    // One token missing: full again in 2 and 4 seconds, of which some may have passed.
    const wait = [read, written].map(
      ({ headers }) => Number(headers.get('x-ratelimit-reset')) - Date.parse(headers.get('date') ?? '') / 1_000,
    );
    expect(wait[0]).to.be.within(1, 4);
    expect(wait[1]).to.be.within(3, 6);
  });

  it('create refuses a name that is taken, an empty one, a rate that is none, and own rates without enterprise', async () => {
    const { name } = await create();
    const wrong: [string[], string][] = [
      [['--name', name], 'already'],
      [['--name', '  '], '1 to 200 characters'],
      [['--name', 'x'.repeat(201)], '1 to 200 characters'],
      [['--name', 'x', '--plan', 'enterprise', '--read-rate', 'fast'], '"fast"'],
      [['--name', 'x', '--plan', 'enterprise', '--read-burst', '0'], '"0"'],
      [['--name', 'x', '--plan', 'solo', '--read-rate', '5'], 'enterprise'],
    ];
    await inParallel(wrong, async ([args, words]) => {
      const { code, stdout, stderr } = await fails('project', 'create', ...args, '--json');
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr)
        .to.contain(words)
        .and.to.not.match(/^\s+at /m);
    });
  });

  it('show prints the project and its pages by status, by id and by name', async () => {
    const project = await sharedService().newProject();
    await project.upsert({ url: 'https://shop.example/a', content: 'A page.' });
    await project.upsert({ url: 'https://shop.example/b', content: 'Another page.' });
    await project.indexed();
    await inParallel(
      [project.row.project_id, project.row.project_id.toUpperCase(), project.row.name],
      async (which) => {
        expect(await cli('project', 'show', '--project', which)).to.deep.include({
          id: project.row.project_id,
          name: project.row.name,
          plan: 'enterprise',
          access: 'open',
          title_evidence: true,
          redirect_above: 0.9,
          shown_from: 0.1,
          trial: false,
          site_search: null,
          pages: { INDEXED: 2, PENDING_VECTORIZATION: 0, PROCESSING: 0, ERROR: 0 },
        });
      },
    );
  });

  it('list prints all projects', async () => {
    const [firstProject, two] = await Promise.all([create(), create('--plan', 'none')]);
    const listed = (await cli('project', 'list')) as Project[];
    expect(listed.map(({ id }) => id)).to.include.members([firstProject.id, two.id]);
    expect(listed.find(({ id }) => id === two.id)?.plan).to.equal(null);
  });

  it('update changes name, plan, access and rates, and the running server obeys at once', async () => {
    const project = await create('--plan', 'solo');
    const key = await keyOf(project);
    const update = (...args: string[]): Promise<unknown> => cli('project', 'update', '--project', project.id, ...args);
    const limit = async (): Promise<string> => (await search(key)).headers.get('x-ratelimit-limit') ?? '';

    expect(await limit()).to.equal('20');
    expect(await update('--plan', 'scale')).to.include({ plan: 'scale' });
    expect(await limit()).to.equal('100');
    await update('--plan', 'enterprise', '--read-burst', '33');
    expect(await limit()).to.equal('33');
    await update('--read-rate', '0.5');
    expect(await limit(), 'numbers that are not given stay').to.equal('33');

    expect(await update('--access', 'restricted')).to.include({ access: 'restricted' });
    expect((await search(key)).status).to.equal(403);
    await update('--access', 'open');
    await update('--plan', 'none');
    expect((await search(key)).status).to.equal(403);
    await update('--plan', 'hacker');
    expect((await search(key)).status).to.equal(200);

    const renamed = `renamed ${randomUUID()}`;
    expect(await update('--name', renamed)).to.include({ id: project.id, name: renamed });
    expect(((await cli('project', 'show', '--project', renamed)) as Project).id).to.equal(project.id);
  });

  it('update refuses to change nothing, and a name that is taken', async () => {
    const [firstProject, two] = await Promise.all([create(), create()]);
    const nothing = await fails('project', 'update', '--project', firstProject.id, '--json');
    expect(nothing.code).to.equal(1);
    expect(nothing.stderr).to.contain('Nothing to change');
    const taken = await fails('project', 'update', '--project', firstProject.id, '--name', two.name, '--json');
    expect([taken.code, taken.stdout]).to.deep.equal([1, '']);
    expect(taken.stderr)
      .to.contain('already')
      .and.to.not.match(/^\s+at /m);
  });

  it('delete wants --yes, then removes pages, vectors, keys, searches and events; the audit log says so', async () => {
    const { service } = sharedService();
    const project = await sharedService().newProject();
    await project.upsert({ url: 'https://shop.example/a', content: 'A page.' });
    await project.indexed();
    await project.post('/v1/suggest', { path: '/a' });
    await project.post('/v1/events', { raw_path: '/a' });
    await loggedSearches(service, project.row.project_id, 1);
    await storedNotFounds(service, project.row.project_id, 1);

    const refusal = await fails('project', 'delete', '--project', project.row.name, '--json');
    expect(refusal.code).to.equal(1);
    expect(refusal.stderr).to.match(/with 1 page, 1 key in use, all its rules.*--yes/);
    expect((await search(project.key)).status).to.equal(200);

    expect(await cli('project', 'delete', '--project', project.row.name, '--yes')).to.include({
      id: project.row.project_id,
      deleted: true,
    });
    expect((await search(project.key)).status).to.equal(401);
    expect((await fails('project', 'show', '--project', project.row.name)).code).to.equal(1);
    const left = await tablesHolding(service, project.row.project_id);
    expect(left.filter((table) => table.startsWith('pathmend.'))).to.deep.equal(['pathmend.audit_log']);
  });

  it('prints lines for people without --json', async () => {
    const { name, id } = await create();
    const { code, stdout } = await fails('project', 'show', '--project', name);
    expect(code).to.equal(0);
    expect(stdout).to.contain(name).and.to.contain(id).and.to.contain('PENDING_VECTORIZATION');
    expect(() => void JSON.parse(stdout)).to.throw();
  });
});
