import type { Clock } from '../base/clock.js';
import type { Db } from '../platform/database/db.js';
import type { ListedRule } from './store/rules.js';
import type { Tenants } from '../platform/database/session/tenants.js';
import { ApiError, invalid } from '../base/errors.js';
import { RULE_ACTIONS, type RuleAction, type RuleKind } from '../base/glossary.js';
import type { IndexChanges } from '../projects/index-changes.js';
import { formOf, kindOf, type ListedTerms } from './rule-meaning.js';
import { ruleOf } from './rule-keys.js';
import { GONE_CODES, isAddress, REDIRECT_CODES, type RuleCode } from '../rule-formats/read/read-rule.js';
import { readDate } from '../rule-formats/read/conditions.js';
import { hostIn, readHostName } from '../rule-formats/read/source-address.js';
import { hasName, readTarget } from '../rule-formats/read-redirect.js';
import { namesPlaceholder } from '../rule-formats/path-pattern.js';
import { parsePageUrl } from '../text/page-url.js';
import { checkStorable } from '../base/validate.js';

export interface RuleDeps {
  /** The database for the history of 404s, which is not read as a tenant: its statements name the project. */
  db: Db;
  tenants: Tenants;
  clock: Clock;
  indexChanges: IndexChanges;
}

export type Rule = ListedRule;

/**
 * The change that a person wants for a path. `path`: `/old/x`, perhaps with a query string whose parameters must be
 * there; `/old/*` for all paths below; `/p-:id.html` for those like it. A full url is for its host alone. `target`, of
 * a redirect: a path or full url; `/new/:splat` keeps what the star stands for, `/shop/:id` what a placeholder does.
 */
export interface RuleChange {
  path: string;
  action: RuleAction | 'remove';
  target?: string | undefined;
  /** The host that the rule is for, if `path` does not name it. */
  host?: string | null | undefined;
  /**
   * The way in which `path` is read. With `path`, a text like a placeholder is literal; without a value, `path` itself
   * shows it.
   */
  match?: 'path' | 'prefix' | 'pattern' | undefined;
  code?: number | null | undefined;
  pass_query?: boolean | undefined;
  /**
   * The dates or moments between which the rule holds, in ISO 8601. A date stands for the beginning of its day in
   * `valid_from`, and for the end of its day in `valid_until`.
   */
  valid_from?: string | null | undefined;
  valid_until?: string | null | undefined;
}

interface Scope {
  /** The path as it was written, without a host. */
  path: string;
  /** The host that it is for; null: any. */
  host: string | null;
  kind: RuleKind;
}

/** The paths that a rule is for. */
export interface RuleScope extends Scope {
  /** The rule's key in hexadecimal, as in rule_hits.rule_key. */
  key: string;
  /** The name of the path's field in errors. */
  field?: string;
}

const MAX_PATH = 2_048;
const MAX_TARGET = 4_096;

/** A change that was checked. `target` is null where there is none. */
export interface CheckedChange extends RuleScope, ListedTerms {
  action: RuleAction | 'remove';
  target: string | null;
}

/**
 * Checks a change, and computes the key of its rule.
 * @param at names the change in errors: `changes.3`; '': its fields have no other name
 * @throws ApiError that names `path`, `action` or another field
 */
export function checkChange(change: RuleChange, at: string): CheckedChange {
  const { path, action } = change;
  const field = (name: string): string => (at === '' ? name : `${at}.${name}`);
  if (action !== 'remove' && !RULE_ACTIONS.includes(action))
    throw invalid(field('action'), `${field('action')} must be one of ${RULE_ACTIONS.join(', ')} and remove.`);
  checkAddress(path, MAX_PATH, field('path'));
  const read = readScope(withStar(path.trim(), change, field), change, field);
  const terms = { ...readTerms(change, field), host: read.host };
  const { target, form } = readChangeTarget(change, read, field);
  const kind = form === 'pattern' ? form : read.kind;
  try {
    // A removal, and a rule of one path, need only their key here; the target does not change it.
    const isKey = action === 'remove' || kind === 'exact';
    const { key } = ruleOf({ ...read, kind, action: isKey ? 'ignore' : action, target });
    return { ...read, kind, key: key.toString('hex'), ...terms, field: field('path'), action, target };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const param = field(error.param ?? 'path');
    throw invalid(param, `${param}: ${error.message}`);
  }
}

type FieldName = (name: string) => string;

/**
 * Reads `/old/` as `/old/*` if `match` is `prefix`. Other tools differ in whether such a rule's target takes the rest
 * of the path: the target must show it.
 * @throws ApiError that names `target`
 */
