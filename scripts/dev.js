/**
 * `npm run dev`: what `npm start` does, and again whenever a file of src or db changes. Types are for `npm run check`, or
 * your editor. `node scripts/dev.js COMMAND…` runs another command of the CLI than `serve --demo`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { build, root } from './build.js';

const command = process.argv.length > 2 ? process.argv.slice(2) : ['serve', '--demo'];
let child;
let changed = false;
let busy = false;

/** One at a time: what changes meanwhile makes it begin again. */
async function restart() {
  changed = true;
  if (busy) return;
  busy = true;
  while (changed) {
    // An editor that saves several files is to cause one start.
    await new Promise((done) => setTimeout(done, 50));
    changed = false;
    try {
      await build(['src']);
    } catch (error) {
      console.error(error.message);
      continue;
    }
    // Its data folder takes one server at a time.
    if (child && child.exitCode === null && child.signalCode === null && child.kill()) await once(child, 'exit');
    child = spawn(process.execPath, ['dist/cli.js', ...command], { cwd: root, stdio: 'inherit' });
  }
  busy = false;
}

for (const folder of ['src', 'db']) watch(join(root, folder), { recursive: true }, () => void restart());
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    if (!child || child.exitCode !== null) process.exit();
    child.once('exit', (code) => process.exit(code ?? 1));
    child.kill(signal);
  });
}
await build(['src']);
spawnSync(process.execPath, ['dist/database/embedded/prepare.js'], { cwd: root, stdio: 'inherit' });
await restart();
