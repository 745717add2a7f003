/**
 * `node scripts/build.js [FOLDER…]` writes the JavaScript of every TypeScript file that changed: of src to dist, of
 * test and scripts to .build. It takes the types away and does not look at them: `npm run check` does. Files in folders
 * called `assets` are copied. An output gets the time of its source, so that any other time, older or newer, means that
 * it is another version.
 *
 * With src it makes one file of each package of PACKAGES: docs/decisions/0073-packages-in-one-file.md.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
/** What src imports of each, as `#name` (package.json, imports). */
const PACKAGES = {
  ajv: '{ Ajv }',
  'cli-progress': '{ Presets, SingleBar }',
  commander: '{ Command, CommanderError, Option }',
  kysely: '*',
  pg: '{ default }',
  'pg-boss': '{ fromKysely, PgBoss }',
  winston: '{ default }',
  yaml: '{ Composer, isMap, isScalar, isSeq, Lexer, LineCounter, parse, Parser }',
};
/** Packages of CommonJS ask for Node's modules by `require`. */
const REQUIRE = "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);";
/** @type {import('esbuild').BuildOptions} */
const COMMON = { platform: 'node', format: 'esm', target: 'node20.19', logLevel: 'silent' };
const FOLDERS = { src: 'dist', test: '.build/test', scripts: '.build/scripts' };

/** Returns how many files it wrote. */
export async function build(folders = Object.keys(FOLDERS)) {
  if (folders.includes('src')) await Promise.all(Object.keys(PACKAGES).map(inOneFile));
  const changed = folders.flatMap((folder) => changedIn(join(root, folder), join(root, FOLDERS[folder])));
  const scripts = changed.filter(({ source }) => source.endsWith('.ts'));
  if (scripts.length > 0) {
    const { build: compile } = await import('esbuild');
    await compile({
      ...COMMON,
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
  return changed.length;
}

/** Writes it anew when the package, the bundler or this file is newer. */
async function inOneFile(name) {
  const output = join(root, FOLDERS.src, 'packages', `${name}.js`);
  const { mtimeMs = 0 } = statSync(output, { throwIfNoEntry: false }) ?? {};
  if (
    [name, 'esbuild'].every((one) => statSync(join(root, 'node_modules', one, 'package.json')).ctimeMs < mtimeMs) &&
    statSync(fileURLToPath(import.meta.url)).ctimeMs < mtimeMs
  )
    return;
  const { build: bundle } = await import('esbuild');
  await bundle({
    ...COMMON,
    stdin: { contents: `export ${PACKAGES[name]} from '${name}'`, resolveDir: root },
    outfile: output,
    bundle: true,
    // The paths in its comments: the same wherever it is built, and where node_modules is a link.
    absWorkingDir: root,
    preserveSymlinks: true,
    external: ['pg-native', '#*'],
    // The queue has the pg of all others.
    alias: name === 'pg-boss' ? { pg: '#pg' } : {},
    banner: { js: REQUIRE },
    // pg makes a Response to see whether it runs at Cloudflare; Node then loads its whole fetch, which takes 30 ms.
    define: { Response: 'undefined' },
  });
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
