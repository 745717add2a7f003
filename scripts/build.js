/**
 * `node scripts/build.js [FOLDER…]` writes the JavaScript of every TypeScript file that changed: of src to dist, of
 * test and scripts to .build. It takes the types away and does not look at them: `npm run check` does. Files in folders
 * called `assets` are copied. An output gets the time of its source, so that any other time, older or newer, means that
 * it is another version. `dist/commit` names the commit for `pathmend --version`.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = { src: 'dist', test: '.build/test', scripts: '.build/scripts' };

/** Returns how many files it wrote. */
export async function build(folders = Object.keys(FOLDERS)) {
  const changed = folders.flatMap((folder) => changedIn(join(root, folder), join(root, FOLDERS[folder])));
  const scripts = changed.filter(({ source }) => source.endsWith('.ts'));
  if (scripts.length > 0) {
    const { build: compile } = await import('esbuild');
    await compile({
      platform: 'node',
      format: 'esm',
      target: 'node20.19',
      logLevel: 'silent',
      entryPoints: scripts.map(({ source, output }) => ({ in: source, out: output.replace(/\.js$/, '') })),
      outdir: root,
      sourcemap: true,
      sourcesContent: false,
      charset: 'utf8',
    });
  }
  for (const { source, output } of changed) {
    const { atime, mtime } = statSync(source);
    if (!source.endsWith('.ts')) {
      mkdirSync(dirname(output), { recursive: true });
      copyFileSync(source, output);
    }
    utimesSync(output, atime, mtime);
  }
  if (folders.includes('src')) writeCommit();
  return changed.length;
}

/** PATHMEND_COMMIT is for a build of files without their repository, such as the image's. */
function writeCommit() {
  const describe = ['describe', '--always', '--dirty', '--abbrev=12', '--exclude=*'];
  const commit =
    process.env.PATHMEND_COMMIT?.slice(0, 12) ||
    (existsSync(join(root, '.git')) && spawnSync('git', describe, { cwd: root, encoding: 'utf8' }).stdout?.trim());
  if (commit) writeFileSync(join(root, 'dist/commit'), `${commit}\n`);
  else rmSync(join(root, 'dist/commit'), { force: true });
}

function changedIn(from, to) {
  if (!existsSync(from)) return [];
  return readdirSync(from, { recursive: true })
    .filter((name) => (name.endsWith('.ts') || name.includes('assets/')) && !name.includes('node_modules'))
    .map((name) => ({ source: join(from, name), output: join(to, name.replace(/\.ts$/, '.js')) }))
    .filter(
      ({ source, output }) =>
        statSync(output, { throwIfNoEntry: false })?.mtime.getTime() !== statSync(source).mtime.getTime(),
    );
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  await build(process.argv.length > 2 ? process.argv.slice(2) : undefined);
