import { eachRule, type BareRule } from '../store/rules.js';
import { readHosts, findIndexedUrls } from '../store/page-urls.js';
import type { Db } from '../../platform/database/db.js';
import { OperatorError } from '../../base/errors.js';
import { parsePathPattern } from '../../rule-formats/path-pattern.js';
import { NUMBER, type RuleTerms } from '../../rule-formats/read/read-rule.js';
import { comparedQuery } from '../../text/paths/plain-path.js';
import { isWildcard } from '../rule-keys.js';
import { termsOf } from '../rule-meaning.js';
import { parsePageUrl } from '../../text/page-url.js';
import { encodeTarget, parseSource, type SourceAddress } from '../../rule-formats/read/source-address.js';
import { eachEndOfWildcards, type KnownRedirect, type RulesBehind } from '../../rule-formats/lint-redirects.js';
import type { ExportGone, ExportRule } from '../../rule-formats/write/written-rule.js';

/** A compiler holds them all. Longer lists are no rules of a server. */
const MAX_REDIRECTS = 100_000;
const BATCH_ROWS = 5_000;

/** A project's rules as a compiler takes them. */
export interface KnownRedirects {
  known: KnownRedirect[];
  wildcards: ExportRule[];
  /** Redirects in which a segment may be any number. */
  patterns: ExportRule[];
  gone: ExportGone[];
  goneBelow: ExportGone[];
  /** Not worth a redirect: no server has a rule for them. */
  ignored: ExportGone[];
  /** Pages to which redirects lead over wildcards, by path key in hexadecimal. */
  ends: { key: string; url: string }[];
}

/** @throws OperatorError if there are too many */
export async function readRedirects(db: Db, projectId: string): Promise<KnownRedirects> {
  const rules: BareRule[] = [];
  let redirects = 0;
  for await (const rule of eachRule(db, projectId)) {
    rules.push(rule);
    if (rule.kind === 'exact' && rule.action === 'redirect') redirects++;
    if (redirects > MAX_REDIRECTS)
      throw new OperatorError(`The project has more than ${MAX_REDIRECTS} redirects: no server takes so many rules.`);
  }
  const found = noRedirects();
  for (const rule of rules.sort((a, b) => (a.path < b.path ? -1 : 1))) addRule(found, rule);
  await findEnds(db, projectId, found);
  return found;
}

export function noRedirects(): KnownRedirects {
  return { known: [], wildcards: [], patterns: [], gone: [], goneBelow: [], ignored: [], ends: [] };
}

export function addRule(found: KnownRedirects, rule: BareRule): void {
  // A server compares letter by letter.
  const star = rule.kind === 'exact' ? '' : '*';
  for (const path of [rule.path, ...rule.spellings.map((one) => one + star)]) addSpelling(found, { ...rule, path });
}

function addSpelling(found: KnownRedirects, rule: BareRule): void {
  const { kind, action, path, target, active } = rule;
  const terms = termsOf(rule);
  if (kind === 'pattern' && !isWildcard(path, target)) addPattern(found, rule, terms);
  else if (kind === 'exact' && target !== null)
    found.known.push({ path, url: target, active, ...(Object.keys(terms).length > 0 && { terms }) });
  else if (target !== null)
    found[kind === 'prefix' ? 'wildcards' : 'patterns'].push(
      ...toWildcard(path, target).map((one) => ({ ...one, ...terms })),
    );
  else {
    const source = kind === 'exact' ? parseSource(path) : parsePrefix(path);
    if (!source) return;
    const bare: ExportGone = { ...source, ...terms, ...(kind === 'exact' ? {} : { rest: 'dropped' }) };
    if (action === 'ignore') found.ignored.push({ ...bare, ignored: true });
    else found[kind === 'exact' ? 'gone' : 'goneBelow'].push(bare);
  }
}

function addPattern(found: KnownRedirects, { action, path, target }: BareRule, terms: RuleTerms): void {
  const [written = '', parameters = ''] = path.split('?', 2);
  const pattern = parsePathPattern(written);
  if ('refused' in pattern) return;
  const rule = { path: written, query: comparedQuery(parameters), pattern, ...terms };
  if (target !== null) found.patterns.push({ ...rule, to: target });
  else if (action === 'ignore') found.ignored.push({ ...rule, ignored: true });
  else found.goneBelow.push(rule);
}

/** Looks up the pages to which redirects lead over wildcards, and which of these lead to other hosts. */
export async function findEnds(db: Db, projectId: string, found: KnownRedirects): Promise<void> {
  const hosts = await readHosts(db, projectId);
  for (const rule of [...found.wildcards, ...found.patterns]) {
    const host = parsePageUrl(rule.to)?.host;
    if (host !== undefined && !hosts.has(host)) rule.isAway = true;
  }
  await eachEndOfWildcards(found.known, rulesBehind(found), async (keys) => {
    const pages: { key: string; url: string }[] = [];
    for (let at = 0; at < keys.length; at += BATCH_ROWS)
      pages.push(...(await findIndexedUrls(db, projectId, keys.slice(at, at + BATCH_ROWS))));
    found.ends.push(...pages);
    return pages;
  });
}

/** What the redirects among these rules may lead to beside a page. */
export function rulesBehind({ wildcards, patterns, gone, goneBelow, ends }: KnownRedirects): RulesBehind {
  const pages = new Map(ends.map(({ key, url }) => [key, url]));
  return { below: [...wildcards, ...patterns, ...goneBelow], gone, pages };
}

function toWildcard(path: string, url: string): ExportRule[] {
  const source = parsePrefix(path);
  const keepsRest = url.endsWith(':splat');
  const to = encodeTarget(keepsRest ? url.slice(0, -':splat'.length) : url);
  return source ? [{ ...source, to, rest: keepsRest ? 'kept' : 'dropped' }] : [];
}

/** Parses a wildcard as it is written: `/old/*` */
function parsePrefix(path: string): SourceAddress | undefined {
  const source = parseSource(path.slice(0, -1));
  if (!source) return undefined;
  const encoded = NUMBER.replace(':', '%3A');
  const segments = source.path.split('/').map((segment) => (segment === encoded ? NUMBER : segment));
  return { path: segments.join('/'), query: '' };
}
