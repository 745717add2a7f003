import { readHosts, readPathMatching, findIndexedUrls } from '../store/page-urls.js';
import { listRuleRows, readRulesOfPaths, type ListedRule } from '../store/rules.js';
import type { PathRule } from '../store/rules-of-path.js';
import { MAX_WILDCARDS } from '../store/store-rules.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import type { RuleKind } from '../../base/glossary.js';
import { atTarget, readTarget, type Target } from '../../rule-formats/read-redirect.js';
import { followRules, locationOf, MAX_HOPS, type RuleSource } from '../follow-rules.js';
import { rulesOf, type FoundRule } from '../match-rule.js';
import { parseRequestedPath, type RequestedPath } from '../requested-path.js';
import { targetKeys } from '../../text/paths/plain-path.js';
import { ruleOf } from '../rule-keys.js';
import type { RuleMeaning } from '../rule-meaning.js';
import { mapYielding } from '../../base/map-yielding.js';
import { parsePageUrl } from '../../text/page-url.js';
import type { CheckedChange } from '../rule.js';

/** A rule, in force or proposed. */
export interface LookupRule extends RuleMeaning {
  key: string;
  path: string;
  host: string | null;
  spellings?: readonly string[];
}

export interface LookupAnswer<Rule extends LookupRule> {
  rule: Rule;
  /** The Location that is answered, over other rules perhaps; null: the path is gone. */
  to: string | null;
}

/**
 * The project's settings for case and slash, and the hosts of its pages: without them no rule leads to another site.
 */
type Site = Pick<PathRule, 'path_case' | 'path_slash'> & { hosts?: ReadonlySet<string> };

/** Of one statement. */
const MAX_KEYS = 2_000;

/** Rules in memory, obeyed as searches obey those of the database. */
export class RuleMatcher<Rule extends LookupRule> implements RuleSource {
  /** By the keys of their paths, by prefix, and patterns by how they begin. */
  readonly #byPlace = new Map<string, PathRule[]>();
  readonly #byKey = new Map<string, Rule>();
  readonly #known = new Map<string, readonly FoundRule[]>();
  readonly #pages = new Map<string, string[]>();
  readonly #hosts: ReadonlySet<string> | undefined;

  constructor(rules: readonly Rule[], { hosts, ...counts }: Site = { path_case: null, path_slash: null }) {
    this.#hosts = hosts;
    for (const rule of rules) {
      if (!isInForce(rule)) continue;
      const { path, host, target, action, code = null, pass_query = false, spellings = [] } = rule;
      const { plainKey, key, prefix, patternStart } = ruleOf(rule);
      const plain = (plainKey ?? key).toString('hex');
      const place = patternStart !== null ? `~${patternStart}` : (prefix ?? plain);
      const one: PathRule = {
        key: key.toString('hex'),
        plain,
        prefix,
        pattern: patternStart === null ? null : path,
        path,
        spellings,
        host,
        // What is ignored answers nothing: rulesAt leaves it out.
        action: action === 'ignore' ? 'gone' : action,
        target: action === 'redirect' ? target : null,
        code,
        pass_query,
        in_force: true,
        is_dated: false,
        page_id: null,
        is_pending: false,
        ...counts,
      };
      this.#byKey.set(one.key, rule);
      this.#byPlace.set(place, [...(this.#byPlace.get(place) ?? []), one]);
    }
  }

