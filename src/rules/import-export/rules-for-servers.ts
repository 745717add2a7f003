import type { Db } from '../../platform/database/db.js';
import { OperatorError } from '../../base/errors.js';
import { collapseWildcards } from '../../rule-formats/chained-wildcards.js';
import {
  lintRedirects,
  lookUpEndsOfWildcards,
  type KnownRedirect,
  type RulesBehind,
} from '../../rule-formats/lint-redirects.js';
import { parsePathPattern } from '../../rule-formats/path-pattern.js';
import { NUMBER, type RuleTerms } from '../../rule-formats/read/read-rule.js';
import { encodeTarget, formatSource, parseSource, type SourceAddress } from '../../rule-formats/read/source-address.js';
import { isRedirect, type AnyRule, type ExportGone } from '../../rule-formats/write/written-rule.js';
import { parsePageUrl } from '../../text/page-url.js';
import { comparedQuery } from '../../text/paths/plain-path.js';
import { formOf, termsOf } from '../rule-meaning.js';
import { findIndexedUrls, readHosts } from '../store/page-urls.js';
import { eachRule, type BareRule } from '../store/rules.js';

/** The maximum number of redirects of single paths: all are held in memory, and no server takes so many rules. */
const MAX_REDIRECTS = 100_000;
const BATCH_ROWS = 5_000;

/** A project's rules, in the groups in which `compileRules` takes them. */
export interface StoredRules extends RulesBehind {
  /** Redirects of single paths. */
  known: KnownRedirect[];
  below: AnyRule[];
  gone: ExportGone[];
  /** Paths that are not worth a redirect: no server has a rule for them. */
  ignored: ExportGone[];
  pages: Map<string, string>;
}

/** @throws OperatorError if there are too many redirects of single paths */
export async function readRedirects(db: Db, projectId: string): Promise<StoredRules> {
  const rules: BareRule[] = [];
  let redirects = 0;
  for await (const rule of eachRule(db, projectId)) {
    rules.push(rule);
    if (rule.kind === 'exact' && rule.action === 'redirect') redirects++;
    if (redirects > MAX_REDIRECTS)
      throw new OperatorError(`The project has more than ${MAX_REDIRECTS} redirects: no server takes so many rules.`);
  }
  const stored = noRules();
  for (const rule of rules.sort((a, b) => (a.path < b.path ? -1 : 1))) addRule(stored, rule);
  await findEnds(db, projectId, stored);
  return stored;
}

export function noRules(): StoredRules {
  return { known: [], below: [], gone: [], ignored: [], pages: new Map() };
}

export function addRule(stored: StoredRules, rule: BareRule): void {
  // A server compares paths letter by letter: each spelling gets a rule of its own.
  const star = rule.kind === 'exact' ? '' : '*';
  for (const path of [rule.path, ...rule.spellings.map((spelling) => spelling + star)])
    addSpelling(stored, { ...rule, path });
}

function addSpelling(stored: StoredRules, rule: BareRule): void {
  const { kind, action, path, target, active } = rule;
  const terms = termsOf(rule);
  if (formOf(kind, path, target) === 'pattern') addPattern(stored, rule, terms);
  else if (kind === 'exact' && target !== null)
    stored.known.push({ path, url: target, active, ...(Object.keys(terms).length > 0 && { terms }) });
  else {
    const source = kind === 'exact' ? parseSource(path) : parsePrefix(path);
    if (!source) return;
    const bare: ExportGone = { ...source, ...terms, ...(kind === 'exact' ? {} : { rest: 'dropped' }) };
    if (target !== null) stored.below.push({ ...bare, ...parseTarget(target) });
    else if (action === 'ignore') stored.ignored.push({ ...bare, ignored: true });
    else stored[kind === 'exact' ? 'gone' : 'below'].push(bare);
  }
}

function addPattern(stored: StoredRules, { action, path, target }: BareRule, terms: RuleTerms): void {
  const [written = '', parameters = ''] = path.split('?', 2);
  const pattern = parsePathPattern(written);
  if ('refused' in pattern) return;
  const rule = { path: written, query: comparedQuery(parameters), pattern, ...terms };
  if (target !== null) stored.below.push({ ...rule, to: target });
  else if (action === 'ignore') stored.ignored.push({ ...rule, ignored: true });
  else stored.below.push(rule);
}

/** Looks up the pages to which redirects lead over wildcards, and which of these lead to other hosts. */
export async function findEnds(db: Db, projectId: string, stored: StoredRules): Promise<void> {
  const hosts = await readHosts(db, projectId);
  for (const rule of stored.below.filter(isRedirect)) {
    const host = parsePageUrl(rule.to)?.host;
    if (host !== undefined && !hosts.has(host)) rule.isAway = true;
  }
  await lookUpEndsOfWildcards(stored.known, stored, async (keys) => {
    for (let at = 0; at < keys.length; at += BATCH_ROWS)
      for (const { key, url } of await findIndexedUrls(db, projectId, keys.slice(at, at + BATCH_ROWS)))
        stored.pages.set(key, url);
  });
}

function parseTarget(url: string): { to: string; rest: 'kept' | 'dropped' } {
  const keepsRest = url.endsWith('/:splat');
  const to = encodeTarget(keepsRest ? url.slice(0, -':splat'.length) : url);
  return { to, rest: keepsRest ? 'kept' : 'dropped' };
}

function parsePrefix(path: string): SourceAddress | undefined {
  const source = parseSource(path.slice(0, -1));
  return source && { path: source.path.replace(/(?<=\/)%3Anumber(?=\/|$)/g, NUMBER), query: '' };
}

/**
 * Makes each redirect lead directly to its end, as exports do, instead of to a path with another rule. Rules without an
 * end stay as they are.
 */
export async function followToEnds(rules: StoredRules): Promise<StoredRules> {
  const { checked, lookup } = await lintRedirects(rules.known, rules);
  const ends = new Map(checked.map((redirect) => [formatSource(redirect), redirect]));
  const known: KnownRedirect[] = [];
  const gone = [...rules.gone];
  for (const redirect of rules.known) {
    const source = parseSource(redirect.path);
    const end = source && ends.get(formatSource(source));
    if (end?.isGone) gone.push({ path: end.path, query: end.query });
    else known.push(redirect.active || !end || end.isDead ? redirect : { ...redirect, url: end.to });
  }
  const below = new Map(rules.below.map((rule) => [rule.path, rule]));
  const obeyed = checked.filter(({ isDead, isGone }) => !isDead || isGone);
  await collapseWildcards(below, lookup, [...obeyed, ...rules.gone]);
  return { ...rules, known, gone, below: [...below.values()] };
}
