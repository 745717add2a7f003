import { invalid } from '../base/errors.js';
import { barePath } from '../text/paths/path-segments.js';
import { isNumber, joinSegments, maskNumbers, plainPath } from '../text/paths/plain-path.js';
import { NUMBER } from './read/read-rule.js';
import { parseSource } from './read/source-address.js';

/**
 * The plain beginning of the paths that a wildcard is for; `#` stands for any number. Where one number is any, all are:
 * paths are looked up with all of their numbers or none.
 * @throws ApiError that names `path`
 */
export function wildcardPrefix(oldPath: string): string {
  const parts = oldPath.split('/');
  if (!parts.includes(NUMBER)) return plainPrefix(oldPath);
  if (parts.some(isNumber))
    throw invalid('path', `beside ${NUMBER}, every segment that is a number must be ${NUMBER}, too.`);
  return maskNumbers(plainPath(parts.map((part) => (part === NUMBER ? '0' : part)).join('/')).segments);
}

export function plainPrefix(path: string): string {
  return joinSegments(plainPath(path).segments);
}

/** What of a path stands below a prefix, as browsers send it. */
export function restBelow(path: string, prefix: string): string {
  const asked = parseSource(`/${barePath(path)}`)?.path ?? '';
  const segments = asked.split('/').filter((segment) => segment !== '');
  const rest = segments.slice(prefix.split('/').length - 1);
  return rest.join('/') + (rest.length > 0 && asked.endsWith('/') ? '/' : '');
}
