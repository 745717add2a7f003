import { MANY_GONE, type KnownGone } from '../../database/queries/gone-paths.js';
import type { KnownMove } from '../../database/queries/moves.js';
import type { DeadPath } from '../../text/paths/dead-path.js';
import { plainSegments } from '../../text/paths/plain-segments.js';
import type { LivePath } from './live-path.js';

/**
 * Tells for which pages a dead path is a dead end, however alike they look:
 * 1. For all, if the customer says that the path is gone for good.
 * 2. For pages outside its folder, if {@link MANY_GONE} paths of that folder are gone and no redirect leads out of it.
 *    Pages inside may be meant by a mistyped path.
 */
export function findDeadEnds(
  { segments }: DeadPath,
  gone: KnownGone,
  nearRedirects: readonly { old_path: string }[],
): (live: LivePath) => boolean {
  if (gone.path) return () => true;
  if (gone.in_folder < MANY_GONE) return () => false;
  const folder = segments.slice(0, -1).join('/');
  // Near redirects are the next in order: those of the folder are among them, if there are any.
  const leadsOut = nearRedirects.some(({ old_path }) => plainSegments(old_path).slice(0, -1).join('/') === folder);
  return (live) => !leadsOut && live.folder !== folder;
}

/** The moves that count although a path is gone for good: where the content of its page is now. */
export function movesDespite(gone: KnownGone, moves: readonly KnownMove[]): readonly KnownMove[] {
  return gone.path ? moves.filter(({ kind }) => kind === 'content' || kind === 'similar') : moves;
}
