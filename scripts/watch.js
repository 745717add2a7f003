/**
 * `npm run watch`: whenever a file of src or test changes, the tests of it. A test file that changed is run itself. For
 * src/platform/limits/bulkhead.ts it is test/unit/platform/limits/bulkhead.test.ts, or all of test/unit/platform/limits
 * where there is no such file. `npm run watch -- FILE… OPTION…` runs these tests at every change, with mocha's options.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './build.js';
import { onChange } from './on-change.js';

const args = process.argv.slice(2);

async function runTests(files) {
  const chosen = args.length > 0 ? args : [...new Set(files.flatMap(testsOf))];
  if (chosen.length === 0) {
    console.error(`No unit test stands where ${files.join(', ')} stands: name tests, npm run watch -- FILE…`);
    return;
  }
  const child = spawn(process.execPath, ['scripts/test.js', ...chosen], { cwd: root, stdio: 'inherit' });
  await once(child, 'exit');
}

function testsOf(file) {
  if (file.endsWith('.test.ts')) return existsSync(join(root, file)) ? [file] : [];
  if (!file.startsWith('src') || !file.endsWith('.ts')) return [];
  const testFile = file.replace(/^src/, join('test', 'unit')).replace(/\.ts$/, '.test.ts');
  const testPath = [testFile, dirname(testFile)].find((path) => existsSync(join(root, path)));
  return testPath === undefined || testPath === join('test', 'unit') ? [] : [testPath];
}

if (args.length > 0) await runTests([]);
onChange(['src', 'test'], runTests);
