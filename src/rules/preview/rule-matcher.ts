import { listRuleRows, readRules, type ListedRule } from '../store/rules.js';
import { findIndexedUrls } from '../store/recorded-not-founds.js';
import { MAX_WILDCARDS } from '../store/wildcard-redirects.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import type { RuleAction, RuleKind } from '../../base/glossary.js';
import { moreExact } from '../match-rule.js';
import { moveKeys } from '../../text/paths/move-keys.js';
import { parsePageUrl } from '../../text/page-url.js';
import { hashPlainPath, pathKey, plainPath } from '../../text/paths/plain-path.js';
import { type CheckedChange, scopeOf } from '../rule.js';
import { toWildcard } from '../rule-states.js';

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
  /** The page that it leads to; null where the path is gone. */
  to: string | null;
}

interface Candidate<Rule> {
  rule: Rule;
  /** Of the page that it leads to. */
  target: { key: Buffer; host: string | null } | undefined;
}

/** Of one statement. */
const MAX_KEYS = 2_000;

/** Tells which rule decides about a path, as searches do. */
export class RuleMatcher<Rule extends BookRule> {
  readonly #exact: ReadonlyMap<string, Rule>;
  readonly #wildcards = new Map<string, Rule>();
  readonly #pages = new Map<string, string[]>();

  constructor(rules: readonly Rule[]) {
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

  /** The rule that a path falls under, whether it can answer or not. */
  find(path: string): Rule | undefined {
    return this.#candidates(path)[0]?.rule;
  }

  /** What the rules answer to a path. A redirect without an indexed page is passed over, as is what is ignored. */
  answer(path: string): BookAnswer<Rule> | undefined {
    let waits = false;
    for (const { rule, target } of this.#candidates(path)) {
      if (target) {
        const url = this.#pageOf(target);
        if (url !== undefined) return { rule, to: url };
        waits ||= rule.kind === 'exact';
      } else if (rule.action === 'gone' && !waits) return { rule, to: null };
    }
    return undefined;
  }

  #pageOf({ key, host }: { key: Buffer; host: string | null }): string | undefined {
    const urls = this.#pages.get(key.toString('hex')) ?? [];
    return urls.find((url) => host === null || parsePageUrl(url)?.host === host);
  }

  /** In the order in which they are obeyed. */
  #candidates(path: string): Candidate<Rule>[] {
    const { keys, prefixes, tails } = moveKeys(plainPath(path));
    const exact = keys.flatMap((key): Candidate<Rule>[] => {
      const rule = this.#exact.get(key.toString('hex'));
      if (!rule) return [];
      const url = rule.target === null ? undefined : parsePageUrl(rule.target);
      const target =
        rule.target === null ? undefined : { key: pathKey(url?.path ?? rule.target), host: url?.host ?? null };
      return [{ rule, target }];
    });
    const wildcards = prefixes
      .flatMap((oldPrefix, at) => {
        const rule = this.#wildcards.get(oldPrefix);
        return rule ? [{ oldPrefix, rule, tail: tails[at] ?? '' }] : [];
      })
      .sort(moreExact);
    return [...exact, ...wildcards.map(({ rule, tail }) => ({ rule, target: wildcardTarget(rule, tail) }))];
  }
}

function wildcardTarget(rule: BookRule, tail: string): Candidate<unknown>['target'] {
  const { newPrefix, targetKey, targetHost } = toWildcard(rule);
  const key = newPrefix === null ? targetKey : hashPlainPath(newPrefix + tail);
  return key === null ? undefined : { key, host: targetHost };
}

/** A book of the project's rules that may decide about these paths, with changes as if they were made. */
export async function openRuleMatcher(
  tenant: Tenant,
  paths: readonly string[],
  changes: readonly CheckedChange[] = [],
): Promise<RuleMatcher<BookRule>> {
  const rules = new Map<string, BookRule>((await readRulesOf(tenant, paths)).map((rule) => [rule.key, rule]));
  for (const change of changes) {
    const { key, path, kind, action, target } = change;
    if (action === 'remove') rules.delete(key);
    else rules.set(key, { key, path, kind, action, target });
  }
  const book = new RuleMatcher([...rules.values()]);
  await book.findPages(tenant, paths);
  return book;
}

/** All wildcards, and the rules of these paths. */
export async function readRulesOf({ db, projectId }: Tenant, paths: readonly string[]): Promise<ListedRule[]> {
  const kinds: RuleKind[] = ['prefix', 'pattern'];
  const rules = await listRuleRows(db, projectId, { kinds }, undefined, MAX_WILDCARDS);
  const keys = new Map(
    paths.flatMap((path) => moveKeys(plainPath(path)).keys.map((key): [string, Buffer] => [key.toString('hex'), key])),
  );
  for (const batch of inBatches([...keys.values()]))
    rules.push(...(await readRules(db, projectId, { keys: batch, prefixes: [] })));
  return rules;
}

export function inBatches<Item>(items: readonly Item[]): Item[][] {
  const batches: Item[][] = [];
  for (let at = 0; at < items.length; at += MAX_KEYS) batches.push(items.slice(at, at + MAX_KEYS));
  return batches;
}
