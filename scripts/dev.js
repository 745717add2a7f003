/**
 * `npm run dev`: what `npm start` does, and again whenever a file of src or db changes. Types are for `npm run check`,
 * or your editor. `node scripts/dev.js COMMAND…` runs another command of the CLI than `serve --demo`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { build, root } from './build.js';
import { onChange } from './on-change.js';

const command = process.argv.length > 2 ? process.argv.slice(2) : ['serve', '--demo'];
let child;

async function start() {
  try {
    await build(['src']);
  } catch (error) {
    console.error(error.message);
    return;
  }
  // Its data folder takes one server at a time.
  if (child && child.exitCode === null && child.signalCode === null && child.kill()) await once(child, 'exit');
  child = spawn(process.execPath, ['dist/cli.js', ...command], { cwd: root, stdio: 'inherit' });
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    if (!child || child.exitCode !== null) process.exit();
    child.once('exit', (code) => process.exit(code ?? 1));
    child.kill(signal);
  });
}
await build(['src']);
spawnSync(process.execPath, ['dist/platform/database/embedded/prepare.js'], { cwd: root, stdio: 'inherit' });
await start();
onChange(['src', 'db'], start);
