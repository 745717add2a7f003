import { findIndexedUrls } from '../store/page-urls.js';
import { readRulesOfPaths } from '../store/rules.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { atTarget, readTarget, type Target } from '../../rule-formats/read-redirect.js';
import { followRules, locationOf } from '../follow-rules.js';
import { rulesOf, type FoundRule } from '../match-rule.js';
import { parseRequestedPath, type RequestedPath } from '../requested-path.js';
import { targetKeys } from '../../text/paths/plain-path.js';
import { ApiError } from '../../base/errors.js';
import { groupBy } from '../../base/group-by.js';
import { mapAtOnce, Turns } from '../../base/map-yielding.js';
import { parsePageUrl } from '../../text/page-url.js';
import type { CheckedChange } from '../rule.js';
import { BatchedReads } from './batched-reads.js';
import { compileRules, readCompiled, type CompiledRule, type LookupRule, type RuleIndex } from './compiled-rules.js';

export interface LookupAnswer {
  rule: LookupRule;
  /** The Location that is answered, over other rules perhaps; null: the path is gone. */
  to: string | null;
}

/** The number of paths that are followed at a time: each hop of all of them is one statement. */
const MAX_AT_ONCE = 500;
/** The time that one matcher may take. Ten thousand paths and a thousand patterns take a tenth of it. */
const MAX_MS = 60_000;

type Found = FoundRule & { by: CompiledRule };

/** The rule that a path falls under, whether it can answer or not, and what searches answer to the path. */
export interface FollowedPath {
  rule: LookupRule | undefined;
  /** The address that the rule leads to, with parts of the path filled in, whether there is a page or not. */
  target?: string | undefined;
  answer: LookupAnswer | undefined;
}

interface Sources {
  /** Indexes of rules in memory; a rule of a later index replaces the rule with its key in an earlier one. */
  rules: readonly RuleIndex[];
  /** The rules that paths have of their own, by key. */
  own?: BatchedReads<CompiledRule>;
  /** The urls of indexed pages by path key. */
  pages?: BatchedReads<string>;
  /** The hosts of the project's pages; without them no rule leads to another site. */
  hosts?: ReadonlySet<string>;
  /** The keys of stored rules that do not hold, because a change replaces or removes them. */
  replaced?: ReadonlySet<string>;
  signal?: AbortSignal | undefined;
}

/**
 * Obeys rules, in force or proposed, as searches obey the rules of the database. As they do, it reads only what the
 * paths need.
 */
export class RuleMatcher {
  readonly #sources: Sources;
  readonly #turns = new Turns();
  readonly #until = performance.now() + MAX_MS;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** The rule that a path falls under. */
  async find(path: string): Promise<LookupRule | undefined> {
    const [first] = await this.#candidates(parseRequestedPath(path));
    return first?.by.rule;
  }

