import type { RuleAction, RuleKind } from '../base/glossary.js';
import { invalid } from '../base/errors.js';
import { NUMBER } from '../rule-formats/read/read-rule.js';
import { comparedQuery, folderKey, hashPlainPath, pathKey, plainPath, targetKeys } from '../text/paths/plain-path.js';
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
  namesParts,
  namesPlaceholder,
  parsePathPattern,
  patternStart,
  withoutNames,
} from '../rule-formats/path-pattern.js';
import type { RuleCode, RuleTerms } from '../rule-formats/read/read-rule.js';
import { termsOf, type ListedTerms, type RuleMeaning } from './rule-meaning.js';

export interface RuleInput {
  /** As rules.rule_key. */
  key: Buffer;
  /** As it was written, without a host; of all below a path as `/old/*`. */
  path: string;
  /** The host that it is for; null: any. */
  host: string | null;
  /** Of a rule of a host: the key that it would have without; else null. */
  plainKey: Buffer | null;
  /** Of a pattern: its look-up key (path-pattern.ts). */
  patternStart: string | null;
  code: RuleCode | null;
  passQuery: boolean;
  /** ISO 8601. */
  validFrom: string | null;
  validUntil: string | null;
  /** In what other ways it was listed; of all below a path up to the star. */
  spellings: readonly string[];
  /** Of all below a path: plain; `#` stands for any number. */
  prefix: string | null;
  /** The key of the folder of a path that is gone; null at the root of the site. */
  folder: Buffer | null;
  action: RuleAction;
  /** As it was written: a path or a full url, perhaps with `:splat`; null if it leads nowhere. */
  target: string | null;
  /** The key of the target's path, where all lead to one page. */
  targetKey: Buffer | null;
  /** The same without its query string, where it has one: that of the page, unless a page's url has both. */
  targetBareKey: Buffer | null;
  targetPath: string | null;
  /** The host, and the hash of the normalized url; null for a path. */
  targetHost: string | null;
  targetHash: Buffer | null;
  /** Plain; null if all lead to one page. */
  newPrefix: string | null;
}

/** In UTF-8: the limit of the database's key. */
const MAX_PREFIX_BYTES = 1_000;

const SPLAT = '/:splat';

/**
 * A rule as it is stored.
 * @param spellings in what other ways the old path was listed
 * @throws ApiError that names `path` or `target`
 */
export function toRule(says: ParsedRule, spellings: readonly string[] = []): RuleInput {
  return withTerms({ ...bareRule(says), spellings }, says.terms ?? {});
}

/** Without the terms. */
function bareRule(says: ParsedRule): RuleInput {
  if ('pattern' in says) return patternRule(says);
  if ('gonePath' in says) return exactRule('gone', says.gonePath);
  if ('barePath' in says) return (says.below ? bareWildcard : exactRule)(says.action, says.barePath);
  const { oldPath, target } = says;
  if (!('keepsRest' in says))
    return { ...exactRule('redirect', oldPath), target: writtenOf(target), ...onePage(target) };
  const { keepsRest } = says;
  return {
    ...bareWildcard('redirect', oldPath),
    target: writtenOf(target) + (keepsRest ? SPLAT.slice(1) : ''),
    ...(keepsRest ? { targetHost: hostOf(target), newPrefix: plainPrefix(target.path) } : onePage(target)),
  };
}

function withTerms(rule: RuleInput, { host, code, passQuery, validFrom, validUntil }: RuleTerms): RuleInput {
  const isUsual = code === (rule.action === 'gone' ? 410 : 301);
  const terms = {
    code: isUsual ? null : (code ?? null),
    passQuery: passQuery ?? false,
    validFrom: validFrom ?? null,
    validUntil: validUntil ?? null,
  };
  if (host === undefined) return { ...rule, ...terms };
  return { ...rule, ...terms, host, plainKey: rule.key, key: hashPlainPath(`${host}\n${rule.key.toString('hex')}`) };
}

/**
 * A rule as it is stored, of one as it is listed.
 * @throws ApiError that names `path`
 */
