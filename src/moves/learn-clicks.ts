import type { Trx } from '../platform/database/db.js';
import { findClickedSearches, type ClickedSearch, type ClickRow } from '../database/queries/history-rows.js';
import { addClickedMoves, insertFirstClicks, readClicks, type ClickedMove } from '../database/queries/clicked-moves.js';
import { lockMoves } from '../projects/turns.js';
import { parseExclusion } from '../text/page-url.js';
import { findClickedPage } from './clicked-page.js';
import { hashPlainPath, joinSegments, pathKey, plainPath } from '../text/paths/plain-path.js';

/** Later clicks are not linked to their search, so that few weekly partitions are read. */
const MAX_CLICK_DELAY_MS = 7 * 86_400_000;

/** What clicks changed: the confirmed page of some path, or only the page that is ahead. */
export type ClickedChange = 'confirmed' | 'ahead';

/**
 * Learns from clicks that were stored in this transaction, of live keys, on pages that suggest or proxy answered with.
 * A search counts once for a page, however often its visitor clicks. The clicks are counted here because a job of their
 * own would count them twice when it runs again.
 * @returns the projects whose section moves must be learned again, in the order of their ids. `confirmed`: their
 * answers change already now. Most clicks change nothing.
 */
export async function learnClicks(trx: Trx, clicks: readonly ClickRow[]): Promise<Map<string, ClickedChange>> {
  const changes = new Map<string, ClickedChange>();
  const live = clicks.filter((click) => !click.is_test);
  if (live.length === 0) return changes;
  const earliest = Math.min(...live.map((click) => Date.parse(click.received_at)));
  const searches = await findClickedSearches(trx, live, new Date(earliest - MAX_CLICK_DELAY_MS));
  const linked = live.flatMap((click) => {
    const search = searches.get(click.event_id);
    const pageId = search && clickedPageOf(search, click.clicked_url);
    return search === undefined || pageId === undefined ? [] : [{ click, search, pageId }];
  });
  const counted = await insertFirstClicks(
    trx,
    linked.map(({ click, pageId }) => ({ ...click, page_id: pageId })),
  );
  const byProject = new Map<string, ClickedMove[]>();
  for (const { click, search, pageId } of linked) {
    if (!counted.has(click.event_id)) continue;
    const oldPath = joinSegments(plainPath(search.input).segments);
    const moves = byProject.get(click.project_id) ?? [];
    byProject.set(click.project_id, moves);
    moves.push({ key: hashPlainPath(oldPath), oldPath, pageId, clicks: 1, lastSeenAt: click.received_at });
  }
  for (const [projectId, moves] of [...byProject].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const change = await countClicks(trx, projectId, sumClicks(moves));
    if (change) changes.set(projectId, change);
  }
  return changes;
}

/** The clicked page, if the search answered with it: by its url as answered, else by its plain path. */
function clickedPageOf(search: ClickedSearch, clickedUrl: string): string | undefined {
  const clicked = parseExclusion(clickedUrl);
  const url = 'path' in clicked ? clicked.path : new URL(clicked.href).pathname + new URL(clicked.href).search;
  const plain = joinSegments(plainPath(url).segments);
  const result =
    search.results.find((one) => one.url === url) ??
    search.results.find((one) => pathKey(one.url).equals(hashPlainPath(plain)));
  return result?.page_id;
}

/** One entry per old path and page: a statement cannot write a row twice. */
function sumClicks(moves: readonly ClickedMove[]): ClickedMove[] {
  const summed = new Map<string, ClickedMove>();
  for (const move of moves) {
    const id = `${move.key.toString('hex')} ${move.pageId}`;
    const before = summed.get(id);
    const lastSeenAt =
      before !== undefined && before.lastSeenAt > move.lastSeenAt ? before.lastSeenAt : move.lastSeenAt;
    summed.set(id, { ...move, clicks: move.clicks + (before?.clicks ?? 0), lastSeenAt });
  }
  return [...summed.values()];
}

/** Adds clicks; returns what that changed. */
async function countClicks(
  trx: Trx,
  projectId: string,
  moves: readonly ClickedMove[],
): Promise<ClickedChange | undefined> {
  await lockMoves(trx, projectId);
  const keys = [...new Map(moves.map((move) => [move.key.toString('hex'), move.key])).values()];
  const before = groupClicks(await readClicks(trx, projectId, keys));
  await addClickedMoves(trx, projectId, moves);
  const after = groupClicks(await readClicks(trx, projectId, keys));
  let change: ClickedChange | undefined;
  for (const [key, clicks] of after) {
    const was = findClickedPage(before.get(key) ?? new Map());
    const is = findClickedPage(clicks);
    if (was?.pageId === is?.pageId && was?.confirmed === is?.confirmed) continue;
    change = change === 'confirmed' || was?.confirmed === true || is?.confirmed === true ? 'confirmed' : 'ahead';
  }
  return change;
}

function groupClicks(
  rows: readonly { key: string; page_id: string; clicks: number }[],
): Map<string, Map<string, number>> {
  const groups = new Map<string, Map<string, number>>();
  for (const { key, page_id, clicks } of rows) {
    const group = groups.get(key) ?? new Map<string, number>();
    groups.set(key, group);
    group.set(page_id, clicks);
  }
  return groups;
}
