import { decodePercent, stripExtension } from './path-segments.js';

/**
 * Whether two paths with the same plain path differ in upper and lower case. `isBeginning`: only as far as `written`
 * goes. Other differences, such as an extension, are ignored.
 */
export function differsInCase(asked: string, written: string, isBeginning = false): boolean {
  const [one, all] = [segmentsOf(written), segmentsOf(asked)];
  const other = isBeginning ? all.slice(0, one.length) : all;
  return one.some((segment, at) => {
    const its = other[at] ?? segment;
    return segment !== its && segment.toLowerCase() === its.toLowerCase();
  });
}

/** Whether one of two paths ends with a slash and the other does not. A slash behind a file name is ignored. */
export function differsInSlash(asked: string, written: string): boolean {
  const [one, other] = [asked, written].map((path) => bareOf(path));
  if (one === undefined || other === undefined || one.endsWith('/') === other.endsWith('/')) return false;
  const last = (one.endsWith('/') ? other : one).split('/').at(-1) ?? '';
  return stripExtension(last) === last;
}

function segmentsOf(path: string): string[] {
  return bareOf(path)
    .split('/')
    .filter((segment) => segment !== '')
    .map(stripExtension);
}

function bareOf(path: string): string {
  const bare = path.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0] ?? '';
  return decodePercent(bare, 1).normalize('NFC');
}