export function ruleOf(
  listed: Partial<ListedTerms> & {
    path: string;
    kind: RuleKind;
    action: RuleAction;
    target: string | null;
    spellings?: readonly string[] | undefined;
  },
): RuleInput {
  const { path, kind, action, spellings } = listed;
  const terms = termsOf(listed);
  const target = action === 'redirect' ? listed.target : null;
  if (kind === 'pattern' && !isWildcard(path, target))
    return toRule({ pattern: path, action, to: target, terms }, spellings);
  const below = kind !== 'exact';
  const oldPath = below ? path.slice(0, -1) : path;
  if (target === null)
    return toRule({ barePath: oldPath, action: action === 'gone' ? 'gone' : 'ignore', below, terms }, spellings);
  if (!below) return toRule({ oldPath, target: readTarget(target) ?? { path: target }, terms }, spellings);
  const keepsRest = target.endsWith(SPLAT);
  const bare = keepsRest ? target.slice(0, 1 - SPLAT.length) : target;
  return toRule({ oldPath, target: readTarget(bare) ?? { path: bare }, keepsRest, terms }, spellings);
}

/**
 * Whether a path with a placeholder stands for all below one: `/old/*`, `/blog/:number/*`; else it is a pattern, as is
 * one whose target says more of the path than the rest at its end: `/new/:splat/`, `/new/:splat?x=1`, `/new/:number`.
 */
export function isWildcard(path: string, target: string | null = null): boolean {
  if (target !== null && namesParts(path, target)) return false;
  const segments = path.slice(0, -1).split('/');
  const others = segments.filter((segment) => segment !== NUMBER).join('/');
  return path.endsWith('/*') && !others.includes('?') && !namesPlaceholder(others);
}

function patternRule({ pattern, action, to }: ParsedPattern): RuleInput & { patternStart: string } {
  const [path = '', query = ''] = pattern.split('?', 2);
  const parsed = parsePathPattern(path);
  if ('refused' in parsed) throw invalid('path', `the pattern ${parsed.refused}.`);
  const rule = {
    ...NOWHERE,
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
    key: pathKey(path),
    path,
    action,
    folder: action === 'gone' ? folderKey(plainPath(path)) : null,
  };
}

/**
 * A rule of all paths below one, without a target. `oldPath` ends with a slash.
 * @throws ApiError that names `path`
 */
function bareWildcard(action: RuleAction, oldPath: string): RuleInput & { prefix: string } {
  const prefix = wildcardPrefix(oldPath);
  if (prefix === '') throw invalid('path', 'a wildcard for every path says nothing about any.');
  if (Buffer.byteLength(prefix) > MAX_PREFIX_BYTES)
    throw invalid('path', `what stands before the star must have at most ${MAX_PREFIX_BYTES} bytes.`);
  return { ...NOWHERE, key: wildcardKey(prefix), path: `${oldPath}*`, action, prefix };
}

const NOWHERE = {
  host: null,
  plainKey: null,
  patternStart: null,
  code: null,
  passQuery: false,
  validFrom: null,
  validUntil: null,
  spellings: [],
  prefix: null,
  folder: null,
  target: null,
  targetKey: null,
  targetBareKey: null,
  targetPath: null,
  targetHost: null,
  targetHash: null,
  newPrefix: null,
};

function onePage(
  target: Target,
): Pick<RuleInput, 'targetKey' | 'targetBareKey' | 'targetPath' | 'targetHost' | 'targetHash'> {
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

/** The key of a rule of all paths below one: no path has it. */
function wildcardKey(prefix: string): Buffer {
  return hashPlainPath(`${prefix}/#*`);
}

/** Whether a rule holds for more than one path. */
export function isBelow({ prefix, patternStart }: Pick<RuleInput, 'prefix' | 'patternStart'>): boolean {
  return prefix !== null || patternStart !== null;
}

/** What a rule says, as lists have it. */
export function meaningOf(rule: RuleInput): RuleMeaning {
  const { path, prefix, patternStart, action, target, host, code, passQuery, validFrom, validUntil } = rule;
  return {
    kind: patternStart !== null || prefix?.includes('#') === true ? 'pattern' : prefix === null ? 'exact' : 'prefix',
    path,
    action,
    target,
    host,
    code,
    pass_query: passQuery,
    valid_from: validFrom,
    valid_until: validUntil,
  };
}
