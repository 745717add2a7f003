import { LeftOut, type SourceItem } from '../sources/source.js';
import { storable } from './record-run.js';
import type { ReadInThread } from './read-source.js';
import { REST_OF_SOURCE } from './run-bounds.js';
import type { SourcePreview } from './store/sync-runs.js';

/** Entries per list of a preview. */
const MAX_SHOWN = 5;
const MAX_REASONS = 20;
const MAX_TEXT = 300;
const MAX_URL = 2_000;

/** Summarizes what a source would bring; stores nothing. `read` has the bounds of a preview. */
export async function previewFoundSource(
  read: ReadInThread,
  onProgress: (counts: Record<string, number>) => void,
): Promise<SourcePreview> {
  const seen: SourcePreview = { pages: 0, redirects: 0, left_out: [], first: [], cut_off: null };
  const refused = new LeftOut();
  for await (const item of read.items) {
    take(item, seen, refused);
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
