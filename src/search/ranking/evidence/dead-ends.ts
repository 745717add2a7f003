import type { DeadPath } from '../../../text/paths/dead-path.js';
import type { LivePath } from './page-path.js';

/**
 * Tells for which pages a dead path is a dead end, however alike they look:
 * 1. For all, if its rule says that the path is gone for good.
 * 2. For pages outside its folder, if that folder is gone and no redirect leads out of it.
 *    Pages inside may be meant by a mistyped path.
 */
export function findDeadEnds(
  { segments }: DeadPath,
  isGone: boolean,
  folderIsGone: boolean,
  nearRedirects: readonly { segments: readonly string[] }[],
): (live: LivePath) => boolean {
  if (isGone) return () => true;
  if (!folderIsGone) return () => false;
  const folder = segments.slice(0, -1).join('/');
  // Near redirects are the next in order: those of the folder are among them, if there are any.
  const leadsOut = nearRedirects.some((one) => one.segments.slice(0, -1).join('/') === folder);
  return (live) => !leadsOut && live.folder !== folder;
}
