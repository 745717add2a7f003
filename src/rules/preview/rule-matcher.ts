import { readHosts, findIndexedUrls } from '../store/page-urls.js';
import { listRuleRows, readRulesOfPaths, type ListedRule, type RuleStatus } from '../store/rules.js';
import { MAX_WILDCARDS } from '../store/store-rules.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import type { RuleKind } from '../../base/glossary.js';
import { pathKey } from '../../text/paths/plain-path.js';
import { parseRequestedPath, type OrderedRule } from '../requested-path.js';
import { filledTarget, inOrder } from '../match-rule.js';
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
  status?: RuleStatus;
}

export interface LookupAnswer<Rule extends LookupRule> {
  rule: Rule;
  /** The page that it leads to, over other rules perhaps, or the address on another host; null: the path is gone. */
  to: string | null;
}

interface Candidate<Rule> {
  rule: Rule;
  /** Of the page that it leads to, with its address as it was written. */
  target: { key: Buffer; host: string | null; path: string; written: string } | undefined;
}

/** Of one statement. */
const MAX_KEYS = 2_000;
/** Rules that one answer follows. */
const MAX_HOPS = 10;

/** Tells which rule decides about a path, as searches do. */
export class RuleMatcher<Rule extends LookupRule> {
  /** By the keys of their paths, by prefix, and patterns by how they begin. */
  readonly #byPlace = new Map<string, (OrderedRule & { rule: Rule })[]>();
  readonly #known = new Map<string, Candidate<Rule>[]>();
  readonly #pages = new Map<string, string[]>();
  readonly #hosts: ReadonlySet<string> | undefined;

  /** @param hosts of the project's pages; without them no rule is taken to lead to another site. */
  constructor(rules: readonly Rule[], hosts?: ReadonlySet<string>) {
    this.#hosts = hosts;
    for (const rule of rules) {
      if (rule.status === 'ended' || rule.status === 'not yet') continue;
      const { plainKey, key, prefix, patternStart } = ruleOf({ ...rule, action: 'ignore', target: null });
      const pattern = patternStart === null ? null : rule.path;
      const plain = (plainKey ?? key).toString('hex');
      const { path, host, action } = rule;
      const place = patternStart !== null ? `~${patternStart}` : (prefix ?? plain);
      const ordered = { plain, prefix, pattern, path, spellings: [], host, action, rule };
      const others = this.#byPlace.get(place);
      if (others) others.push(ordered);
      else this.#byPlace.set(place, [ordered]);
    }
  }

  /** Looks up the pages that rules lead to from these paths. To be called before {@link answer}. */
  async findPages({ db, projectId }: Tenant, paths: readonly string[]): Promise<void> {
    const candidates = (await mapYielding(paths, (path) => this.#candidates(path))).flat();
    const keys = new Map(
      candidates.flatMap(({ target }) => (target ? [[target.key.toString('hex'), target.key] as const] : [])),
    );
    for (const batch of inBatches([...keys.values()]))
      for (const { key, url } of await findIndexedUrls(db, projectId, batch))
        this.#pages.set(key, [...(this.#pages.get(key) ?? []), url]);
  }

  /** The paths to which rules lead from these, on the project's own site. */
  async targetsOf(paths: readonly string[]): Promise<string[]> {
    const candidates = (await mapYielding(paths, (path) => this.#candidates(path))).flat();
    return candidates.flatMap(({ target }) => (target && !this.#isElsewhere(target) ? target.path : []));
  }

  /** The rule that a path falls under, whether it can answer or not. */
  find(path: string): Rule | undefined {
    return this.#candidates(path)[0]?.rule;
  }

  /**
   * What the rules answer to a path: followed to the end, as searches follow them. A redirect that ends nowhere is
   * passed over, as is what is ignored.
   */
  answer(path: string, seen = new Set([pathKey(path).toString('hex')])): LookupAnswer<Rule> | undefined {
    for (const { rule, target } of this.#candidates(path)) {
      if (target) {
        const url = this.#isElsewhere(target) ? target.written : this.#pageOf(target);
        if (url !== undefined) return { rule, to: url };
        const next = target.key.toString('hex');
        const isNew = !seen.has(next) && seen.size <= MAX_HOPS;
        const end = isNew ? this.answer(target.path, seen.add(next)) : undefined;
        if (end) return { rule, to: end.to };
      } else if (rule.action === 'gone') return { rule, to: null };
    }
    return undefined;
  }

  #isElsewhere({ host }: { host: string | null }): boolean {
    return host !== null && this.#hosts?.has(host) === false;
  }

  #pageOf({ key, host }: { key: Buffer; host: string | null }): string | undefined {
    const urls = this.#pages.get(key.toString('hex')) ?? [];
    return urls.find((url) => host === null || parsePageUrl(url)?.host === host);
  }

  /** In the order in which they are obeyed. A path may be compared with a thousand patterns: once. */
  #candidates(path: string): Candidate<Rule>[] {
    const known = this.#known.get(path) ?? this.#look(path);
    this.#known.set(path, known);
    return known;
  }

  #look(path: string): Candidate<Rule>[] {
    const asked = parseRequestedPath(path);
    const { ruleKeys, prefixes, starts } = asked;
    const places = [...ruleKeys.map((key) => key.toString('hex')), ...prefixes, ...starts.map((start) => `~${start}`)];
    const rules = places.flatMap((place) => this.#byPlace.get(place) ?? []);
    return inOrder(rules, asked).map(({ rule, ...ordered }) => {
      const target = rule.target === null ? null : filledTarget(rule.target, asked, ordered);
      return { rule, target: target === null ? undefined : toTarget(target) };
    });
  }
}

function toTarget(written: string): Candidate<unknown>['target'] {
  const url = parsePageUrl(written);
  const path = url?.path ?? written;
  return { key: pathKey(path), host: url?.host ?? null, path, written };
}

/** A book of the project's rules that may decide about these paths, with changes as if they were made. */
export async function openRuleMatcher(
  tenant: Tenant,
  paths: readonly string[],
  changes: readonly CheckedChange[] = [],
): Promise<RuleMatcher<LookupRule>> {
  const hosts = await readHosts(tenant.db, tenant.projectId);
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
    const book = new RuleMatcher([...rules.values()], hosts);
    for (const path of wanted) followed.add(path);
    wanted = [...new Set(await book.targetsOf(wanted))].filter((path) => !followed.has(path));
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