  async follow(path: string): Promise<FollowedPath> {
    const asked = parseRequestedPath(path);
    const own = await this.#candidates(asked);
    const { hosts, signal } = this.#sources;
    const { rule: found } = await followRules(asked, {
      rulesAt: async (next) =>
        (next === asked ? own : await this.#candidates(next)).filter(({ by }) => by.rule.action !== 'ignore'),
      pagesAt: (rules) => Promise.all(rules.map(({ target = '' }) => this.pageAt(readTarget(target)))),
      isElsewhere: (host) => hosts?.has(host) === false,
      signal,
    });
    const rule = found && own.find(({ key }) => key.equals(found.key))?.by.rule;
    const page = found?.pageId === undefined ? undefined : atTarget(found.pageId, found);
    const href = found?.leadsTo ?? page;
    const to = href === undefined ? undefined : locationOf(href, path, found?.passQuery ?? false);
    const isAnswer = found?.action === 'gone' || to !== undefined;
    const [first] = own;
    const answer = rule && isAnswer ? { rule, to: to ?? null } : undefined;
    return { rule: first?.by.rule, target: first?.target, answer };
  }

  followAll(paths: readonly string[]): Promise<FollowedPath[]> {
    return mapAtOnce(paths, MAX_AT_ONCE, (path) => this.follow(path));
  }

  findAll(paths: readonly string[]): Promise<(LookupRule | undefined)[]> {
    return mapAtOnce(paths, MAX_AT_ONCE, (path) => this.find(path));
  }

  /** The url of the indexed page at an address. */
  async pageAt(to: Target | undefined): Promise<string | undefined> {
    if (!to) return undefined;
    const { pages } = this.#sources;
    const keys = targetKeys(to.path).map((key) => key.toString('hex'));
    const urls = pages ? (await Promise.all(keys.map((key) => pages.at(key)))).flat() : [];
    const own = urls.filter((url) => !('host' in to) || parsePageUrl(url)?.host === to.host);
    return own.find((url) => parsePageUrl(url)?.path === to.path) ?? own[0];
  }

  /** The rules of a path, in the order in which they are obeyed. */
  async #candidates(asked: RequestedPath): Promise<readonly Found[]> {
    const { rules, own, pages, replaced, signal } = this.#sources;
    const keys = [...new Set(asked.ruleKeys.map((key) => key.toString('hex')))];
    const [live = [], ...ofPath] = await Promise.all([
      pages?.at(asked.keys.at(-1)?.toString('hex') ?? ''),
      ...keys.map((key) => own?.at(key)),
    ]);
    await this.#turns.take();
    signal?.throwIfAborted();
    if (performance.now() > this.#until)
      throw new ApiError('overloaded', { message: 'The rules lead on too far to be tried in time.' });
    const places = [...new Set([...keys, ...asked.prefixes, ...asked.starts.map((start) => `~${start}`)])];
    const [stored = [], ...changed] = rules.map((index) => places.flatMap((place) => index.get(place) ?? []));
    const standing = [...ofPath.flatMap((found) => found ?? []), ...stored].filter(({ key }) => !replaced?.has(key));
    const found = rulesOf(asked, [...standing, ...changed.flat()]);
    // A path that is another spelling of a page leads to that page, not to where a wildcard sends all paths below it.
    if (live.length === 0) return found;
    return found.filter(({ oldPrefix = '/', isPattern }) => isPattern === true || !asked.whole.includes(oldPrefix));
  }
}

/** Opens a matcher that obeys a project's rules, with changes as if they were made. */
export async function openRuleMatcher(
  tenant: Tenant,
  changes: readonly CheckedChange[] = [],
  signal?: AbortSignal,
): Promise<RuleMatcher> {
  const { db, projectId } = tenant;
  const { site, below } = await readCompiled(tenant);
  const made = changes.flatMap(({ action, ...change }) => (action === 'remove' ? [] : [{ ...change, action }]));
  return new RuleMatcher({
    rules: [below, await compileRules(made, site)],
    own: new BatchedReads(async (keys) => compileRules(await readRulesOfPaths(db, projectId, keys, site), site)),
    pages: readPages(tenant),
    hosts: site.hosts,
    replaced: new Set(changes.map(({ key }) => key)),
    signal,
  });
}

/**
 * Opens a matcher that obeys proposed rules alone.
 * @param tenant has the pages that the rules lead to; without it, they lead to no page
 */
export async function matchProposed(rules: readonly LookupRule[], tenant?: Tenant): Promise<RuleMatcher> {
  const any = { path_case: null, path_slash: null };
  return new RuleMatcher({ rules: [await compileRules(rules, any)], ...(tenant && { pages: readPages(tenant) }) });
}

function readPages({ db, projectId }: Tenant): BatchedReads<string> {
  return new BatchedReads(async (keys) => {
    const found = groupBy(await findIndexedUrls(db, projectId, keys), ({ key }) => key);
    return new Map([...found].map(([key, pages]) => [key, pages.map(({ url }) => url)]));
  });
}
