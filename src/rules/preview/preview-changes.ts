import type { Db } from '../../platform/database/db.js';
import { readHosts, countPagesLike, type PathCondition } from '../store/page-urls.js';
import { readRules } from '../store/rules.js';
import type { RuleAction } from '../../base/glossary.js';
import { namesPlaceholder } from '../../rule-formats/path-pattern.js';
import { NUMBER } from '../../rule-formats/read/read-rule.js';
import { countOf } from '../../text/count-of.js';
import { parsePageUrl } from '../../text/page-url.js';
import { pathKey } from '../../text/paths/plain-path.js';
import { openRuleMatcher, type RuleMatcher } from './rule-matcher.js';
import type { CheckedChange, Rule, RuleChange, RuleDeps } from '../rule.js';
import { ruleOf } from '../rule-keys.js';
import {
  checkChanges,
  countAnswers,
  countMisses,
  DEFAULT_DAYS,
  describeStored,
  readStored,
  type Answers,
  type Stored,
} from './try-rules.js';

export interface Problem {
  kind: 'target is no page' | 'source is a page' | 'shadows pages' | 'loop' | 'chain' | 'no rule';
  detail: string;
}

export interface PreviewedChange {
  path: string;
  action: RuleAction | 'remove';
  target: string | null;
  /** The stored rule that the change replaces or removes. */
  replaces: Rule | null;
  problems: Problem[];
  answers: Answers;
  /** The stored 404s that the rule takes, too, though it leads to no page for them. */
  misses: Answers;
}

/** The number up to which pages below a wildcard are counted. */
const MAX_SHADOWED = 1_000;

/**
 * Shows what changes would do, if all of them were made: what they replace, what is wrong with them, and what they
 * would have answered of the stored 404s. Changes nothing.
 * @throws ApiError invalid_request
 */
export async function previewChanges(
  deps: RuleDeps,
  projectId: string,
  changes: readonly RuleChange[],
  days = DEFAULT_DAYS,
): Promise<{ changes: PreviewedChange[]; stored: Stored }> {
  const checked = await checkChanges(changes);
  const tenant = deps.tenants.of(projectId);
  const stored = await readStored(deps, projectId, days);
  const targets = checked.flatMap((change) => targetPath(change) ?? []);
  const matcher = await openRuleMatcher(tenant, checked);
  const followed = await matcher.followAll(stored.paths.map(({ path }) => path));
  const [answers, missed] = [countAnswers(stored.paths, followed), countMisses(stored.paths, followed)];
  const keys = checked.map(({ key }) => Buffer.from(key, 'hex'));
  const before = new Map((await readRules(tenant.db, projectId, keys)).map((rule) => [rule.key, rule]));
  const hosts = await readHosts(tenant.db, projectId);
  // All pages are looked up together here, so that they are known when each change is examined below.
  await Promise.all([...checked, ...targets.map((path) => ({ path }))].map((address) => matcher.pageAt(address)));
  await matcher.findAll(targets);
  const previewed: PreviewedChange[] = [];
  for (const change of checked) {
    const { path, action, target, key } = change;
    const replaces = before.get(key) ?? null;
    const none = { paths: 0, requests: 0, examples: [] };
    const countOfRule = (all: typeof answers): Answers => (action === 'remove' ? none : (all.get(key) ?? none));
    const taken = { answers: countOfRule(answers), misses: countOfRule(missed) };
    const problems = await findProblems(deps.db, projectId, change, matcher, hosts, taken);
    if (action === 'remove' && !replaces) problems.push({ kind: 'no rule', detail: `${path} has no rule` });
    previewed.push({ path, action, target, replaces, problems, ...taken });
  }
  return { changes: previewed, stored: describeStored(stored, days) };
}

/** The path of the page that a change leads to, if it is one page. */
function targetPath({ kind, target }: CheckedChange): string | undefined {
  if (target === null || (kind !== 'exact' && namesPlaceholder(target))) return undefined;
  return parsePageUrl(target)?.path ?? target;
}

