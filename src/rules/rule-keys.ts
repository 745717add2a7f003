import type { GonePath } from './store/gone-paths.js';
import type { RedirectInput } from './store/redirects.js';
import type { WildcardInput } from './store/wildcard-redirects.js';
import type { RuleAction } from '../base/glossary.js';
import { invalid } from '../base/errors.js';
import { folderKey, hashPlainPath, pathKey, plainPath } from '../text/paths/plain-path.js';
import type { Redirect, Wildcard } from '../rule-formats/read-redirect.js';
import { plainPrefix, wildcardPrefix } from '../rule-formats/wildcard-prefix.js';

/** In UTF-8: the limit of the database's key. */
const MAX_PREFIX_BYTES = 1_000;

export function toRedirectInput({ oldPath, target }: Redirect, spellings: readonly string[] = []): RedirectInput {
  const isUrl = 'href' in target;
  return {
    oldPath,
    spellings,
    oldKey: pathKey(oldPath),
    target: isUrl ? target.written : target.path,
    targetKey: pathKey(target.path),
    targetPath: target.path,
    targetHost: isUrl ? target.host : null,
    targetHash: isUrl ? target.hash : null,
  };
}

export function toGonePath(path: string, spellings: readonly string[] = []): GonePath {
  return { path, spellings, key: pathKey(path), folder: folderKey(plainPath(path)) };
}

/** @throws ApiError that names `path` */
export function toWildcardInput({ oldPath, target, keepsRest }: Wildcard): WildcardInput {
  const isUrl = 'href' in target;
  return {
    ...toBareWildcard('redirect', oldPath),
    target: `${isUrl ? target.written : target.path}${keepsRest ? ':splat' : ''}`,
    targetHost: isUrl ? target.host : null,
    newPrefix: keepsRest ? plainPrefix(target.path) : null,
    targetKey: keepsRest ? null : pathKey(target.path),
  };
}

/**
 * A wildcard without a target. `oldPath` ends with a slash.
 * @throws ApiError that names `path`
 */
export function toBareWildcard(action: RuleAction, oldPath: string): WildcardInput {
  const oldPrefix = wildcardPrefix(oldPath);
  if (oldPrefix === '') throw invalid('path', 'a wildcard for every path says nothing about any.');
  if (Buffer.byteLength(oldPrefix) > MAX_PREFIX_BYTES)
    throw invalid('path', `what stands before the star must have at most ${MAX_PREFIX_BYTES} bytes.`);
  return {
    oldPrefix,
    action,
    oldPath,
    spellings: [],
    target: null,
    targetHost: null,
    newPrefix: null,
    targetKey: null,
  };
}

/** The key of a wildcard's hits: no path has it. */
export function wildcardKey(oldPrefix: string): Buffer {
  return hashPlainPath(`${oldPrefix}/#*`);
}
