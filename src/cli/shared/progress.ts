import { Presets, SingleBar } from 'cli-progress';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../platform/database/db.js';
import { countPagesByStatus, readIndexState } from '../../pages/store/page-counts.js';
import { countOf } from '../../text/count-of.js';
import type { CommandContext } from './context.js';

/** Shows a progress bar on a terminal; otherwise one line at the end. `total` grows if more is done. */
export function startProgress(stream: NodeJS.WritableStream & { isTTY?: boolean }, label: string, total: number) {
  const startedAt = performance.now();
  let latest = 0;
  const format = `${label} {bar} {value}/{total}, {eta_formatted} left`;
  const options = { format, stream, clearOnComplete: false, hideCursor: true };
  const bar = stream.isTTY ? new SingleBar(options, Presets.shades_classic) : undefined;
  bar?.start(total, 0);
  return {
    update(done: number): void {
      latest = done;
      if (done > total) {
        total = done;
        bar?.setTotal(total);
      }
      bar?.update(done);
    },
    end(): void {
      bar?.stop();
      if (!bar)
        stream.write(`${label} ${latest}/${total} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
    },
  };
}

/** Shows progress until the server has indexed every page of a project. */
export async function waitForIndex(db: Db, projectId: string, context: CommandContext): Promise<void> {
  const first = await countPagesByStatus(db, projectId);
  const total = Object.values(first).reduce((sum, pages) => sum + pages, 0);
  const progress = startProgress(context.stderr, 'Indexing ', total);
  let isFound = false;
  for (;;) {
    const start = performance.now();
    const { searchable, waiting } = await readIndexState(db, projectId);
    if (!isFound && waiting > 0 && searchable >= total) {
      context.stderr.write(`All ${countOf(total, 'page')} are found by their words. The model reads them now.\n`);
      isFound = true;
    }
    progress.update(Math.max(0, total - waiting));
    if (waiting === 0) break;
    // Counting must not slow down indexing: it takes at most a tenth of the time.
    await sleep(Math.max(100, 9 * (performance.now() - start)));
  }
  progress.end();
}
