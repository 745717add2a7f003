import { hash } from 'node:crypto';
import { groupBy } from '../base/group-by.js';
import type { Visitor } from '../base/glossary.js';
import type { Db } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import { readIndexVersion } from '../projects/index-version.js';
import { pathKey } from '../text/paths/plain-path.js';
import { compileRules, readCompiled } from './preview/compiled-rules.js';
import { openRuleMatcher } from './preview/rule-matcher.js';
import { listShownPaths, readPathRule, replacePathRules } from './store/path-rules.js';
import { readRulesOfPaths } from './store/rules.js';

/** Paths times rules: a change of rules waits a second for so many. Of more, the job compares them. */
const MAX_COMPARED = 1_000_000;
/** The path under which it is stored of which rules the rows of all others are made. */
const STATE = '';
/** A path falls under another rule only if one of these changed, of the settings or of a rule. */
const FIELDS = ['path_case', 'path_slash', 'version', 'key', 'path', 'spellings', 'in_force'];

/** Compares all paths that views and lists show with the rules, if these have changed since the last time. */
export async function coverAllPaths(tenant: Tenant, maxCompared = MAX_COMPARED): Promise<void> {
  const { db, projectId } = tenant;
  for (let rules = await openRules(tenant); !rules.isCurrent; rules = await openRules(tenant)) {
    const { state, count } = rules;
    const paths = await listShownPaths(db, projectId);
    if (paths.length * (count + 10) > maxCompared) return;
    await coverPaths(tenant, paths, rules);
    await inTransaction(db, (trx) => replacePathRules(trx, projectId, [{ path: STATE, key: state }]));
  }
}

/**
 * Stores which rules decide about the paths of 404s that count as missing paths.
 * @returns projects of which that is to be done for all others, too
 */
export async function coverNotFounds(
  db: Db,
  rows: readonly { project_id: string; raw_path: string; visitor: Visitor; is_test: boolean }[],
): Promise<string[]> {
  const people = rows.filter(({ visitor, is_test }) => !is_test && (visitor === 'person' || visitor === 'unknown'));
  const stale: string[] = [];
  for (const [projectId, missed] of groupBy(people, ({ project_id }) => project_id)) {
    const paths = new Set(missed.map(({ raw_path: raw }) => raw.split(/[?#]/, 1)[0] ?? ''));
    if (!(await coverPaths({ db, projectId }, [...paths]))) stale.push(projectId);
  }
  return stale;
}

/** @returns false: the rows of other paths are made of other rules */
export async function coverPaths(
  tenant: Tenant,
  paths: readonly string[],
  rules?: Awaited<ReturnType<typeof openRules>>,
): Promise<boolean> {
  const { isNone, isCurrent, covers } = rules ?? (await openRules(tenant));
  if (isNone) return true;
  const rulesOfPaths = await (await openRuleMatcher(tenant)).findAll(paths);
  const decided = paths.map((path, at) => {
    const key = rulesOfPaths[at]?.key;
    return { path, key: key !== undefined && covers(key) ? key : null };
  });
  await inTransaction(tenant.db, (trx) => replacePathRules(trx, tenant.projectId, decided));
  return isCurrent;
}

/**
 * The rules that decide about missing paths, beside those that a key finds: wildcards, patterns, that of the home page,
 * whose key all paths without a letter have; where case or slash matter, all.
 */
async function openRules(tenant: Tenant) {
  const { db, projectId } = tenant;
  const { site, below } = await readCompiled(tenant);
  const home = await compileRules(await readRulesOfPaths(db, projectId, [pathKey('/')], site), site);
  const rules = [below, home].flatMap((index) => [...index.values()].flat());
  const keys = new Set(rules.map(({ key }) => key));
  const isStrict = site.withSpellings;
  const version = isStrict ? await readIndexVersion(db, projectId) : 0;
  const state = hash('sha256', JSON.stringify([{ ...site, version }, rules], FIELDS), 'hex');
  const known = await readPathRule(db, projectId, STATE);
  const isNone = rules.length === 0 && !isStrict && known === undefined;
  const covers = (key: string): boolean => isStrict || keys.has(key);
  return { state, count: rules.length, isNone, isCurrent: isNone || known === state, covers };
}
