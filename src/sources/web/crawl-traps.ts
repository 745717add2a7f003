import { dropTracking } from '../../text/paths/plain-path.js';
import { parseUrl } from '../../text/page-url.js';
import type { WebLimits } from './web-limits.js';

/** Session parameters, if the value is a long {@link TOKEN}: `sid=4711` may be an article. */
const SESSION = /^(?:phpsessid|jsessionid|aspsessionid\w*|session_?id|sid|cfid|cftoken|zenid|oscsid)$/i;
const TOKEN = /^[\w-]{16,}$/;

/** Normalizes a link to its page: without fragment, tracking and session. */
export function plainLink(link: string): URL | undefined {
  const url = parseUrl(dropTracking(link));
  if (!url) return undefined;
  url.hash = '';
  url.pathname = url.pathname.replace(/;jsessionid=[^/]*/i, '');
  for (const [name, value] of [...url.searchParams])
    if (SESSION.test(name) && TOKEN.test(value)) url.searchParams.delete(name);
  // Removes a lone question mark.
  if (url.search === '') url.search = '';
  return url;
}

/** The function gives the reason to leave a link out: a trap of endlessly many urls. It counts links that pass. */
export function createTrapGuard(limits: WebLimits): (url: URL) => string | undefined {
  const queries = new Map<string, number>();
  const numbers = new Map<string, number>();
  return (url) => {
    const segments = url.pathname.split('/').filter((segment) => segment !== '');
    if (url.pathname.length > limits.pathCharacters || url.search.length > limits.pathCharacters) return 'url too long';
    if (segments.length > limits.pathSegments) return 'path too deep';
    if (repeats(segments)) return 'path repeats itself';
    const page = url.origin + url.pathname;
    if (url.search !== '' && isOver(queries, page, limits.queryVariants)) return 'too many query strings of one path';
    const shape = (page + url.search).replace(/\d+/g, '0');
    // Articles also differ in words; urls that differ only in numbers may be endless.
    if (shape !== page + url.search && isOver(numbers, shape, limits.numberVariants))
      return 'too many urls that differ in numbers';
    return undefined;
  };
}

/** Whether a segment is there four times, or two twice in a row: the result of relative links with a wrong base. */
function repeats(segments: readonly string[]): boolean {
  const counts = new Map<string, number>();
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  if ([...counts.values()].some((count) => count >= 4)) return true;
  return segments.some(
    (segment, i) =>
      i >= 3 && segment === segments[i - 2] && segments[i - 1] === segments[i - 3] && segment !== segments[i - 1],
  );
}

function isOver(counts: Map<string, number>, key: string, max: number): boolean {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count > max;
}