async function findProblems(
  db: Db,
  projectId: string,
  change: CheckedChange,
  matcher: RuleMatcher,
  hosts: ReadonlySet<string>,
  taken: Pick<PreviewedChange, 'answers' | 'misses'>,
): Promise<Problem[]> {
  const { path, kind, action, target } = change;
  const problems: Problem[] = [];
  if (action === 'remove') return problems;
  if (kind === 'exact') {
    const page = change.host === null ? await matcher.pageAt({ path }) : undefined;
    if (page !== undefined) problems.push({ kind: 'source is a page', detail: `${page} is a page of the project` });
  } else {
    // This does not run as the tenant: PostgreSQL applies row level security before a comparison by an index.
    const shadowed = await countPagesLike(db, projectId, conditionFor(path), MAX_SHADOWED);
    if (shadowed > 0)
      problems.push({
        kind: 'shadows pages',
        detail:
          shadowed === 1
            ? `1 page of the project is below ${path}`
            : `${shadowed === MAX_SHADOWED ? `${shadowed} and more` : shadowed} pages of the project are below ${path}`,
      });
  }
  const host = target === null ? undefined : parsePageUrl(target)?.host;
  // Nothing is known about the pages of another site.
  if (target === null || (host !== undefined && !hosts.has(host))) return problems;
  const pagePath = targetPath(change);
  if (pagePath === undefined) {
    const { prefix, newPrefix } = ruleOf({ path, kind, action, target });
    if (newPrefix !== null && `${newPrefix}/`.startsWith(`${prefix ?? ''}/`))
      problems.push({ kind: 'loop', detail: `${target} is below ${path} itself` });
    else problems.push(...(await tryTarget(db, projectId, target, matcher, taken)));
    return problems;
  }
  if (kind === 'exact' && pathKey(pagePath).toString('hex') === change.key)
    problems.push({ kind: 'loop', detail: `${path} leads to itself` });
  else if ((await matcher.pageAt({ path: pagePath })) === undefined) {
    problems.push({ kind: 'target is no page', detail: `${target} is no indexed page of the project` });
    const next = await matcher.find(pagePath);
    if (next?.target === null || next === undefined) return problems;
    const leadsBack = pathKey(parsePageUrl(next.target)?.path ?? next.target).toString('hex') === change.key;
    problems.push(
      leadsBack || next.key === change.key
        ? { kind: 'loop', detail: `${next.path} leads back to ${path}` }
        : { kind: 'chain', detail: `${target} is redirected itself, by ${next.path} to ${next.target}` },
    );
  }
  return problems;
}

/**
 * Checks that a wildcard or pattern leads to pages: for the stored 404s that it takes, or if it takes none, that there
 * is any page where it leads.
 */
async function tryTarget(
  db: Db,
  projectId: string,
  target: string,
  matcher: RuleMatcher,
  { answers, misses }: Pick<PreviewedChange, 'answers' | 'misses'>,
): Promise<Problem[]> {
  const kind = 'target is no page';
  const [example] = misses.examples;
  if (example) {
    const all = answers.paths + misses.paths;
    const detail = `${misses.paths} of ${countOf(all, 'stored path')} would lead to no page, such as ${example.path} to ${example.to ?? target}`;
    return [{ kind, detail }];
  }
  const below = (parsePageUrl(target)?.path ?? target).replace(/\/:splat$/, '/*');
  if (answers.paths > 0 || !below.endsWith('/*') || namesPlaceholder(below.slice(0, -1))) return [];
  const isLedOn = (await matcher.find(`${below.slice(0, -1)}x`)) !== undefined;
  const isEmpty = !isLedOn && (await countPagesLike(db, projectId, conditionFor(below), 1)) === 0;
  return isEmpty ? [{ kind, detail: `no page of the project is below ${below.slice(0, -1)}` }] : [];
}

/** A POSIX expression for the paths below a wildcard. */
function conditionFor(path: string): PathCondition {
  const bare = path.slice(0, -1);
  // The path is percent-encoded, as in urls of pages.
  const segments = (parsePageUrl(`http://host.invalid${bare}`)?.path ?? bare).split('/');
  const expressions = segments.map((segment) =>
    segment === NUMBER ? '[0-9]+' : segment.replace(/[^\p{L}\p{N}_-]/gu, '\\$&'),
  );
  const literal = segments.includes(NUMBER) ? [...segments.slice(0, segments.indexOf(NUMBER)), ''] : segments;
  return { prefix: literal.join('/'), expression: `^${expressions.join('/')}` };
}