function withStar(path: string, { match, action, target = '' }: RuleChange, field: FieldName): string {
  if (match !== 'prefix' || /[?#]/.test(path) || namesPlaceholder(path)) return path;
  const below = `${path.replace(/\/$/, '')}/*`;
  if (action !== 'redirect' || /\*$|:splat/.test(target)) return below;
  throw invalid(
    field('target'),
    `${field('target')} must end with :splat, for what follows ${path}; with the path ${below} it may be one page.`,
  );
}

/**
 * Reads the target of a change, and the form of the rule, which the target may decide: `/new/:splat/` takes more from
 * the path than a wildcard can.
 * @throws ApiError that names `target`
 */
function readChangeTarget({ action, target, match }: RuleChange, { kind, path }: Scope, field: FieldName) {
  const param = field('target');
  if (action !== 'redirect') {
    if (target !== undefined) throw invalid(param, `${param} belongs to a redirect only.`);
    return { target: null, form: formOf(kind, path, null) };
  }
  if (target === undefined) throw invalid(param, `Missing required parameter: ${param}`);
  checkAddress(target, MAX_TARGET, param);
  const to = target.trim().replace(/\/\*$/, '/:splat');
  const form = formOf(kind === 'prefix' ? 'pattern' : kind, path, to);
  const isOther = form === 'pattern';
  const bare = form === 'exact' ? to : to.replace(/\/:splat$/, '/');
  if (!isOther && /\*|:splat/.test(bare))
    throw invalid(param, `${param} has :splat only in a wildcard, such as /old/*.`);
  const named = /(?:^|[^\p{L}\p{N}]):([a-z]\w*)/iu.exec(bare.split(/[?#]/, 1)[0] ?? '')?.[1];
  // A full url is the address of a page, even if a part of it looks like a placeholder.
  if (!isOther && named !== undefined && match !== 'path' && bare.startsWith('/'))
    throw invalid(param, `${param} names :${named}, which the path does not have.`);
  const leadsTo = readTarget(isOther ? to : bare);
  if (!leadsTo) throw invalid(param, `${param} must be a path or an http(s) url without credentials.`);
  // `//host/path` is an address of another host.
  return { target: 'href' in leadsTo && to.startsWith('//') ? `https:${to}` : to, form };
}

/** @throws ApiError that names `code`, `pass_query`, `valid_from` or `valid_until` */
function readTerms(change: RuleChange, field: FieldName): Omit<ListedTerms, 'host'> {
  const { action, code = null, pass_query = false } = change;
  const codes: readonly number[] = action === 'gone' ? GONE_CODES : action === 'redirect' ? REDIRECT_CODES : [];
  if (code !== null && !codes.includes(code))
    throw invalid(
      field('code'),
      codes.length === 0
        ? `${field('code')} belongs to a redirect or to what is gone.`
        : `${field('code')} must be one of ${codes.join(', ')} where action is ${action}.`,
    );
  if (pass_query && action !== 'redirect')
    throw invalid(field('pass_query'), `${field('pass_query')} belongs to a redirect only.`);
  const valid_from = readMoment(change.valid_from, field('valid_from'), false);
  const valid_until = readMoment(change.valid_until, field('valid_until'), true);
  if (valid_from !== null && valid_until !== null && valid_from >= valid_until)
    throw invalid(field('valid_until'), `${field('valid_until')} must be later than valid_from.`);
  const isUsual = code === codes[0];
  return { code: isUsual ? null : (code as RuleCode | null), pass_query, valid_from, valid_until };
}

const ISO = /^[1-9]\d{3}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** Reads a moment, or a date as its beginning in UTC; with `isEnd`, as its end. @throws ApiError */
function readMoment(text: string | null | undefined, param: string, isEnd: boolean): string | null {
  if (text == null || text === '') return null;
  const moment = ISO.test(text) ? readDate(text, isEnd) : undefined;
  if (moment === undefined)
    throw invalid(param, `${param} must be a date such as 2026-01-31, or a moment such as 2026-01-31T10:00:00Z.`);
  return moment.replace(/\.\d+Z$/, 'Z');
}

function checkAddress(text: unknown, max: number, param: string): asserts text is string {
  if (typeof text !== 'string' || !isAddress(text.trim()))
    throw invalid(param, `${param} must be a path that begins with a slash, or a full url.`);
  checkStorable(text, param);
  // No browser sends control characters, and a terminal would obey them.
  if (/\p{Cc}/u.test(text.trim())) throw invalid(param, `${param} must have no control characters.`);
  if (text.trim().length > max) throw invalid(param, `${param} must have at most ${max} characters.`);
}

const READS_AS = { exact: 'one path', prefix: 'all paths below one', pattern: 'a pattern' };

function readScope(text: string, { action, host: named, match }: RuleChange, field: FieldName): Scope {
  const param = field('path');
  const written = hostIn(text);
  const host = readHost(named, field('host')) ?? written ?? null;
  if (written === undefined && /^https?:/i.test(text))
    throw invalid(param, `${param} must be a path or an http(s) url without credentials.`);
  if (written !== undefined && written !== host)
    throw invalid(field('host'), `${field('host')} is ${host}, and ${param} names ${written}.`);
  const isPlain = match === 'path' || !namesPlaceholder(text.split('?', 1)[0] ?? '');
  const path = isPlain ? (parsePageUrl(text)?.path ?? text) : text.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
  if (!path.startsWith('/')) throw invalid(param, `${param} must be a path or an http(s) url without credentials.`);
  const kind = isPlain ? 'exact' : kindOf(path);
  // A wildcard may be sent as a pattern, too.
  if (match !== undefined && match !== 'path' && match !== kind && !(match === 'pattern' && kind === 'prefix'))
    throw invalid(field('match'), `${field('match')} is ${match}, and ${param} reads as ${READS_AS[kind]}.`);
  if (action !== 'remove' && kind === 'exact' && !hasName(path))
    throw invalid(param, `${param} has no letter and no digit, and is not that of the home page.`);
  return { path, kind, host };
}

function readHost(host: string | null | undefined, param: string): string | undefined {
  if (host == null || host.trim() === '') return undefined;
  const read = readHostName(host);
  if (read === undefined) throw invalid(param, `${param} must be the name of a host, such as www.example.com.`);
  return read;
}

/** @throws ApiError that names `path` */
export function scopeOf(path: string, kind = kindOf(path), host: string | null = null): RuleScope {
  const rule = ruleOf({ path, kind, host, action: 'ignore', target: null });
  return { path, host, kind: rule.kind, key: rule.key.toString('hex') };
}

/** The path of a rule, with its host if it is for one. Lists name the rule so. */
export function sourceOf({ path, host }: { path: string; host?: string | null | undefined }): string {
  return host == null ? path : `https://${host}${path}`;
}
