import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { isThere } from '../../support/programs.js';

const root = packageRoot();

describe('deploy/systemd (where systemd-analyze is: scripts/servers/systemd.sh)', function () {
  this.timeout(60_000);
  let folder: string;
  let environment: NodeJS.ProcessEnv;
  const units = readdirSync(join(root, 'deploy/systemd'))
    .filter((name) => name.endsWith('.service'))
    .map((name) => name.replace('@.', '@mysite.'));

  before(async function () {
    if (!isThere('systemd-analyze')) this.skip();
    folder = await mkdtemp(join(tmpdir(), 'pathmend-units-'));
    await cp(join(root, 'deploy/systemd'), join(folder, 'etc/systemd/system'), { recursive: true });
    environment = { ...process.env, LC_ALL: 'C.UTF-8', SYSTEMD_PAGER: '' };
  });

  after(() => folder && rm(folder, { recursive: true }));

  for (const unit of units)
    it(`${unit} is confined: an exposure below 2.0 of 10`, () => {
      const { stdout, stderr } = spawnSync(
        'systemd-analyze',
        [`--root=${folder}`, '--offline=true', 'security', unit],
        { encoding: 'utf8', env: environment },
      );
      const [, level] = /exposure level for \S+: (\d+\.\d+)/.exec(stdout) ?? [];
      expect(level, stderr).to.be.a('string');
      expect(Number(level)).to.be.below(2);
      expect(stderr).to.not.match(/Unknown|Invalid|Failed to parse/);
    });

  it('systemd understands every line', async () => {
    const unitFolder = join(folder, 'verified');
    await cp(join(root, 'deploy/systemd'), unitFolder, { recursive: true });
    const names = readdirSync(unitFolder).filter((name) => /\.(?:service|timer)$/.test(name));
    const { stderr } = spawnSync('systemd-analyze', ['verify', ...names.map((name) => join(unitFolder, name))], {
      encoding: 'utf8',
      env: environment,
    });
    // Where pathmend is not installed, its programs are missing, and nothing else is said of its units.
    const complaints = stderr
      .split('\n')
      .filter((line) => line.includes('pathmend') && !/not executable|is not existing/.test(line));
    expect(complaints).to.deep.equal([]);
  });
});
