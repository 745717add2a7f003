import { ApiError, invalid } from '../errors.js';
import { parsePageUrl, type PageUrl } from '../text/page-url.js';
import { checkStorable, compileBody } from '../validate.js';

/** A customer's word that an old path became a page. */
export interface Redirect {
  oldPath: string;
  /** A full url, or the path of one. */
  target: PageUrl | { path: string };
}

/** As dead paths are, in suggest and in events. */
const MAX_PATH = 2_048;
const MAX_URL = 4_096;

const checkRow = compileBody<{ path: string; expected: string }>({
  type: 'object',
  required: ['path', 'expected'],
  properties: {
    path: { type: 'string', minLength: 1, maxLength: MAX_PATH },
    expected: { type: 'string', minLength: 1, maxLength: MAX_URL },
  },
});

const STATUS = /^(?:30[1278])!?$/;

/**
 * Reads one line of a file of redirects: a JSON object `{"path": …, "expected": …}`, or `/old /new` with an optional
 * status of 301, 302, 307 or 308 behind, as in a redirect map. Undefined for an empty line and a comment (`#`).
 * @throws ApiError invalid_request, saying what is wrong with the line
 */
export function readRedirect(line: string): Redirect | undefined {
  const text = line.replace(/^\uFEFF/, '').trim();
  if (text === '' || text.startsWith('#')) return undefined;
  const { path, expected } = text.startsWith('{') ? checkRow(parseJson(text)) : readMapLine(text);
  if (path.includes('*') || expected.includes(':splat')) throw invalid('path', 'a pattern: give its paths one by one');
  return { oldPath: readPath(path), target: readTarget(expected) };
}

function parseJson(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw new ApiError('invalid_request', { message: 'not valid JSON', cause: error });
  }
}

function readMapLine(text: string): { path: string; expected: string } {
  // With `.*$`, each `#` before a U+2028, which is no `.`, was looked at to its end: a line of 40 kB took a second.
  const [path = '', expected = '', status, ...rest] = text.replace(/\s#.*/s, '').split(/\s+/);
  if (expected === '' || rest.length > 0)
    throw invalid(undefined, 'neither a JSON object nor `/old /new`, with a status behind at most');
  if (status !== undefined && !STATUS.test(status))
    throw invalid(undefined, `${status} is no redirect: 301, 302, 307 and 308 are`);
  checkStorable({ path, expected }, 'line');
  return { path, expected };
}

function readPath(path: string): string {
  if (path.length > MAX_PATH) throw invalid('path', `path must have at most ${MAX_PATH} characters.`);
  const url = parsePageUrl(path);
  if (url) return url.path;
  if (!path.startsWith('/')) throw invalid('path', 'path must begin with a slash, or be a full url.');
  return path;
}

function readTarget(expected: string): Redirect['target'] {
  if (expected.length > MAX_URL) throw invalid('expected', `expected must have at most ${MAX_URL} characters.`);
  const url = parsePageUrl(expected);
  if (url) return url;
  if (!expected.startsWith('/'))
    throw invalid('expected', 'expected must be a full url, or a path that begins with a slash.');
  return { path: expected };
}
