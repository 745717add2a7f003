import type { Clock } from '../base/clock.js';
import type { Db } from '../platform/database/db.js';
import type { ListedRule } from './store/rules.js';
import type { Tenants } from '../platform/database/session/tenants.js';
import { ApiError, invalid } from '../base/errors.js';
import { RULE_ACTIONS, type RuleAction, type RuleKind } from '../base/glossary.js';
import type { IndexChanges } from '../projects/index-changes.js';
import { isPattern } from './match-rule.js';
import { bareWildcard } from './rule-keys.js';
import { NUMBER, isAddress } from '../rule-formats/read/read-rule.js';
import { readTarget } from '../rule-formats/read-redirect.js';
import { parsePageUrl } from '../text/page-url.js';
import { pathKey } from '../text/paths/plain-path.js';
import { checkStorable } from '../base/validate.js';

export interface RuleDeps {
  /** The history of 404s is no tenant's: its statements name the project. */
  db: Db;
  tenants: Tenants;
  clock: Clock;
  indexChanges: IndexChanges;
}

export type Rule = ListedRule;

/**
 * What a person wants for a path. `path`: `/old/x`; `/old/*` for all paths below; `/blog/:number/*`, where `:number` is
 * any number. `target`, of a redirect: a path or full url; in a wildcard `/new/:splat` keeps the rest, `/new` drops it.
 */
export interface RuleChange {
  path: string;
  action: RuleAction | 'remove';
  target?: string | undefined;
}

/** The paths that a rule is for. */
export interface RuleScope {
  /** As it was written, without a host. */
  path: string;
  kind: RuleKind;
  /** As rule_hits.rule_key, in hexadecimal. */
  key: string;
  /** Of wildcards. */
  oldPrefix: string | undefined;
}

const MAX_PATH = 2_048;
const MAX_TARGET = 4_096;

/** A change that was checked. `target` is null where there is none. */
export interface CheckedChange extends RuleScope {
  action: RuleAction | 'remove';
  target: string | null;
}

/**
 * @param at names the change in errors: `changes.3`
 * @throws ApiError that names `path`, `action` or `target`
 */
export function checkChange({ path, action, target }: RuleChange, at: string): CheckedChange {
  if (action !== 'remove' && !RULE_ACTIONS.includes(action))
    throw invalid(`${at}.action`, `${at}.action must be one of ${RULE_ACTIONS.join(', ')} and remove.`);
  checkAddress(path, MAX_PATH, `${at}.path`);
  const scope = readScope(path.trim(), `${at}.path`);
  if (action !== 'redirect') {
    if (target !== undefined) throw invalid(`${at}.target`, `${at}.target belongs to a redirect only.`);
    return { ...scope, action, target: null };
  }
  if (target === undefined) throw invalid(`${at}.target`, `Missing required parameter: ${at}.target`);
  checkAddress(target, MAX_TARGET, `${at}.target`);
  const to = target.trim().replace(/\/\*$/, '/:splat');
  const bare = scope.kind === 'exact' ? to : to.replace(/\/:splat$/, '/');
  if (/\*|:splat/.test(bare))
    throw invalid(`${at}.target`, `${at}.target has :splat only at its end, after a slash, and only in a wildcard.`);
  const leadsTo = readTarget(bare);
  if (!leadsTo) throw invalid(`${at}.target`, `${at}.target must be a path or an http(s) url without credentials.`);
  // `//host/path` is an address of another host.
  return { ...scope, action, target: 'href' in leadsTo && to.startsWith('//') ? `https:${to}` : to };
}

function checkAddress(text: unknown, max: number, param: string): asserts text is string {
  if (typeof text !== 'string' || !isAddress(text.trim()))
    throw invalid(param, `${param} must be a path that begins with a slash, or a full url.`);
  checkStorable(text, param);
  // No browser sends them, and a terminal would obey them.
  if (/\p{Cc}/u.test(text.trim())) throw invalid(param, `${param} must have no control characters.`);
  if (text.trim().length > max) throw invalid(param, `${param} must have at most ${max} characters.`);
}

/** @throws ApiError invalid_request */
function readScope(text: string, param: string): RuleScope {
  const path = parsePageUrl(text)?.path ?? text;
  if (!path.startsWith('/')) throw invalid(param, `${param} must be a path or an http(s) url without credentials.`);
  const isWildcard = path.endsWith('/*');
  const bare = isWildcard ? path.slice(0, -1) : path;
  if (/\*|:splat/.test(bare)) throw invalid(param, `${param} may have a star only at its end, after a slash.`);
  if (isWildcard && /[?#]/.test(bare)) throw invalid(param, `${param} must have no query string before its star.`);
  if (!isWildcard && path.split(/[/?]/).includes(NUMBER))
    throw invalid(param, `${param} may have ${NUMBER} only where it ends with /*.`);
  try {
    return scopeOf(path, isWildcard);
  } catch (error) {
    throw error instanceof ApiError ? invalid(param, `${param}: ${error.message}`) : error;
  }
}

/** @throws ApiError that names `path` */
export function scopeOf(path: string, isWildcard: boolean): RuleScope {
  if (!isWildcard) return { path, kind: 'exact', key: pathKey(path).toString('hex'), oldPrefix: undefined };
  const { key, prefix: oldPrefix } = bareWildcard('ignore', path.slice(0, -1));
  return { path, kind: isPattern(oldPrefix) ? 'pattern' : 'prefix', key: key.toString('hex'), oldPrefix };
}
