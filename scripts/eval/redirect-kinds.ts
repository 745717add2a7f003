import { dropExtension, slugOf } from './path-words.js';
import type { Case } from './site-data.js';

/** A kind names what the site did to a redirected path, as far as the old and the new path show it. */
export const REDIRECT_KINDS = [
  'date',
  'version',
  'cut off',
  'moved section',
  'merged',
  'code name',
  'renamed',
] as const;
export type RedirectKind = (typeof REDIRECT_KINDS)[number];

/** From this number of old paths to one page on, they count as merged into it. */
const MERGED = 3;
/** A cut slug is long: systems cut at 20 characters and more. */
const MIN_CUT = 20;
const DATE = /(?:^|\D)(?:19|20)\d\d[-/_.]?(?:0?[1-9]|1[0-2])(?!\d)/;
const VERSION = /(?:^|[/_@-])v?\d+(?:[._]\d+)+(?=$|[/_-])/i;
/** A dot or a capital within the name: `sensor.knx`, `UserFaq`. */
const CODE_NAME = /[a-z0-9][A-Z]|\w\.\w/;

/** The kind of each redirect: the first that applies, in the order of {@link REDIRECT_KINDS}. */
export function redirectKinds(cases: readonly Case[]): RedirectKind[] {
  const targets = new Map<string, number>();
  for (const { right } of cases) targets.set(right[0] ?? '', (targets.get(right[0] ?? '') ?? 0) + 1);
  return cases.map(({ input, right: [live = ''] }) => {
    const path = dropExtension(input);
    const [old, now] = [slugOf(path), slugOf(live)];
    if (DATE.test(path)) return 'date';
    if (VERSION.test(path)) return 'version';
    if (old !== now && Math.min(old.length, now.length) >= MIN_CUT && (old.startsWith(now) || now.startsWith(old)))
      return 'cut off';
    if (old === now) return 'moved section';
    if ((targets.get(live) ?? 0) >= MERGED) return 'merged';
    return CODE_NAME.test(path.split('/').findLast((segment) => segment !== '') ?? '') ? 'code name' : 'renamed';
  });
}
