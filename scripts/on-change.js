import { watch } from 'node:fs';
import { join } from 'node:path';
import { root } from './build.js';

/**
 * Calls `work` with the paths, from the root, of what changed in these folders. There is one call at a time: what
 * changes meanwhile is handed to the next.
 */
export function onChange(folders, work) {
  const changed = new Set();
  let busy = false;
  async function handOn() {
    if (busy) return;
    busy = true;
    while (changed.size > 0) {
      // An editor that saves several files is to cause one call.
      await new Promise((done) => setTimeout(done, 50));
      const files = [...changed].sort();
      changed.clear();
      await work(files);
    }
    busy = false;
  }
  for (const folder of folders) {
    watch(join(root, folder), { recursive: true }, (_, name) => {
      changed.add(join(folder, name ?? ''));
      void handOn();
    });
  }
}
