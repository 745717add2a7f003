import { samplePageUrls, findIndexedUrls } from '../store/page-urls.js';
import { listRuleRows, listWaitingRules, readRules, type ListedRule, type RulePlace } from '../store/rules.js';
import type { Tenant } from '../../platform/database/session/tenants.js';
import { compileRules } from '../../rule-formats/write/compile.js';
import type { LintNote } from '../../rule-formats/lint-redirects.js';
import { formatSource, parseSource } from '../../rule-formats/read/source-address.js';
import { pathKey } from '../../text/paths/plain-path.js';
import { addRule, findEnds, noRules } from '../import-export/rules-for-servers.js';

/**
 * The maximum number of rules in one part. A part takes a few hundredths of a second, even in a project with a hundred
 * thousand rules.
 */
export const CHECKED_RULES = 1_000;
/** The number of pages among which those below a wildcard are looked for. */
export const SAMPLED_PAGES = 5_000;
const MAX_HOPS = 10;

/**
 * Finds what is wrong with some of a project's rules, in the order of their paths. The rules behind a rule's target and
 * the page at its own path are looked up among all rules and pages. Pages that a wildcard hides are looked for among
 * {@link SAMPLED_PAGES} pages only, and duplicates only within the part.
 * @returns `rules`: their number; `next`: the last of them, if there are more
 */
export async function checkRules({ db, projectId }: Tenant, after: RulePlace | undefined) {
  const listed = await listRuleRows(db, projectId, {}, after, CHECKED_RULES + 1);
  const rules = listed.slice(0, CHECKED_RULES);
  return {
    notes: await noteProblems({ db, projectId }, rules),
    rules: rules.length,
    next: listed.length > CHECKED_RULES ? rules.at(-1) : undefined,
  };
}

/**
 * Finds redirects that lead to no page in the end, among all rules, `max` at most. The notes are as {@link checkRules}
 * makes them.
 */
export async function findDeadRedirects(tenant: Tenant, max: number): Promise<LintNote[]> {
  const rules = await listWaitingRules(tenant.db, tenant.projectId, max);
  const notes = rules.length === 0 ? [] : await noteProblems(tenant, rules);
  return notes.filter(({ kind }) => kind === 'dead target').slice(0, max);
}

async function noteProblems({ db, projectId }: Tenant, rules: readonly ListedRule[]): Promise<LintNote[]> {
  const known = noRules();
  const checkedPaths = new Set<string>();
  for (const rule of rules) {
    addRule(known, rule);
    const source = parseSource(rule.path);
    checkedPaths.add(rule.path).add(source ? formatSource(source) : rule.path);
  }
  for (const { path, pattern } of known.below) if (!pattern) checkedPaths.add(`${path}*`);
  for (const rule of await rulesOnTheWay({ db, projectId }, rules)) addRule(known, rule);
  await findEnds(db, projectId, known);
  const keys = rules.flatMap(({ kind, action, path }) => (kind === 'exact' && action === 'redirect' ? [path] : []));
  const live = await findIndexedUrls(db, projectId, keys.map(pathKey));
  const sample = known.below.length === 0 ? [] : await samplePageUrls(db, projectId, SAMPLED_PAGES);
  const { notes } = await compileRules(known.known, known, [...live.map(({ url }) => url), ...sample]);
  // A sample of the pages does not show which host has the pages of a target.
  return notes.filter(({ path, kind }) => checkedPaths.has(path) && kind !== 'several hosts');
}

/** Reads the rules that redirects without a page lead to, then those that these lead to, hop by hop. */
async function rulesOnTheWay({ db, projectId }: Tenant, rules: readonly ListedRule[]): Promise<ListedRule[]> {
  const seen = new Set(rules.map(({ key }) => key));
  const behind: ListedRule[] = [];
  let last = rules;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const keys = last.flatMap(({ kind, active, target }) =>
      kind === 'exact' && !active && target !== null ? [pathKey(target)] : [],
    );
    const wanted = keys.filter((key) => !seen.has(key.toString('hex')));
    if (wanted.length === 0) break;
    for (const key of wanted) seen.add(key.toString('hex'));
    last = await readRules(db, projectId, wanted);
    behind.push(...last);
  }
  return behind;
}
