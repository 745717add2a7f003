import { hash } from 'node:crypto';
import { groupBy } from '../base/group-by.js';
import type { Visitor } from '../base/glossary.js';
import { mapYielding } from '../base/map-yielding.js';
import type { Db } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { Tenant } from '../platform/database/session/tenants.js';
import { readIndexVersion } from '../projects/index-version.js';
import { inBatches, readRulesOf, RuleMatcher } from './preview/rule-matcher.js';
import { readPathMatching } from './store/page-urls.js';
import { listShownPaths, readPathRule, replacePathRules } from './store/path-rules.js';

/** Paths times rules: a change of rules waits a second for so many. Of more, the job compares them. */
const MAX_COMPARED = 1_000_000;
/** The path under which it is stored of which rules the rows of all others are made. */
const STATE = '';
/** A path falls under another rule only if one of these changed, of the settings or of a rule. */
const FIELDS = ['path_case', 'path_slash', 'version', 'key', 'path', 'spellings', 'status'];

/** Compares all paths that views and lists show with the rules, if these have changed since the last time. */
export async function coverAllPaths(tenant: Tenant, maxCompared = MAX_COMPARED): Promise<void> {
  const { db, projectId } = tenant;
  for (let rules = await openRules(tenant); !rules.isCurrent; rules = await openRules(tenant)) {
    const { state, count } = rules;
    const paths = await listShownPaths(db, projectId);
    if (paths.length * (count + 10) > maxCompared) return;
    for (const some of inBatches(paths)) await coverPaths(tenant, some, rules);
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
  const { isNone, isCurrent, of } = rules ?? (await openRules(tenant));
  if (isNone) return true;
  const matcher = await of(paths);
  await matcher.findPages(tenant, paths);
  const decided = await mapYielding(paths, (path) => ({ path, key: matcher.find(path)?.key ?? null }));
  await inTransaction(tenant.db, (trx) => replacePathRules(trx, tenant.projectId, decided));
  return isCurrent;
}

/**
 * The rules that decide about missing paths, beside those that a key finds: wildcards, patterns, that of the home page,
 * whose key all paths without a letter have; where case or slash matter, all.
 */
async function openRules(tenant: Tenant) {
  const { db, projectId } = tenant;
  const site = await readPathMatching(db, projectId);
  const isStrict = Object.values(site).includes('matters');
  const rules = await readRulesOf(tenant, ['/']);
  const version = isStrict ? await readIndexVersion(db, projectId) : 0;
  const state = hash('sha256', JSON.stringify([{ ...site, version }, rules], FIELDS), 'hex');
  const known = await readPathRule(db, projectId, STATE);
  const isNone = rules.length === 0 && !isStrict && known === undefined;
  const matcher = new RuleMatcher(rules, site);
  const of = async (paths: readonly string[]): Promise<typeof matcher> =>
    isStrict ? new RuleMatcher(await readRulesOf(tenant, ['/', ...paths]), site) : matcher;
  return { state, count: rules.length, isNone, isCurrent: isNone || known === state, of };
}
