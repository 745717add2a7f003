import type { LeftOut, SourceItem, Validators } from '../sources/source.js';
import { runInThread } from '../platform/run-in-thread.js';
import type { BrokenLink } from '../sources/web/link-log.js';
import type { ReadOutput, ReadTask } from './read-source-thread.js';
import type { SyncTurns } from './sync-turns.js';

const url = new URL('./read-source-thread.js', import.meta.url);
/** Grace after the run's own bound before the thread counts as stuck; the largest pages (10 MB) take two seconds. */
const MAX_STUCK_MS = 60_000;

/** The largest pages (10 MB) need half of it. */
const MAX_HEAP_MB = 512;
const LATE = 'The source could not be read to its end: a page or file of it takes too much time or memory.';

export interface ReadInThread {
  items: AsyncIterable<SourceItem>;
  /** The fields below are set after the last item. */
  leftOut: ReturnType<LeftOut['list']>;
  followsLinks: boolean | undefined;
  /** Only of a crawl. */
  brokenLinks: BrokenLink[] | undefined;
}

/**
 * Reads a project's source on a thread, because hostile HTML takes seconds to parse.
 * @param onKnown gets the validators of a page before the page is yielded
 * @throws OperatorError from `items`; the signal's reason after its abort
 */
export function readSourceInThread(
  task: ReadTask,
  signal: AbortSignal,
  turns: SyncTurns,
  onKnown: (url: string, validators: Validators) => void,
): ReadInThread {
  const read: ReadInThread = { items: items(), leftOut: [], followsLinks: undefined, brokenLinks: undefined };
  async function* items(): AsyncGenerator<SourceItem> {
    const limits = { withinMs: task.bounds.ms + MAX_STUCK_MS, late: LATE, maxHeapMb: MAX_HEAP_MB };
    try {
      for await (const output of runInThread<ReadOutput>({ url, workerData: task, signal, turns, ...limits }))
        if ('item' in output) {
          if (output.known) onKnown(...output.known);
          yield output.item;
        } else Object.assign(read, output);
    } finally {
      signal.throwIfAborted();
    }
  }
  return read;
}