  /** Looks up the pages at these paths, and those that rules lead to. To be called before {@link answer}. */
  async findPages({ db, projectId }: Tenant, paths: readonly string[]): Promise<void> {
    const targets = (await this.#targetsOf(paths)).flatMap(({ path }) => targetKeys(path));
    const own = paths.flatMap((path) => parseRequestedPath(path).keys.slice(-1));
    const keys = new Map([...targets, ...own].map((key) => [key.toString('hex'), key]));
    for (const batch of inBatches([...keys.values()]))
      for (const { key, url } of await findIndexedUrls(db, projectId, batch))
        this.#pages.set(key, [...(this.#pages.get(key) ?? []), url]);
  }

  /** The paths to which rules lead from these, on the project's own site. */
  async pathsOnTheWay(paths: readonly string[]): Promise<string[]> {
    const targets = await this.#targetsOf(paths);
    return targets.flatMap((to) => ('host' in to && this.isElsewhere(to.host) ? [] : [to.path]));
  }

  async #targetsOf(paths: readonly string[]): Promise<Target[]> {
    const found = (await mapYielding(paths, (path) => this.#candidates(parseRequestedPath(path)))).flat();
    return found.flatMap(({ target }) => (target === undefined ? [] : (readTarget(target) ?? [])));
  }

  /** The rule that a path falls under, whether it can answer or not. */
  find(path: string): Rule | undefined {
    const [first] = this.#candidates(parseRequestedPath(path));
    return first && this.#ruleOf(first);
  }

  /** What searches would answer to a path by these rules. */
  async answer(path: string): Promise<LookupAnswer<Rule> | undefined> {
    const { rule: found } = await followRules(parseRequestedPath(path), this);
    const rule = found && this.#ruleOf(found);
    if (!rule || found.action === 'gone') return rule && { rule, to: null };
    const page = found.pageId === undefined ? undefined : atTarget(found.pageId, found);
    const href = found.leadsTo ?? page;
    const to = href === undefined ? undefined : locationOf(href, path, found.passQuery);
    return to === undefined ? undefined : { rule, to };
  }

  rulesAt(asked: RequestedPath): FoundRule[] {
    return this.#candidates(asked).flatMap(({ target, ...found }): FoundRule[] => {
      if (this.#ruleOf(found)?.action === 'ignore') return [];
      const to = target === undefined ? undefined : readTarget(target);
      if (target === undefined || !to || found.isPattern) return [target === undefined ? found : { ...found, target }];
      const pageId = this.pageAt(to);
      return [pageId === undefined ? { ...found, target } : { ...found, pageId }];
    });
  }

  /** The url, in place of its id. */
  pageAt(to: Target): string | undefined {
    const urls = targetKeys(to.path).flatMap((key) => this.#pages.get(key.toString('hex')) ?? []);
    const own = urls.filter((url) => !('host' in to) || parsePageUrl(url)?.host === to.host);
    return own.find((url) => parsePageUrl(url)?.path === to.path) ?? own[0];
  }

  isElsewhere(host: string): boolean {
    return this.#hosts?.has(host) === false;
  }

  #ruleOf({ key }: { key: Buffer }): Rule | undefined {
    return this.#byKey.get(key.toString('hex'));
  }

  /** In the order in which they are obeyed. A path may be compared with a thousand patterns: once. */
  #candidates(asked: RequestedPath): readonly FoundRule[] {
    const { raw, hosts, ruleKeys, prefixes, starts, keys, whole } = asked;
    const id = `${hosts[0] ?? ''} ${raw}`;
    const known = this.#known.get(id);
    const places = [...ruleKeys.map((key) => key.toString('hex')), ...prefixes, ...starts.map((start) => `~${start}`)];
    const found =
      known ??
      rulesOf(
        asked,
        [...new Set(places)].flatMap((place) => this.#byPlace.get(place) ?? []),
      );
    this.#known.set(id, found);
    // Another spelling of a page leads to the page, not to where all below it went.
    if (!this.#pages.has(keys.at(-1)?.toString('hex') ?? '')) return found;
    return found.filter(({ oldPrefix = '/', isPattern }) => isPattern === true || !whole.includes(oldPrefix));
  }
}

function isInForce({ valid_from: from, valid_until: until }: RuleMeaning): boolean {
  const now = Date.now();
  return (from == null || Date.parse(from) <= now) && (until == null || Date.parse(until) > now);
}

/** A book of the project's rules that may decide about these paths, with changes as if they were made. */
export async function openRuleMatcher(
  tenant: Tenant,
  paths: readonly string[],
  changes: readonly CheckedChange[] = [],
): Promise<RuleMatcher<LookupRule>> {
  const { db, projectId } = tenant;
  const site = { ...(await readPathMatching(db, projectId)), hosts: await readHosts(db, projectId) };
  const rules = new Map<string, LookupRule>();
  const followed = new Set<string>();
  let wanted: readonly string[] = paths;
  for (let hop = 0; ; hop++) {
    const found = hop === 0 ? await readRulesOf(tenant, wanted) : await readOwnRules(tenant, wanted);
    for (const rule of found) rules.set(rule.key, rule);
    for (const { action, ...change } of changes) {
      if (action === 'remove') rules.delete(change.key);
      else rules.set(change.key, { ...change, action });
    }
    const book = new RuleMatcher([...rules.values()], site);
    for (const path of wanted) followed.add(path);
    wanted = [...new Set(await book.pathsOnTheWay(wanted))].filter((path) => !followed.has(path));
    if (wanted.length > 0 && hop < MAX_HOPS) continue;
    await book.findPages(tenant, [...followed]);
    return book;
  }
}

/** All wildcards, and the rules of these paths. */
export async function readRulesOf({ db, projectId }: Tenant, paths: readonly string[]): Promise<ListedRule[]> {
  const kinds: RuleKind[] = ['prefix', 'pattern'];
  const rules = await listRuleRows(db, projectId, { kinds }, undefined, MAX_WILDCARDS);
  return [...rules, ...(await readOwnRules({ db, projectId }, paths))];
}

async function readOwnRules(
  { db, projectId }: Pick<Tenant, 'db' | 'projectId'>,
  paths: readonly string[],
): Promise<ListedRule[]> {
  const rules: ListedRule[] = [];
  const keys = new Map(
    paths.flatMap((path) =>
      parseRequestedPath(path).ruleKeys.map((key): [string, Buffer] => [key.toString('hex'), key]),
    ),
  );
  for (const batch of inBatches([...keys.values()])) rules.push(...(await readRulesOfPaths(db, projectId, batch)));
  return rules;
}

export function inBatches<Item>(items: readonly Item[]): Item[][] {
  const batches: Item[][] = [];
  for (let at = 0; at < items.length; at += MAX_KEYS) batches.push(items.slice(at, at + MAX_KEYS));
  return batches;
}
