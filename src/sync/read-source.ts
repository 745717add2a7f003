import type { LeftOut, SourceItem, Validators } from '../sources/source.js';
import { runInThread } from '../platform/run-in-thread.js';
import type { BrokenLink } from '../sources/web/link-log.js';
import type { ReadOutput, ReadTask } from './read-source-thread.js';

const url = new URL('./read-source-thread.js', import.meta.url);
/** A page of 10 MB takes two seconds: beyond its own bound, a thread that does not end is stuck. */
const MAX_STUCK_MS = 60_000;

/** Two syncs and a preview at once: the worker has room for them. The largest pages (10 MB) take a half. */
const MAX_HEAP_MB = 512;

export interface ReadInThread {
  items: AsyncIterable<SourceItem>;
  /** After the last item. */
  leftOut: ReturnType<LeftOut['list']>;
  followsLinks: boolean | undefined;
  /** Of a site that was read by its links. */
  brokenLinks: BrokenLink[] | undefined;
}

/**
 * Reads a project's source on a thread: to take a page of HTML apart takes seconds where somebody wants it to.
 * @param onKnown told, before a page comes, what its server said of it
 * @throws OperatorError, while it is read, as the thread does; what the signal says
 */
export function readSourceInThread(
  task: ReadTask,
  signal: AbortSignal,
  onKnown: (url: string, validators: Validators) => void,
): ReadInThread {
  const late = 'The source could not be read to its end: a page or file of it takes too much time or memory.';
  const read: ReadInThread = { items: items(), leftOut: [], followsLinks: undefined, brokenLinks: undefined };
  async function* items(): AsyncGenerator<SourceItem> {
    const withinMs = task.bounds.ms + MAX_STUCK_MS;
    try {
      for await (const said of runInThread<ReadOutput>({
        url,
        workerData: task,
        withinMs,
        late,
        signal,
        maxHeapMb: MAX_HEAP_MB,
      })) {
        if ('item' in said) {
          if (said.known) onKnown(...said.known);
          yield said.item;
        } else Object.assign(read, said);
      }
    } finally {
      signal.throwIfAborted();
    }
  }
  return read;
}
