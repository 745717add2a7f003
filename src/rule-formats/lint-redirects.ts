import { encodeTarget, formatSource, parseSource, type SourceAddress } from './read/source-address.js';
import { mapYielding } from '../base/map-yielding.js';
import { pathKey } from '../text/paths/plain-path.js';

/** A redirect as the project knows it. */
export interface KnownRedirect {
  path: string;
  /** Of its page; while it waits for one, what the customer wrote. */
  url: string;
  /** Leads to an indexed page. */
  active: boolean;
}

/** A redirect that leads to a page, and the address that it holds for. */
export interface Checked extends SourceAddress {
  to: string;
  /** Leads to no page of the project. */
  isDead: boolean;
}

/** What is wrong with a redirect, or was mended. */
export interface LintNote {
  kind: 'chain' | 'loop' | 'dead target' | 'live source' | 'duplicate' | 'no path' | 'shadows pages';
  path: string;
  detail: string;
  /** Whether a server gets no rule for it. */
  isLeftOut: boolean;
}

const MAX_HOPS = 10;

/**
 * Redirects with their addresses as browsers send them; one of each. Chains are made one hop. Loops and those without a
 * page are dead, and noted.
 */
export async function lintRedirects(
  redirects: readonly KnownRedirect[],
): Promise<{ checked: Checked[]; notes: LintNote[] }> {
  const notes: LintNote[] = [];
  const byKey = new Map(
    await mapYielding(redirects, (one): [string, KnownRedirect] => [pathKey(one.path).toString('hex'), one]),
  );
  const checked = new Map<string, Checked>();
  await mapYielding(redirects, (redirect) => {
    const { path } = redirect;
    const source = parseSource(path);
    if (!source) {
      notes.push({ kind: 'no path', path, detail: 'no browser can ask for it', isLeftOut: true });
      return;
    }
    const address = formatSource(source);
    if (checked.has(address)) {
      notes.push({ kind: 'duplicate', path, detail: `browsers ask for it as ${address}`, isLeftOut: true });
      return;
    }
    const end = follow(redirect, byKey);
    if (end.note) notes.push({ path, ...end.note });
    checked.set(address, { ...source, to: encodeTarget(end.url), isDead: !end.active });
  });
  return { checked: [...checked.values()], notes };
}

type Followed = Pick<KnownRedirect, 'url' | 'active'> & { note?: Omit<LintNote, 'path'> };

/** The page that a redirect leads to in the end. */
function follow(redirect: KnownRedirect, byKey: ReadonlyMap<string, KnownRedirect>): Followed {
  let at = redirect;
  for (let hop = 0; !at.active && hop < MAX_HOPS; hop++) {
    const next = byKey.get(pathKey(at.url).toString('hex'));
    if (next === redirect || next === at)
      return { ...redirect, note: { kind: 'loop', detail: `leads round in a circle over ${at.url}`, isLeftOut: true } };
    if (!next) break;
    at = next;
  }
  const { url, active } = at;
  if (!active)
    return {
      ...redirect,
      note: { kind: 'dead target', detail: `${redirect.url} is no indexed page of the project`, isLeftOut: true },
    };
  if (at === redirect) return { url, active };
  return {
    url,
    active,
    note: { kind: 'chain', detail: `over ${redirect.url} to ${url}: made one redirect`, isLeftOut: false },
  };
}
