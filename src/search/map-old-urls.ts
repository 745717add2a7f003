import { findIndexedPagesByKey } from '../pages/store/missing-pages.js';
import type { Caller } from '../projects/caller.js';
import { findDeadUrlSettings } from '../projects/store/projects.js';
import { formatSource, parseSource, withoutOwnHost } from '../rule-formats/read/source-address.js';
import { readHosts } from '../rules/store/page-urls.js';
import type { NoOldUrl, OldUrl } from '../sources/source.js';
import { parsePageUrl } from '../text/page-url.js';
import { isNoPage } from '../text/paths/dead-path.js';
import { pathKey } from '../text/paths/plain-path.js';
import { isSamePage, withoutWww } from '../text/same-url.js';
import type { FoundSuggestion, SearchRequest } from './answer.js';
import { mapOldUrl, type Find, type MappedUrl } from './map-old-url.js';
import { DEFAULT_THRESHOLDS } from './ranking/scores/score.js';

/** `live`: a page has that url; `left out`: the url never was that of a page, but of a part of a page or of a probe. */
export type Mapped = MappedUrl | NoOldUrl | 'live' | 'left out';

/** Maps the old urls of one list, each once. */
export async function createMapper(
  answer: (request: SearchRequest) => Promise<{ suggestions: readonly FoundSuggestion[] }>,
  caller: Caller,
): Promise<(listed: OldUrl) => Promise<Mapped>> {
  const find: Find = async (kind, input, limit) =>
    (await answer({ kind, input, limit, threshold: 0, filters: {}, excludeUrls: [], explain: true })).suggestions;
  const thresholds = (await findDeadUrlSettings(caller)) ?? DEFAULT_THRESHOLDS;
  const hosts = await readHosts(caller.db, caller.projectId);
  const seen = new Set<string>();
  return async (listed) => {
    const oldUrl = { ...listed, old: withoutOwnHost(listed.old, hosts) };
    const source = parseSource(oldUrl.old);
    if (!source) return { line: oldUrl.line, reason: `no browser can ask for ${oldUrl.old}` };
    const path = formatSource(source);
    // The same path of another domain is another url: pages move from one domain to another.
    const host = parsePageUrl(oldUrl.old)?.host;
    const address = host === undefined ? path : `https://${withoutWww(host)}${path}`;
    if (seen.has(address)) return { line: oldUrl.line, reason: `${oldUrl.old} again` };
    seen.add(address);
    const pages = await findIndexedPagesByKey(caller, pathKey(path));
    if (pages.some(({ url }) => isSamePage(address, url))) return 'live';
    return isNoPage(path) ? 'left out' : mapOldUrl(find, thresholds, { ...oldUrl, path });
  };
}
