import type { RuleAction, RuleKind } from '../base/glossary.js';
import { invalid } from '../base/errors.js';
import { folderKey, hashPlainPath, pathKey, plainPath } from '../text/paths/plain-path.js';
import { plainPrefix, wildcardPrefix, readTarget, type Says, type Target } from '../rule-formats/read-redirect.js';
import { parsePageUrl } from '../text/page-url.js';
import { formatSource, parseSource } from '../rule-formats/read/source-address.js';

export interface RuleInput {
  /** As rules.rule_key. */
  key: Buffer;
  /** As it was written, without a host; of all below a path as `/old/*`. */
  path: string;
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
  targetPath: string | null;
  /** The host, and the hash of the normalized url; null for a path. */
  targetHost: string | null;
  targetHash: Buffer | null;
  /** Plain; null if all lead to one page. */
  newPrefix: string | null;
}

/** In UTF-8: the limit of the database's key. */
const MAX_PREFIX_BYTES = 1_000;

const SPLAT = ':splat';

/**
 * A rule as it is stored.
 * @param spellings in what other ways the old path was listed
 * @throws ApiError that names `path`
 */
export function toRule(says: Says, spellings: readonly string[] = []): RuleInput {
  if ('gonePath' in says) return { ...exactRule('gone', says.gonePath), spellings };
  if ('barePath' in says) return { ...(says.below ? bareWildcard : exactRule)(says.action, says.barePath), spellings };
  const { oldPath, target } = says;
  if (!('keepsRest' in says))
    return { ...exactRule('redirect', oldPath), spellings, target: writtenOf(target), ...onePage(target) };
  const { keepsRest } = says;
  return {
    ...bareWildcard('redirect', oldPath),
    spellings,
    target: writtenOf(target) + (keepsRest ? SPLAT : ''),
    ...(keepsRest ? { targetHost: hostOf(target), newPrefix: plainPrefix(target.path) } : onePage(target)),
  };
}

/**
 * The same of a rule as it is listed.
 * @throws ApiError that names `path`
 */
export function ruleOf(listed: {
  path: string;
  kind: RuleKind;
  action: RuleAction;
  target: string | null;
  spellings?: readonly string[] | undefined;
}): RuleInput {
  const { path, kind, action, target, spellings } = listed;
  const below = kind !== 'exact';
  const oldPath = below ? path.slice(0, -1) : path;
  if (target === null || action !== 'redirect')
    return toRule({ barePath: oldPath, action: action === 'gone' ? 'gone' : 'ignore', below }, spellings);
  if (!below) return toRule({ oldPath, target: readTarget(target) ?? { path: target } }, spellings);
  const keepsRest = target.endsWith(SPLAT);
  const bare = keepsRest ? target.slice(0, -SPLAT.length) : target;
  return toRule({ oldPath, target: readTarget(bare) ?? { path: bare }, keepsRest }, spellings);
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
export function bareWildcard(action: RuleAction, oldPath: string): RuleInput & { prefix: string } {
  const prefix = wildcardPrefix(oldPath);
  if (prefix === '') throw invalid('path', 'a wildcard for every path says nothing about any.');
  if (Buffer.byteLength(prefix) > MAX_PREFIX_BYTES)
    throw invalid('path', `what stands before the star must have at most ${MAX_PREFIX_BYTES} bytes.`);
  return { ...NOWHERE, key: wildcardKey(prefix), path: `${oldPath}*`, action, prefix };
}

const NOWHERE = {
  spellings: [],
  prefix: null,
  folder: null,
  target: null,
  targetKey: null,
  targetPath: null,
  targetHost: null,
  targetHash: null,
  newPrefix: null,
};

function onePage(target: Target): Pick<RuleInput, 'targetKey' | 'targetPath' | 'targetHost' | 'targetHash'> {
  return {
    targetKey: pathKey(target.path),
    targetPath: target.path,
    targetHost: hostOf(target),
    targetHash: 'href' in target ? target.hash : null,
  };
}

const writtenOf = (target: Target): string => ('href' in target ? target.written : target.path);
const hostOf = (target: Target): string | null => ('href' in target ? target.host : null);

/** The key of a rule of all paths below one: no path has it. */
export function wildcardKey(prefix: string): Buffer {
  return hashPlainPath(`${prefix}/#*`);
}

interface Meaning {
  kind: RuleKind;
  action: RuleAction;
  target: string | null;
}

/** Whether two rules of one scope say the same; null: there is none. */
export function rulesEqual(a: Meaning | null, b: Meaning | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.action !== b.action) return false;
  if (a.target === null || b.target === null) return a.target === b.target;
  const [one, other] = [targetOf(a.kind, a.target), targetOf(b.kind, b.target)];
  // A redirect that was written with a path alone is listed with its page's whole url as soon as the page is there.
  return one.key === other.key && (one.host === other.host || one.host === null || other.host === null);
}

function targetOf(kind: RuleKind, target: string): { key: string; host: string | null } {
  const keepsRest = kind !== 'exact' && target.endsWith(':splat');
  const bare = keepsRest ? target.slice(0, -':splat'.length) : target;
  const url = parsePageUrl(bare);
  return { key: `${pathKey(url?.path ?? bare).toString('hex')} ${keepsRest}`, host: url?.host ?? null };
}

/** Of one rule; more are spellings of scanners. */
export const MAX_SPELLINGS = 100;

/**
 * In what other ways than `path` an old path was listed: those that are known, and those given that browsers ask for in
 * another way. An address without its slash at the end is none where the one with it is known: exports add it.
 */
export function addSpellings(path: string, known: readonly string[], given: readonly string[]): string[] {
  const addresses = new Set([path, ...known].map(addressOf));
  const spellings = [...known];
  for (const one of given) {
    const address = addressOf(one);
    if (addresses.has(address) || addresses.has(`${address}/`) || spellings.length >= MAX_SPELLINGS) continue;
    addresses.add(address);
    spellings.push(one);
  }
  return spellings;
}

function addressOf(path: string): string {
  const source = parseSource(path);
  return source ? formatSource(source) : path;
}
