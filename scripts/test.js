/**
 * `npm test [-- FILE… OPTION…]`: builds what changed and runs the tests of these files and folders, with mocha's
 * options (`-g 'part of a name'`). Without a file or folder it runs test/unit and test/integration on a server, and
 * {@link EMBEDDED} on the embedded database. `npm run check` looks at types.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { build, root } from './build.js';

/**
 * These tests are about what differs on the embedded database: it has one session and no notifications, and is
 * WebAssembly. Rules, events and sums are the same SQL on both, which `.ci/run` tests on PostgreSQL.
 */
const EMBEDDED = [
  'unit',
  'integration/app',
  'integration/assistants',
  'integration/cli/*',
  'integration/cli/projects',
  'integration/embedding',
  'integration/http',
  'integration/operations',
  'integration/pages/routes',
  'integration/pages/store',
  'integration/platform',
  'integration/projects',
  'integration/scripts',
  'integration/search/clicked-questions.test.ts',
  'integration/search/routes',
  'integration/search/store',
  'integration/sources',
];

/**
 * The seconds of files in an earlier run: the longest begin first, since one that began last would be waited for alone.
 * `TEST_TIMES=test/durations.txt npm test -- test` adds lines; the last of a file counts.
 */
const durations = new Map(
  readFileSync(join(root, 'test/durations.txt'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => [/test\/(.*)\.test\.js$/.exec(line)?.[1], Number.parseFloat(line)]),
);

const args = process.argv.slice(2);
const first = args.findIndex((arg) => arg.startsWith('-'));
const paths = first < 0 ? args : args.slice(0, first);
const options = args.slice(paths.length);
const missing = paths.filter((path) => !existsSync(path));
if (missing.length > 0) fail(`There is no ${missing.join(' and no ')}.`);

const all = paths.length === 0;
const onServer = process.env.TEST_DATABASE_URL !== undefined || process.env.TEST_DATABASE !== undefined;
const usual = onServer ? ['unit', 'integration'] : EMBEDDED;
const files = (all ? usual.map((name) => join(root, 'test', name)) : paths.map((path) => resolve(path)))
  .flatMap(testsIn)
  .sort(longestFirst);
if (files.length === 0) fail(`There is no *.test.ts in ${paths.join(' ')}.`);

try {
  await build();
} catch (error) {
  fail(error.message);
}
// A file or two are done before other processes have started.
const jobs = files.length > 2 ? ['--parallel', '--jobs', String(Math.max(2, Math.min(4, availableParallelism())))] : [];
const run = (...command) => spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' }).status ?? 1;
process.exitCode =
  run('dist/platform/database/embedded/prepare.js') ||
  run(
    'node_modules/mocha/bin/mocha.js',
    ...jobs,
    ...options,
    ...files.map((file) => join('.build', file.replace(/\.ts$/, '.js'))),
  );

/** Lists test files, as paths from the root. `FOLDER/*` leaves out the folders in it. */
function testsIn(path) {
  const folder = path.replace(/\/\*$/, '');
  const entries = statSync(folder).isDirectory()
    ? readdirSync(folder, { recursive: folder === path }).map((name) => join(folder, name))
    : [folder];
  return entries.filter((file) => file.endsWith('.test.ts')).map((file) => relative(root, file));
}

function longestFirst(a, b) {
  return secondsOf(b) - secondsOf(a) || (a < b ? -1 : 1);
}

function secondsOf(file) {
  return durations.get(file.slice('test/'.length, -'.test.ts'.length)) ?? 0;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
