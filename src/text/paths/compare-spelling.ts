import { decodePercent, stripExtension } from './path-segments.js';

/**
 * Whether two paths whose plain paths are one (of a beginning: as far as it goes) differ in upper and lower case. Other
 * differences, such as an extension, count for nothing.
 */
export function differsInCase(asked: string, written: string, isBeginning = false): boolean {
  const [one, all] = [segmentsOf(written), segmentsOf(asked)];
  const other = isBeginning ? all.slice(0, one.length) : all;
  return one.some((segment, at) => {
    const its = other[at] ?? segment;
    return segment !== its && segment.toLowerCase() === its.toLowerCase();
  });
}

/** Whether one of two paths ends with a slash and the other does not. A file's name needs none. */
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
