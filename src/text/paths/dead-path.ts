import type { PathWords } from '../../base/glossary.js';
import { readIdentities, type Identities } from './identities.js';
import { pathSegments } from './path-segments.js';
import { plainPath, type PlainPath } from './plain-path.js';
import { comparedSegments, plainSegments } from './plain-segments.js';
import { looksLikeProbe } from './probe-path.js';
import { sanitizePath } from './sanitize-path.js';

/** The path of a 404, parsed once for lookup and comparison. */
export interface DeadPath extends Readonly<PathWords> {
  /** As the visitor's browser sent it. */
  raw: string;
  /** For comparison with live paths, see {@link comparedSegments}. */
  segments: readonly string[];
  /** For comparison with moves. */
  plain: PlainPath;
  /** What tells the page from others with the same words. */
  identities: Identities;
  /** Whether only a scanner or robot asks for it. */
  isProbe: boolean;
}

export function readDeadPath(raw: string): DeadPath {
  const decoded = pathSegments(raw);
  const plain = plainSegments(raw, decoded);
  const segments = comparedSegments(plain);
  return {
    raw,
    ...sanitizePath(raw, decoded),
    segments,
    plain: plainPath(raw, plain),
    identities: readIdentities(raw, segments),
    isProbe: looksLikeProbe(raw, decoded),
  };
}
