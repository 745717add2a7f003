import { runInThread } from '../platform/run-in-thread.js';
import { ExclusionProposals } from '../sources/path-filter.js';
import { LeftOut, type SourceItem, type Validators } from '../sources/source.js';
import type { BrokenLink } from '../sources/web/link-log.js';
import type { ReadOutput, ReadTask } from './read-source-thread.js';
import { storable } from './record-run.js';
import { REST_OF_SOURCE, type SyncTurns } from './run-bounds.js';
import type { SourcePreview } from './store/sync-runs.js';

const url = new URL('./read-source-thread.js', import.meta.url);
/** Grace after the run's own bound before the thread counts as stuck; the largest pages (10 MB) take two seconds. */
const MAX_STUCK_MS = 60_000;

/** The max heap of the thread. The largest pages (10 MB) need half of it. */
const MAX_HEAP_MB = 512;
const LATE = 'The source could not be read to its end: a page or file of it takes too much time or memory.';

interface ReadInThread {
  items: AsyncIterable<SourceItem>;
  /** The fields below are set after the last item. */
  leftOut: ReturnType<LeftOut['list']>;
  followsLinks: boolean | undefined;
  server: string | undefined;
  /** The broken links; set by a crawl only. */
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
  const unknown = { followsLinks: undefined, server: undefined, brokenLinks: undefined };
  const read: ReadInThread = { items: items(), leftOut: [], ...unknown };
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

/** The max entries per list of a preview. */
const MAX_SHOWN = 5;
const MAX_REASONS = 20;
const MAX_TEXT = 300;
const MAX_URL = 2_000;

/** Summarizes what a source would bring; stores nothing. `read` has the bounds of a preview. */
export async function previewFoundSource(read: ReadInThread, onProgress: (counts: Record<string, number>) => void) {
  const seen: SourcePreview = { pages: 0, redirects: 0, left_out: [], first: [], cut_off: null, exclusions: [] };
  const refused = new LeftOut();
  const exclusions = new ExclusionProposals();
  for await (const item of read.items) {
    take(item, seen, refused);
    if (item.kind === 'page') exclusions.add(textOf(item.page.url, MAX_URL));
    onProgress({ pages: seen.pages });
  }
  seen.left_out = [...read.leftOut, ...refused.list()]
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_REASONS)
    .map(({ reason, count, first }) => ({
      reason: storable(reason),
      count,
      first: first.slice(0, MAX_SHOWN).map(({ where }) => storable(where)),
    }));
  seen.exclusions = exclusions.list();
  if (read.server !== undefined) seen.server = read.server;
  return seen;
}

/** Fields are unchecked: a row of a file may hold any JSON value. */
const textOf = (value: unknown, max?: number): string => storable(typeof value === 'string' ? value : '', max);

function take(item: SourceItem, seen: SourcePreview, refused: LeftOut): void {
  if (item.kind === 'page') {
    const { url, title, content } = item.page;
    if (seen.pages++ < MAX_SHOWN)
      seen.first.push({
        url: textOf(url, MAX_URL),
        title: title == null ? null : textOf(title),
        text: textOf(content, MAX_TEXT),
      });
  } else if (item.kind === 'redirect' || item.kind === 'gone') seen.redirects++;
  else if (item.kind === 'refused' && item.where === REST_OF_SOURCE) seen.cut_off = item.reason;
  else if (item.kind === 'refused') refused.add(item.reason, item);
}
