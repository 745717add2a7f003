import { LRUCache } from 'lru-cache';
import { groupBy } from '../../base/group-by.js';
import { mapYielding } from '../../base/map-yielding.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { readIndexVersion } from '../../projects/index-version.js';
import { compilePattern, isInForce } from '../match-rule.js';
import { ruleOf } from '../rule-keys.js';
import type { RuleMeaning } from '../rule-meaning.js';
import { readHosts, readPathMatching } from '../store/page-urls.js';
import { readWildcards } from '../store/rules.js';
import type { PathRule } from '../store/rules-of-path.js';
import { MAX_WILDCARDS } from '../store/store-rules.js';

/** A rule, in force or proposed. */
export interface LookupRule extends RuleMeaning {
  key: string;
  host: string | null;
  spellings?: readonly string[];
}

/** A rule as searches read it, with the rule from which it was made. */
export interface CompiledRule extends PathRule {
  rule: LookupRule;
}

/** Rules by their look-up key: the key of a path, the prefix of a wildcard, or `~` and the beginning of a pattern. */
export type RuleIndex = ReadonlyMap<string, readonly CompiledRule[]>;

/** A project's settings for case and slash. */
type Matching = Pick<PathRule, 'path_case' | 'path_slash'>;

export async function indexRules(rules: readonly LookupRule[], matching: Matching): Promise<RuleIndex> {
  const compiled = await mapYielding(rules, (rule) => compileRule(rule, matching));
  return groupBy(compiled, ({ plain, prefix, start }) => (start === null ? (prefix ?? plain) : `~${start}`));
}

function compileRule(rule: LookupRule, { path_case, path_slash }: Matching): CompiledRule & { start: string | null } {
  const { path, host, target, action, code = null, pass_query = false, spellings = [] } = rule;
  const { plainKey, key, prefix, patternStart: start } = ruleOf(rule);
  return {
    rule,
    start,
    key: key.toString('hex'),
    plain: (plainKey ?? key).toString('hex'),
    prefix,
    pattern: start === null ? null : compilePattern(path),
    path,
    spellings,
    host,
    // Callers that follow rules leave out ignored paths before they read the action.
    action: action === 'ignore' ? 'gone' : action,
    target: action === 'redirect' ? target : null,
    code,
    pass_query,
    get in_force() {
      return isInForce(rule);
    },
    is_dated: false,
    page_id: null,
    is_pending: false,
    path_case,
    path_slash,
  };
}

/** A project's wildcards and patterns, and the settings and hosts with which rules are compared. */
export interface Compiled {
  site: Matching & { hosts: ReadonlySet<string>; withSpellings: boolean };
  below: RuleIndex;
}

/** The newest versions of some projects, kept because rules are tried more often than they are changed. */
const compiled = new LRUCache<string, Compiled & { version: number; size: number }>({
  max: 100,
  // The size is in characters; the object of a rule counts as a thousand.
  maxSize: 16_000_000,
  sizeCalculation: ({ size }) => size,
});
const RULE_SIZE = 1_000;

export async function readCompiled({ db, projectId }: Tenant): Promise<Compiled> {
  const version = await readIndexVersion(db, projectId);
  const matching = await readPathMatching(db, projectId);
  // Where case or slash matters, the spellings of a path decide, too. Nothing is kept then, since new spellings do not
  // change the index version.
  const withSpellings = matching.path_case === 'matters' || matching.path_slash === 'matters';
  const known = withSpellings ? undefined : compiled.get(projectId);
  if (known?.version === version) return known;
  const site = { ...matching, hosts: await readHosts(db, projectId), withSpellings };
  const rules = await readWildcards(db, projectId, site, MAX_WILDCARDS);
  const made = { site, below: await indexRules(rules, site) };
  const size = rules.reduce((sum, { path, target }) => sum + path.length + (target?.length ?? 0) + RULE_SIZE, 1);
  if (!withSpellings) compiled.set(projectId, { ...made, version, size });
  return made;
}
