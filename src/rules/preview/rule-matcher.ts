import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { findIndexedUrls } from '../store/page-urls.js';
import { readRulesOfPaths } from '../store/rules.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { atTarget, readTarget, type Target } from '../../rule-formats/read-redirect.js';
import { followRules, locationOf } from '../follow-rules.js';
import { matchRules, type FoundRule } from '../match-rule.js';
import { parseRequestedPath, type RequestedPath } from '../requested-path.js';
import { targetKeys } from '../../text/paths/plain-path.js';
import { ApiError } from '../../base/errors.js';
import { groupBy } from '../../base/group-by.js';
import { mapAtOnce, Turns } from '../../base/map-yielding.js';
import { parsePageUrl } from '../../text/page-url.js';
import type { CheckedChange } from '../rule.js';
import { indexRules, readCompiled, type CompiledRule, type LookupRule, type RuleIndex } from './compiled-rules.js';

export interface LookupAnswer {
  rule: LookupRule;
  /** The Location that is answered, over other rules perhaps; null: the path is gone. */
  to: string | null;
}

/** The number of paths that are followed at a time: each hop of all of them is one statement. */
const MAX_AT_ONCE = 500;
/** The time that one matcher may take. Ten thousand paths and a thousand patterns take a tenth of it. */
const MAX_MS = 60_000;

type Candidate = FoundRule & { by: CompiledRule };

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
  pathRules?: BatchedReads<CompiledRule>;
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
    const first = parseRequestedPath(path);
    const matched = await this.#candidates(first);
    const { hosts, signal } = this.#sources;
    const { rule: followed } = await followRules(first, {
      rulesAt: async (next) =>
        (next === first ? matched : await this.#candidates(next)).filter(({ by }) => by.rule.action !== 'ignore'),
      pagesAt: (rules) => Promise.all(rules.map(({ target = '' }) => this.pageAt(readTarget(target)))),
      isElsewhere: (host) => hosts?.has(host) === false,
      signal,
    });
    const rule = followed && matched.find(({ key }) => key.equals(followed.key))?.by.rule;
    const page = followed?.pageId === undefined ? undefined : atTarget(followed.pageId, followed);
    const href = followed?.leadsTo ?? page;
    const to = href === undefined ? undefined : locationOf(href, path, followed?.passQuery ?? false);
    const isAnswer = followed?.action === 'gone' || to !== undefined;
    const answer = rule && isAnswer ? { rule, to: to ?? null } : undefined;
    return { rule: matched[0]?.by.rule, target: matched[0]?.target, answer };
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
    const onHost = urls.filter((url) => !('host' in to) || parsePageUrl(url)?.host === to.host);
    return onHost.find((url) => parsePageUrl(url)?.path === to.path) ?? onHost[0];
  }

  /** The rules of a path, in the order in which they are obeyed. */
  async #candidates(path: RequestedPath): Promise<readonly Candidate[]> {
    const { rules, pathRules, pages, replaced, signal } = this.#sources;
    const keys = [...new Set(path.ruleKeys.map((key) => key.toString('hex')))];
    const [live = [], ...ofPath] = await Promise.all([
      pages?.at(path.keys.at(-1)?.toString('hex') ?? ''),
      ...keys.map((key) => pathRules?.at(key)),
    ]);
    await this.#turns.take();
    signal?.throwIfAborted();
    if (performance.now() > this.#until)
      throw new ApiError('overloaded', { message: 'The rules lead on too far to be tried in time.' });
    const places = [...new Set([...keys, ...path.prefixes, ...path.starts.map((start) => `~${start}`)])];
    const [stored = [], ...changed] = rules.map((index) => places.flatMap((place) => index.get(place) ?? []));
    const standing = [...ofPath.flatMap((loaded) => loaded ?? []), ...stored].filter(({ key }) => !replaced?.has(key));
    const matched = matchRules(path, [...standing, ...changed.flat()]);
    // A path that is another spelling of a page leads to that page, not to where a wildcard sends all paths below it.
    if (live.length === 0) return matched;
    return matched.filter(({ oldPrefix = '/', isPattern }) => isPattern === true || !path.whole.includes(oldPrefix));
  }
}

/** Opens a matcher that obeys a project's rules, with changes as if they were made. */
export async function openRuleMatcher(tenant: Tenant, changes: readonly CheckedChange[] = [], signal?: AbortSignal) {
  const { db, projectId } = tenant;
  const { site, below } = await readCompiled(tenant);
  const made = changes.flatMap(({ action, ...change }) => (action === 'remove' ? [] : [{ ...change, action }]));
  return new RuleMatcher({
    rules: [below, await indexRules(made, site)],
    pathRules: new BatchedReads(async (keys) => indexRules(await readRulesOfPaths(db, projectId, keys, site), site)),
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
  return new RuleMatcher({ rules: [await indexRules(rules, any)], ...(tenant && { pages: readPages(tenant) }) });
}

function readPages({ db, projectId }: Tenant): BatchedReads<string> {
  return new BatchedReads(async (keys) => {
    const byKey = groupBy(await findIndexedUrls(db, projectId, keys), ({ key }) => key);
    return new Map([...byKey].map(([key, pages]) => [key, pages.map(({ url }) => url)]));
  });
}

/** The maximum number of keys in one statement. */
const MAX_KEYS = 2_000;
/** The maximum number of keys whose values are kept; others are read again. */
const MAX_KNOWN = 5_000;

type ByKey<Value> = ReadonlyMap<string, readonly Value[]>;

/** Reads in one statement the values of all keys that callers ask for at the same time. Keys are in hexadecimal. */
class BatchedReads<Value> {
  readonly #read: (keys: readonly Buffer[]) => Promise<ByKey<Value>>;
  readonly #known = new LRUCache<string, Promise<readonly Value[]>>({ max: MAX_KNOWN });
  #next: { keys: string[]; read: Promise<ByKey<Value>> } | undefined;

  constructor(read: (keys: readonly Buffer[]) => Promise<ByKey<Value>>) {
    this.#read = read;
  }

  at(key: string): Promise<readonly Value[]> {
    const known = this.#known.get(key);
    if (known) return known;
    const { keys, read } = (this.#next ??= this.#begin());
    if (keys.push(key) === MAX_KEYS) this.#next = undefined;
    const values = read.then((all) => all.get(key) ?? []);
    this.#known.set(key, values);
    return values;
  }

  #begin(): { keys: string[]; read: Promise<ByKey<Value>> } {
    const keys: string[] = [];
    const read = nextTurn().then(() => {
      if (this.#next?.keys === keys) this.#next = undefined;
      return this.#read(keys.map((key) => Buffer.from(key, 'hex')));
    });
    return { keys, read };
  }
}
