import { hash } from 'node:crypto';
import { groupBy } from '../base/group-by.js';
import type { Visitor } from '../base/glossary.js';
import type { Db } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import { readIndexVersion } from '../projects/index-version.js';
import { pathKey } from '../text/paths/plain-path.js';
import { indexRules, readCompiled } from './preview/compiled-rules.js';
import { openRuleMatcher } from './preview/rule-matcher.js';
import { listShownPaths, readPathRule, replacePathRules } from './store/path-rules.js';
import { readRulesOfPaths } from './store/rules.js';

/** So many paths times rules are compared while rules are changed, which takes a second. A job compares more. */
const MAX_COMPARED = 1_000_000;
/** The empty path: the key in its row is a hash of the rules from which all other rows were made. */
const STATE = '';
/** The fields of settings and rules that decide which rule a path falls under. Only these are hashed. */
const FIELDS = ['path_case', 'path_slash', 'version', 'key', 'path', 'spellings', 'in_force'];

/**
 * Stores which rule decides about each path that views and lists show, if rules have changed since the last time. It
 * leaves that to the job where there is more to compare than `maxCompared`.
 */
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
 * Stores which rules decide about the paths of 404s of people and unknown visitors.
 * @returns the projects whose other paths must be compared again, since their rules changed
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

/**
 * Stores which rule decides about each of these paths.
 * @returns false: the rows of other paths were made from earlier rules
 */
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
 * Reads the rules that no look-up by key finds, so that the paths that they decide about are stored: wildcards,
 * patterns, and the rule of the home page, whose key all paths without a letter have. Where case or slash matter, these
 * are all rules.
 */
async function openRules(tenant: Tenant) {
  const { db, projectId } = tenant;
  const { site, below } = await readCompiled(tenant);
  const home = await indexRules(await readRulesOfPaths(db, projectId, [pathKey('/')], site), site);
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
