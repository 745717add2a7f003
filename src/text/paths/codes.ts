/** What tells a page from others by a code. */
interface Coded {
  segments: readonly string[];
  /** The last segment, if capitals matter in it: `/s/aB3`. */
  token: string;
}

const CODE = /^([a-z]{2,3})-(\d{2,})$/;
/** One letter before or behind the digits: of two and more, one may be a slip. */
const SHORT_CODE = /^[a-z]?(\d+)[a-z]?$/;
const ORDINAL = /(?<=\d)(?:st|nd|rd|th)$/;
const VERSION = /^v?(\d{1,3}(?:-\d+)*)$/;

/** Whether a live page has another code or version where the dead path has one. */
export function otherCode(dead: Coded, live: Coded): boolean {
  return otherToken(dead, live) || otherShortCode(dead, live) || otherVersion(dead, live);
}

/** Ids that differ in capitals alone, and codes that differ in a letter alone, unless it is only misplaced. */
function otherToken(dead: Coded, live: Coded): boolean {
  const [a, b] = [dead.segments.at(-1) ?? '', live.segments.at(-1) ?? ''];
  if (a === b) return dead.token !== live.token && (dead.token !== '' || live.token !== '');
  const [codeA, codeB] = [CODE.exec(a), CODE.exec(b)];
  const letters = [codeA?.[1] ?? '', codeB?.[1] ?? ''].map(sorted);
  return letters[0] !== letters[1] && letters[0]?.length === letters[1]?.length && codeA?.[2] === codeB?.[2];
}

/** Of the same digits, at the same place: `pump-x200` for `pump-y200`, `ab-12-c` for `ab-12-d`. */
function otherShortCode({ segments: dead }: Coded, { segments: live }: Coded): boolean {
  const [own, other] = [dead, live].map((segments) => (segments.at(-1) ?? '').split('-'));
  if (!own || own.length !== other?.length || !own.some((part) => /\d/.test(part))) return false;
  return own.some((part, at) => {
    const there = other[at] ?? '';
    if (part === there) return false;
    if (/^[a-z]$/.test(part) && /^[a-z]$/.test(there)) return true;
    const [a, b] = [part, there].map((text) => SHORT_CODE.exec(text.replace(ORDINAL, '')));
    return a?.[1] !== undefined && a[1] === b?.[1] && sorted(a[0]) !== sorted(b[0]);
  });
}

function sorted(text: string): string {
  return [...text].sort().join('');
}

/** Versions at the same place: `v2.3` for `v3`, though both have a 3. `v2` may have become `v2.3`. */
function otherVersion({ segments: dead }: Coded, { segments: live }: Coded): boolean {
  return (
    dead.length === live.length &&
    dead.some((segment, at) => {
      const other = live[at] ?? '';
      if (!segment.startsWith('v') && !other.startsWith('v')) return false;
      const [own, others] = [segment, other].map((text) => VERSION.exec(text)?.[1]?.split('-').map(Number));
      return own?.some((part, i) => others?.[i] !== undefined && part !== others[i]) ?? false;
    })
  );
}
