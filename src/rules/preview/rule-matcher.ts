import { readHosts, findIndexedUrls } from '../store/page-urls.js';
import { listRuleRows, readRules, type ListedRule } from '../store/rules.js';
import { MAX_WILDCARDS } from '../store/store-rules.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import type { RuleAction, RuleKind } from '../../base/glossary.js';
import { restBelow } from '../../rule-formats/read-redirect.js';
import { moveKeys, pathKey, plainPath } from '../../text/paths/plain-path.js';
import { inOrder } from '../match-rule.js';
import { parsePageUrl } from '../../text/page-url.js';
import { type CheckedChange, scopeOf } from '../rule.js';

/** A rule, in force or proposed. */
export interface BookRule {
  key: string;
  path: string;
  kind: RuleKind;
  action: RuleAction;
  target: string | null;
}

export interface BookAnswer<Rule extends BookRule> {
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
export class RuleMatcher<Rule extends BookRule> {
  readonly #exact: ReadonlyMap<string, Rule>;
  readonly #wildcards = new Map<string, Rule>();
  readonly #pages = new Map<string, string[]>();
  readonly #hosts: ReadonlySet<string> | undefined;

  /** @param hosts of the project's pages; without them no rule is taken to lead to another site. */
  constructor(rules: readonly Rule[], hosts?: ReadonlySet<string>) {
    this.#hosts = hosts;
    this.#exact = new Map(rules.filter(({ kind }) => kind === 'exact').map((rule) => [rule.key, rule]));
    for (const rule of rules)
      if (rule.kind !== 'exact') this.#wildcards.set(scopeOf(rule.path, true).oldPrefix ?? '', rule);
  }

  /** Looks up the pages that rules lead to from these paths. To be called before {@link answer}. */
  async findPages({ db, projectId }: Tenant, paths: readonly string[]): Promise<void> {
    const keys = new Map(
      paths.flatMap((path) =>
        this.#candidates(path).flatMap(({ target }) => (target ? [[target.key.toString('hex'), target.key]] : [])),
      ) as [string, Buffer][],
    );
    for (const batch of inBatches([...keys.values()]))
      for (const { key, url } of await findIndexedUrls(db, projectId, batch))
        this.#pages.set(key, [...(this.#pages.get(key) ?? []), url]);
  }

  /** The paths to which rules lead from these, on the project's own site. */
  targetsOf(paths: readonly string[]): string[] {
    return paths.flatMap((path) =>
      this.#candidates(path).flatMap(({ target }) => (target && !this.#isElsewhere(target) ? target.path : [])),
    );
  }

  /** The rule that a path falls under, whether it can answer or not. */
  find(path: string): Rule | undefined {
    return this.#candidates(path)[0]?.rule;
  }

  /**
   * What the rules answer to a path: followed to the end, as searches follow them. A redirect that ends nowhere is
   * passed over, as is what is ignored.
   */
  answer(path: string, seen = new Set([pathKey(path).toString('hex')])): BookAnswer<Rule> | undefined {
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

  /** In the order in which they are obeyed. */
  #candidates(path: string): Candidate<Rule>[] {
    const { keys, prefixes } = moveKeys(plainPath(path));
    const rules = [
      ...keys.flatMap((key) => this.#exact.get(key.toString('hex')) ?? []).map((rule) => ({ prefix: null, rule })),
      ...prefixes.flatMap((prefix) => {
        const rule = this.#wildcards.get(prefix);
        return rule ? [{ prefix, rule }] : [];
      }),
    ].map(({ prefix, rule }) => ({ prefix, rule, key: rule.key, action: rule.action }));
    return inOrder(rules, { keys }).map(({ prefix, rule }) => {
      const target = prefix === null ? rule.target : rule.target?.replace(/:splat$/, () => restBelow(path, prefix));
      return { rule, target: target == null ? undefined : toTarget(target) };
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
): Promise<RuleMatcher<BookRule>> {
  const hosts = await readHosts(tenant.db, tenant.projectId);
  const rules = new Map<string, BookRule>();
  const followed = new Set<string>();
  let wanted: readonly string[] = paths;
  for (let hop = 0; ; hop++) {
    const found = hop === 0 ? await readRulesOf(tenant, wanted) : await readOwnRules(tenant, wanted);
    for (const rule of found) rules.set(rule.key, rule);
    for (const { key, path, kind, action, target } of changes) {
      if (action === 'remove') rules.delete(key);
      else rules.set(key, { key, path, kind, action, target });
    }
    const book = new RuleMatcher([...rules.values()], hosts);
    for (const path of wanted) followed.add(path);
    wanted = [...new Set(book.targetsOf(wanted))].filter((path) => !followed.has(path));
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
    paths.flatMap((path) => moveKeys(plainPath(path)).keys.map((key): [string, Buffer] => [key.toString('hex'), key])),
  );
  for (const batch of inBatches([...keys.values()])) rules.push(...(await readRules(db, projectId, batch)));
  return rules;
}

export function inBatches<Item>(items: readonly Item[]): Item[][] {
  const batches: Item[][] = [];
  for (let at = 0; at < items.length; at += MAX_KEYS) batches.push(items.slice(at, at + MAX_KEYS));
  return batches;
}
