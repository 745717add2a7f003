import { decodePercent, stripExtension } from './path-segments.js';

/** Whether paths with one plain path differ in case; `isBeginning`: as far as `written` goes. Ignores extensions. */
export function differsInCase(requested: string, written: string, isBeginning = false): boolean {
  const [segments, all] = [segmentsOf(written), segmentsOf(requested)];
  const other = isBeginning ? all.slice(0, segments.length) : all;
  return segments.some((segment, at) => {
    const counterpart = other[at] ?? segment;
    return segment !== counterpart && segment.toLowerCase() === counterpart.toLowerCase();
  });
}

/** Whether one of two paths ends with a slash and the other does not. A slash behind a file name is ignored. */
export function differsInSlash(requested: string, written: string): boolean {
  const [a, b] = [requested, written].map((path) => bareOf(path));
  if (a === undefined || b === undefined || a.endsWith('/') === b.endsWith('/')) return false;
  const last = (a.endsWith('/') ? b : a).split('/').at(-1) ?? '';
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
