import type { SearchKind, Thresholds } from '../base/glossary.js';
import { findIndexedPagesByKey } from '../pages/store/missing-pages.js';
import type { Caller } from '../projects/caller.js';
import { findDeadUrlSettings } from '../projects/store/projects.js';
import { formatSource, parseSource, withoutOwnHost } from '../rule-formats/read/source-address.js';
import { readHosts } from '../rules/store/page-urls.js';
import type { PageChoice } from '../rules/store/redirect-sheet.js';
import type { NoOldUrl, OldUrl } from '../sources/source.js';
import { parsePageUrl } from '../text/page-url.js';
import { isNoPage, readDeadPath } from '../text/paths/dead-path.js';
import { isContradictedBy } from '../text/paths/identities.js';
import { pathKey } from '../text/paths/plain-path.js';
import { isSamePage, withoutWww } from '../text/same-url.js';
import type { FoundSuggestion, SearchRequest } from './answer.js';
import { BELOW, isNoneNear, NONE_NEAR } from './ranking/scores/doubts.js';
import { describeBut } from './ranking/scores/explanation.js';
import {
  CONTRADICTED,
  DEFAULT_THRESHOLDS,
  MAX_CONTRADICTED_SCORE,
  isSure,
  shownScore,
} from './ranking/scores/score.js';

/** A proposed target of an old url, for a person to decide. */
export interface MappedUrl {
  old: string;
  new: string;
  score: number;
  action: 'redirect' | 'review' | 'gone';
  second: string;
  second_score: number | null;
  hits: number | null;
  why: string;
  /** The three best pages, the target first. */
  choices: PageChoice[];
}

/** If title and content raise a page's score by so much, the path is not proposed as gone. */
const RAISED = 0.1;
/** The limit of a query in a request, in characters. */
const MAX_QUERY = 2_000;
const LIMIT = 3;

/** Searches the project without a threshold. */
export type Find = (kind: SearchKind, input: string, limit: number) => Promise<readonly FoundSuggestion[]>;

/** Proposes the page that an old url became, by its path and, if they are known, its title and content. */
export async function mapOldUrl(
  find: Find,
  thresholds: Thresholds,
  oldUrl: { old: string; path: string; title: string; content: string; hits: number | undefined },
): Promise<MappedUrl> {
  const byPath = await find('suggest', oldUrl.path, LIMIT);
  const text = [...`${oldUrl.title}\n${oldUrl.content}`.trim()].slice(0, MAX_QUERY).join('');
  const byContent = text === '' ? [] : await find('semantic-search', text, LIMIT);
  const { identities, words } = readDeadPath(oldUrl.path);
  const merged = merge(byPath, byContent, ({ url }) => isContradictedBy(identities, url));
  const [best, next] = merged;
  const hits = oldUrl.hits ?? null;
  const choices = merged
    .slice(0, LIMIT)
    .map(({ href, url, title, score }) => ({ href, url, title, score: shownScore(score) }));
  const [named] = byPath;
  const isRaised = best?.href !== named?.href || (best?.score ?? 0) >= (named?.score ?? 0) + RAISED;
  const gone = isRaised ? undefined : named?.explanation?.gone;
  const isFar = isNoneNear(merged.map(({ score }) => score)) && named?.explanation?.doubts?.includes(BELOW) !== true;
  if (best === undefined && words.length === 0)
    return unknown(oldUrl.old, hits, 'review', 'the path has no words to search by');
  // Gone paths are answered with 410: a person reviews all others.
  if (best === undefined || gone !== undefined || isFar) {
    const guess = best && { score: shownScore(best.score), second: best.href, second_score: shownScore(best.score) };
    return { ...unknown(oldUrl.old, hits, 'gone', gone ?? NONE_NEAR), ...guess, choices };
  }
  return {
    old: oldUrl.old,
    new: best.href,
    score: shownScore(best.score),
    // `proxy` redirects under the same condition.
    action: isSure(best, thresholds) ? 'redirect' : 'review',
    second: next?.href ?? '',
    second_score: next ? shownScore(next.score) : null,
    hits,
    why: best.why,
    choices,
  };
}

function unknown(old: string, hits: number | null, action: MappedUrl['action'], why: string): MappedUrl {
  return { old, new: '', score: 0, action, second: '', second_score: null, hits, why, choices: [] };
}

interface Merged extends FoundSuggestion {
  why: string;
}

/** Combines scores. Content raises no page with another number or date: last year's report has similar content. */
function merge(
  byPath: readonly FoundSuggestion[],
  byContent: readonly FoundSuggestion[],
  isContradicted: (page: FoundSuggestion) => boolean,
): Merged[] {
  const pages = new Map<string, Merged>();
  for (const page of byPath) pages.set(page.href, { ...page, why: whyOf(page) });
  for (const page of byContent) {
    const known = pages.get(page.href);
    const max = isContradicted(page) ? MAX_CONTRADICTED_SCORE : 1;
    const score = Math.min(max, page.score);
    const but = score < page.score ? `, but ${CONTRADICTED}` : '';
    if (!known) pages.set(page.href, { ...page, score, why: `title and content alone${but}` });
    else if (page === byContent[0] && known.href === byPath[0]?.href && known.score < max)
      pages.set(page.href, { ...known, ...agreed(known, score, isBound(byPath[0]), max) });
    else if (score > known.score)
      pages.set(page.href, { ...known, score, why: `title and content: by the path alone ${shownScore(known.score)}` });
  }
  return [...pages.values()].sort((a, b) => b.score - a.score);
}

/** Combines both scores; not one that clicks or a contradiction bound: any addition would make it redirect. */
function agreed({ score, why }: Merged, byContent: number, bound: boolean, max: number): Partial<Merged> {
  if (bound && byContent <= score) return { why: `${why}; title and content agree` };
  const both = bound ? byContent : Math.min(max, 1 - (1 - score) * (1 - byContent));
  return { score: both, why: `${why}; title and content agree: by the path alone ${shownScore(score)}` };
}

function isBound({ explanation }: FoundSuggestion): boolean {
  return explanation?.chosen !== undefined || explanation?.bounded !== undefined;
}

/** Describes visitors' clicks, else the strongest evidence. */
function whyOf({ explanation }: FoundSuggestion): string {
  const { chosen } = explanation ?? {};
  if (chosen)
    return 'below' in chosen
      ? `visitors of ${chosen.below} chose so`
      : `${chosen.clicks} of ${chosen.of} clicks chose it`;
  const [name = ''] = Object.keys(explanation?.evidence ?? {});
  const but = ['', ...describeBut(explanation ?? {})].join(', ');
  if (name === 'moved') return `a known move${but}`;
  if (name.startsWith('redirected') || name === 'renamedWords') return `redirects beside it${but}`;
  return /content|dense|beginning|lexical|vector|semantic/i.test(name)
    ? `words of the path in the content${but}`
    : `a path like it${but}`;
}

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
