import { expect } from 'chai';
import { isWellFormedKey } from '#src/projects/api-key.js';
import { inParallel } from '../../../support/in-parallel.js';
import { jsonInProcess, runInProcess } from '../../../support/commands.js';
import { sharedService } from '../../../support/shared-service.js';
import { send, type TestProject } from '../../../support/service.js';
import { until } from '../../../support/until.js';

interface Key {
  id: string;
  key: string;
  mode: string;
  scopes: string[];
  ending: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

const DAY = 86_400_000;

describe('key …, beside a running server', function () {
  this.timeout(180_000);
  let project: TestProject;
  const cli = (...args: string[]): Promise<unknown> => jsonInProcess(args);
  const create = async (...args: string[]): Promise<Key> =>
    (await cli('key', 'create', '--project', project.row.name, ...args)) as Key;

  before(async () => {
    project = await sharedService().newProject();
  });

  async function status(key: string, path = '/v1/semantic-search', body: unknown = { query: 'a' }): Promise<number> {
    return (await send(sharedService().service.url, 'POST', path, body, { Authorization: `Bearer ${key}` })).status;
  }

  it('create prints a key of the mode that works at once, with both scopes and no end', async () => {
    for (const mode of ['live', 'test']) {
      const made = await create('--mode', mode);
      expect(isWellFormedKey(made.key)).to.equal(true);
      expect(made.key.startsWith(`pm_${mode}_`)).to.equal(true);
      expect(made).to.deep.include({ mode, scopes: ['read', 'write'], expires_at: null, ending: made.key.slice(-4) });
      expect(await status(made.key)).to.equal(200);
      expect(await status(made.key, '/v1/pages/upsert', { url: 'https://shop.example/', content: 'Home.' })).to.equal(
        202,
      );
    }
  });

  it('create --scopes gives those only', async () => {
    const reader = await create('--mode', 'live', '--scopes', 'read');
    expect(reader.scopes).to.deep.equal(['read']);
    expect([await status(reader.key), await status(reader.key, '/v1/pages/upsert', {})]).to.deep.equal([200, 403]);
    const writer = await create('--mode', 'live', '--scopes', 'write');
    expect([await status(writer.key), await status(writer.key, '/v1/pages/upsert', {})]).to.deep.equal([403, 400]);
    expect((await create('--mode', 'live', '--scopes', 'write, read')).scopes).to.have.members(['read', 'write']);
  });

  it('create --expires-in sets the end in days, hours, minutes or seconds', async () => {
    const durations: [string, number][] = [
      ['90d', 90 * DAY],
      ['12h', DAY / 2],
      ['30m', 1_800_000],
      ['45s', 45_000],
    ];
    await inParallel(durations, async ([duration, milliseconds]) => {
      const before = Date.now();
      const { expires_at } = await create('--mode', 'live', '--expires-in', duration);
      expect(Date.parse(expires_at ?? '') - milliseconds, duration).to.be.within(before, Date.now());
    });
  });

  it('create refuses scopes and durations that are none', async () => {
    const wrong = [
      ['--scopes', 'read,admin'],
      ['--scopes', ''],
      ['--expires-in', '90'],
      ['--expires-in', '0d'],
      ['--expires-in', 'soon'],
    ] as const;
    await inParallel(wrong, async ([option, value]) => {
      const command = ['key', 'create', '--project', project.row.name, '--mode'];
      const { code, stdout, stderr } = await runInProcess([...command, 'live', option, value, '--json']);
      expect([code, stdout], `${option} ${value}`).to.deep.equal([1, '']);
      expect(stderr)
        .to.contain(option)
        .and.to.not.match(/^\s+at /m);
    });
  });

  it('list prints the keys of the project, never the keys themselves', async () => {
    const listedProject = await sharedService().newProject();
    const made = (await cli('key', 'create', '--project', listedProject.row.name, '--mode', 'test')) as Key;
    const { stdout } = await runInProcess(['key', 'list', '--project', listedProject.row.name, '--json']);
    const listed = JSON.parse(stdout) as Key[];
    expect(listed.map(({ id }) => id)).to.include(made.id);
    expect(listed).to.have.length(2);
    expect(listed.find(({ id }) => id === made.id)).to.deep.include({
      mode: 'test',
      ending: made.key.slice(-4),
      last_used_at: null,
      revoked_at: null,
    });
    for (const key of [made.key, listedProject.key]) expect(stdout).to.not.contain(key.slice(8, -4));
  });

  it('revoke ends a key, by the key or by its id, and leaves the others', async () => {
    const [firstKey, two, three] = await Promise.all([
      create('--mode', 'live'),
      create('--mode', 'live'),
      create('--mode', 'live'),
    ]);
    const revoked = (await cli('key', 'revoke', '--key', firstKey.key)) as Key;
    expect(revoked.id).to.equal(firstKey.id);
    expect(revoked.revoked_at).to.be.a('string');
    await cli('key', 'revoke', '--key', two.id);
    expect(await Promise.all([firstKey, two, three].map(({ key }) => status(key)))).to.deep.equal([401, 401, 200]);
    const again = (await cli('key', 'revoke', '--key', firstKey.id)) as Key;
    expect(again.revoked_at, 'a second revocation changes nothing').to.equal(revoked.revoked_at);
  });

  it('shows a new key to a person once, with the advice to keep it', async () => {
    const { stdout } = await runInProcess(['key', 'create', '--project', project.row.name, '--mode', 'live']);
    expect(stdout)
      .to.match(/^pm_live_\w{38}\n/)
      .and.to.contain('Keep it now');
  });

  it('rotate makes a key of the same mode and scopes; both work for the overlap, then the new one alone', async () => {
    const old = await create('--mode', 'test', '--scopes', 'read');
    const made = (await cli('key', 'rotate', '--key', old.id, '--overlap', '1h', '--expires-in', '90d')) as Key & {
      replaces: { id: string; expires_at: string };
    };
    expect([made.mode, made.scopes, made.replaces.id]).to.deep.equal(['test', ['read'], old.id]);
    expect(Date.parse(made.expires_at ?? '') - Date.now()).to.be.closeTo(90 * DAY, 60_000);
    expect(Date.parse(made.replaces.expires_at) - Date.now()).to.be.closeTo(DAY / 24, 60_000);
    expect([await status(old.key), await status(made.key)]).to.deep.equal([200, 200]);

    const again = (await cli('key', 'rotate', '--key', made.key, '--overlap', '1s')) as Key;
    await until('the overlap is over', async () => (await status(made.key)) === 401);
    expect(await status(again.key)).to.equal(200);
  });

  it('rotate does not lengthen the life of a key, and refuses one that is revoked', async () => {
    const short = await create('--mode', 'live', '--expires-in', '30m');
    const made = (await cli('key', 'rotate', '--key', short.id)) as { replaces: { expires_at: string } };
    expect(made.replaces.expires_at).to.equal(short.expires_at);
    const revoked = await create('--mode', 'live');
    await cli('key', 'revoke', '--key', revoked.id);
    const { code, stderr } = await runInProcess(['key', 'rotate', '--key', revoked.id]);
    expect(code).to.equal(1);
    expect(stderr).to.include('There is no such key, or it was revoked or has expired.');
  });
});
