import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, utimes, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';

const run = promisify(execFile);

describe('the build and the tests of some files', () => {
  it('writes what changed, whether it became newer or older, and leaves the rest', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pathmend-build-'));
    const build = async (): Promise<string> => {
      await run(process.execPath, [join(folder, 'scripts/build.js')]);
      return readFile(join(folder, 'dist/some/value.js'), 'utf8');
    };
    const write = async (text: string, time: string): Promise<void> => {
      await writeFile(join(folder, 'src/some/value.ts'), text);
      await utimes(join(folder, 'src/some/value.ts'), new Date(time), new Date(time));
    };
    try {
      for (const file of ['scripts/build.js', 'tsconfig.json', 'package.json'])
        await cp(join(packageRoot(), file), join(folder, file));
      await symlink(join(packageRoot(), 'node_modules'), join(folder, 'node_modules'));
      await mkdir(join(folder, 'src/some'), { recursive: true });
      await write('export const value: number = 1;\n', '2026-05-02T00:00:00Z');
      expect(await build()).to.match(/^const value = 1;\n/);
      await write('export const value: number = 2;\n', '2026-05-03T00:00:00Z');
      expect(await build()).to.match(/^const value = 2;\n/);
      await write('export const value: number = 3;\n', '2026-05-01T00:00:00Z');
      expect(await build()).to.match(/^const value = 3;\n/);
      await writeFile(join(folder, 'dist/some/value.js'), 'left alone');
      await utimes(
        join(folder, 'dist/some/value.js'),
        new Date('2026-05-01T00:00:00Z'),
        new Date('2026-05-01T00:00:00Z'),
      );
      expect(await build()).to.equal('left alone');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('names its commit in `pathmend --version`, and none where none is known', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pathmend-commit-'));
    const git = (...args: string[]) =>
      run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: folder });
    const version = async (env: Record<string, string> = {}): Promise<string> => {
      await run(process.execPath, [join(folder, 'scripts/build.js'), 'src'], { env: { ...process.env, ...env } });
      return (await run(process.execPath, [join(folder, 'dist/cli.js'), '--version'], { cwd: tmpdir() })).stdout.trim();
    };
    try {
      for (const path of ['scripts/build.js', 'tsconfig.json', 'package.json', 'src'])
        await cp(join(packageRoot(), path), join(folder, path), { recursive: true });
      await symlink(join(packageRoot(), 'node_modules'), join(folder, 'node_modules'));
      expect(await version()).to.equal('1.0.0');
      expect(await version({ PATHMEND_COMMIT: '0123456789abcdef' })).to.equal('1.0.0 (commit 0123456789ab)');
      await git('init', '--quiet');
      await writeFile(join(folder, '.gitignore'), 'node_modules\ndist\n');
      for (const message of ['first', 'second']) {
        await git('add', '.');
        await git('commit', '--quiet', '--allow-empty', '--message', message);
        const { stdout: commit } = await git('rev-parse', '--short=12', 'HEAD');
        expect(await version()).to.equal(`1.0.0 (commit ${commit.trim()})`);
      }
      await writeFile(join(folder, 'package.json'), '{"version": "1.0.1", "type": "module"}');
      expect(await version()).to.match(/^1\.0\.1 \(commit [0-9a-f]{12}-dirty\)$/);
      await rm(join(folder, '.git'), { recursive: true });
      expect(await version()).to.equal('1.0.1');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  // Another run than the one that this test belongs to.
  const runOptions = { cwd: packageRoot(), env: { ...process.env, PATHMEND_TEST_RUN: undefined } };

  it('npm test -- FILE… -g NAME runs the tests of that name in these files, and no service for tests of functions alone', async () => {
    const { stdout } = await run(
      process.execPath,
      [
        'scripts/test.js',
        'test/unit/platform/limits/bulkhead.test.ts',
        'test/unit/platform/limits/in-flight-bytes.test.ts',
        '-g',
        'leaves room for other projects',
      ],
      runOptions,
    );
    expect(stdout)
      .to.match(/^ {2}1 passing \(/m)
      .and.not.include('characters of logs');
  });

  it('npm test -- FILE names a file that is not there', async () => {
    const { code, stderr } = (await run(process.execPath, ['scripts/test.js', 'test/limits/pase.test.ts'], {
      cwd: packageRoot(),
    }).catch((error: unknown) => error)) as { code: number; stderr: string };
    expect([code, stderr]).to.deep.equal([1, 'There is no test/limits/pase.test.ts.\n']);
  });
});
