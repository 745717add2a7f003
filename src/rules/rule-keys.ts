import type { RuleAction, RuleKind } from '../base/glossary.js';
import { invalid } from '../base/errors.js';
import {
  comparedQuery,
  folderKey,
  hasNumberPlaceholder,
  hashPlainPath,
  pathKey,
  plainPath,
  targetKeys,
} from '../text/paths/plain-path.js';
import {
  plainPrefix,
  wildcardPrefix,
  readTarget,
  type ParsedPattern,
  type ParsedRule,
  type Target,
} from '../rule-formats/read-redirect.js';
import {
  checkPatternTarget,
  namesPlaceholder,
  parsePathPattern,
  patternStart,
  withoutNames,
} from '../rule-formats/path-pattern.js';
import type { RuleCode, RuleTerms } from '../rule-formats/read/read-rule.js';
import { MAX_PREFIX_BYTES } from './learned/propose-section-redirects.js';
import { isWildcard, parseRule, type RuleMeaning } from './rule-meaning.js';

/**
 * Converts a parsed rule into the form in which it is stored.
 * @param spellings the other spellings in which the old path was listed
 * @throws ApiError that names `path` or `target`
 */
export function toRule(says: ParsedRule, spellings: readonly string[] = []): RuleInput {
  return withTerms({ ...bareRule(says), spellings }, says.terms ?? {});
}

function bareRule(says: ParsedRule): RuleInput {
  if (says.kind === 'pattern') return patternRule(says);
  const { path, action, target } = says;
  const bare = says.kind === 'exact' ? exactRule(action, path) : bareWildcard(action, path);
  if (target === null) return bare;
  const rule = { ...bare, target: writtenOf(target) };
  return says.kind === 'exact' || !says.keepsRest
    ? { ...rule, ...onePage(target) }
    : { ...rule, target: `${rule.target}:splat`, targetHost: hostOf(target), newPrefix: plainPrefix(target.path) };
}

function withTerms(rule: RuleInput, { host, code, passQuery, validFrom, validUntil }: RuleTerms): RuleInput {
  const isUsual = code === (rule.action === 'gone' ? 410 : 301);
  const terms = {
    code: isUsual ? null : (code ?? null),
    pass_query: passQuery ?? false,
    valid_from: validFrom ?? null,
    valid_until: validUntil ?? null,
  };
  if (host === undefined) return { ...rule, ...terms };
  return { ...rule, ...terms, host, plainKey: rule.key, key: hashPlainPath(`${host}\n${rule.key.toString('hex')}`) };
}

/**
 * Converts a listed rule into the form in which it is stored.
 * @throws ApiError that names `path`
 */
export function ruleOf(listed: RuleMeaning & { spellings?: readonly string[] | undefined }): RuleInput {
  return toRule(parseRule(listed), listed.spellings);
}

function patternRule({ path: pattern, action, to }: ParsedPattern): RuleInput {
  const [path = '', query = ''] = pattern.split('?', 2);
  const parsed = parsePathPattern(path);
  if ('refused' in parsed) throw invalid('path', `the pattern ${parsed.refused}.`);
  const rule = {
    ...NOWHERE,
    kind: 'pattern' as const,
    key: isWildcard(pattern)
      ? wildcardKey(wildcardPrefix(pattern.slice(0, -1)))
      : hashPlainPath(`#pattern ${withoutNames(parsed, '').path.toLowerCase()}?${comparedQuery(query)}`),
    path: pattern,
    action,
    patternStart: patternStart(parsed),
  };
  if (to === null) return rule;
  const refused = checkPatternTarget(parsed, to);
  if (refused !== undefined) throw invalid('target', `the target ${refused}.`);
  const target = readTarget(to);
  if (!target) throw invalid('target', `${to} is no http(s) url without credentials, and no path`);
  return { ...rule, target: writtenOf(target), ...(namesPlaceholder(to) ? {} : onePage(target)) };
}

function exactRule(action: RuleAction, path: string): RuleInput {
  return {
    ...NOWHERE,
    kind: 'exact',
    key: pathKey(path),
    path,
    action,
    folder: action === 'gone' ? folderKey(plainPath(path)) : null,
  };
}

/**
 * Makes a wildcard without a target. `oldPath` ends with a slash.
 * @throws ApiError that names `path`
 */
function bareWildcard(action: RuleAction, oldPath: string): RuleInput {
  const prefix = wildcardPrefix(oldPath);
  if (prefix === '') throw invalid('path', 'a wildcard for every path says nothing about any.');
  if (Buffer.byteLength(prefix) > MAX_PREFIX_BYTES)
    throw invalid('path', `what stands before the star must have at most ${MAX_PREFIX_BYTES} bytes.`);
  const kind = hasNumberPlaceholder(prefix) ? 'pattern' : 'prefix';
  return { ...NOWHERE, kind, key: wildcardKey(prefix), path: `${oldPath}*`, action, prefix };
}

/** The fields that not every rule has, as they are stored for a rule without them. */
const NOWHERE = {
  host: null as string | null,
  /** The key that the rule would have without its host; null for a rule of any host. */
  plainKey: null as Buffer | null,
  /** The look-up key of a pattern (path-pattern.ts); null for other rules. */
  patternStart: null as string | null,
  code: null as RuleCode | null,
  pass_query: false,
  valid_from: null as string | null,
  valid_until: null as string | null,
  /** The other spellings in which the path was listed; those of a wildcard end before the star. */
  spellings: [] as readonly string[],
  /** The plain prefix of a wildcard, where `#` stands for any number; null for other rules. */
  prefix: null as string | null,
  /** The key of the folder of a path that is gone; null at the root of the site. */
  folder: null as Buffer | null,
  /** The target as it was written, not as its page has it: a path or a full url, perhaps with `:splat`. */
  target: null as string | null,
  /** The key of the target's path, if the rule leads all its paths to one page. */
  targetKey: null as Buffer | null,
  /**
   * The key of the target's path without its query string, if it has one. The page has this key, unless its url has the
   * query string, too.
   */
  targetBareKey: null as Buffer | null,
  targetPath: null as string | null,
  /** The target's host, and the hash of its normalized url; both are null if the target is a path. */
  targetHost: null as string | null,
  targetHash: null as Buffer | null,
  /** The plain prefix of a target that keeps the rest; null if all paths lead to one page. */
  newPrefix: null as string | null,
};

/** A rule as it is stored; `key` is its key, as in rules.rule_key. */
export type RuleInput = typeof NOWHERE & { path: string; kind: RuleKind; action: RuleAction; key: Buffer };

function onePage(target: Target) {
  return {
    targetKey: pathKey(target.path),
    targetBareKey: targetKeys(target.path)[1] ?? null,
    targetPath: target.path,
    targetHost: hostOf(target),
    targetHash: 'href' in target ? target.hash : null,
  };
}

const writtenOf = (target: Target): string => ('href' in target ? target.written : target.path);
const hostOf = (target: Target): string | null => ('href' in target ? target.host : null);

/** Returns the key of a wildcard; no path has it. */
function wildcardKey(prefix: string): Buffer {
  return hashPlainPath(`${prefix}/#*`);
}
