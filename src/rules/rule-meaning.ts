import type { RuleAction, RuleKind } from '../base/glossary.js';
import {
  namesPlaceholder,
  parsePathPattern,
  withoutNames,
  ANY_NUMBER,
  namesParts,
  NUMBER,
} from '../rule-formats/path-pattern.js';
import { partsOfTarget, readTarget, type ParsedRule, type Target } from '../rule-formats/read-redirect.js';
import { onlyGiven, type RuleCode, type RuleTerms } from '../rule-formats/read/read-rule.js';
import { formatSource, parseSource } from '../rule-formats/read/source-address.js';
import { parsePageUrl } from '../text/page-url.js';
import { pathKey } from '../text/paths/plain-path.js';

/** The terms of a rule, which it has in addition to its path and target, in the form of lists. */
export interface ListedTerms {
  /** The host that it is for; null: any. */
  host: string | null;
  /** The status code; null: 301, or 410 for a path that is gone. */
  code: RuleCode | null;
  pass_query: boolean;
  /** The moments from which and up to which the rule holds, in ISO 8601; null: no limit. */
  valid_from: string | null;
  valid_until: string | null;
}

/** Returns the terms of a rule alone. */
export function listedTermsOf<Terms extends Partial<ListedTerms>>(rule: Terms): Pick<Terms, keyof ListedTerms> {
  const { host, code, pass_query, valid_from, valid_until } = rule;
  return { host, code, pass_query, valid_from, valid_until };
}

/** Converts terms from the form of lists into that of files. */
export function termsOf({ host, code, pass_query, valid_from, valid_until }: Partial<ListedTerms>): RuleTerms {
  return onlyGiven({ host, code, passQuery: pass_query, validFrom: valid_from, validUntil: valid_until });
}

/** Names the unusual terms of a rule in words: `302`, `until 2027-01-01T00:00:00Z`. */
export function termsInWords({ code, pass_query, valid_from, valid_until }: Partial<ListedTerms>): string[] {
  return [
    ...(code == null ? [] : [String(code)]),
    ...(pass_query === true ? ['with the query string'] : []),
    ...(valid_from == null ? [] : [`from ${valid_from}`]),
    ...(valid_until == null ? [] : [`until ${valid_until}`]),
  ];
}

/** The fields that decide whether two rules of one scope are the same. */
export interface RuleMeaning extends Partial<ListedTerms> {
  path: string;
  kind: RuleKind;
  action: RuleAction;
  target: string | null;
}

/** Whether two rules of one scope say the same; null: there is no rule. */
export function rulesEqual(a: RuleMeaning | null, b: RuleMeaning | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.action !== b.action || !termsEqual(a, b)) return false;
  if (a.target === null || b.target === null) return a.target === b.target;
  const [toA, toB] = [targetOf(a, a.target), targetOf(b, b.target)];
  // A redirect that was written with a path alone is listed with its page's whole url as soon as the page is there.
  return toA.key === toB.key && (toA.host === toB.host || toA.host === null || toB.host === null);
}

/** Whether the terms of two rules of one scope are the same; their hosts are. */
function termsEqual(a: RuleMeaning, b: RuleMeaning): boolean {
  const writeTerms = ({ action, code, pass_query, valid_from, valid_until }: RuleMeaning): string =>
    JSON.stringify([
      code ?? (action === 'gone' ? 410 : 301),
      pass_query ?? false,
      momentOf(valid_from),
      momentOf(valid_until),
    ]);
  return writeTerms(a) === writeTerms(b);
}

const momentOf = (text: string | null | undefined): number | null => (text == null ? null : Date.parse(text));

function targetOf({ kind, path }: RuleMeaning, written: string): { key: string; host: string | null } {
  const pattern = kind === 'pattern' ? parsePathPattern(path.split('?', 1)[0] ?? '') : undefined;
  const isNamed = pattern !== undefined && !('refused' in pattern);
  const target = isNamed ? withoutNames(pattern, written).target : written;
  const keepsRest = kind !== 'exact' && target.endsWith('/:splat');
  const bare = keepsRest ? target.slice(0, -':splat'.length) : target;
  const url = parsePageUrl(bare);
  const leadsTo = url?.path ?? bare;
  // All spellings of a page have one key. Query string, section and a target with placeholders count as they are
  // written.
  const page = isNamed && namesPlaceholder(written) ? leadsTo : pathKey(leadsTo).toString('hex');
  const { query, section } = partsOfTarget(bare);
  return {
    key: `${page} ${keepsRest} ${query}${section}`,
    host: url?.host ?? null,
  };
}

/** The maximum number of other spellings of one rule; more come from scanners. */
export const MAX_SPELLINGS = 100;

/**
 * Returns the other spellings of an old path: those that are known, and those of `candidates` that browsers request in
 * another way. An address without its slash at the end is left out if the same address with it is known: exports add
 * it.
 */
export function addSpellings(path: string, known: readonly string[], candidates: readonly string[]): string[] {
  const addresses = new Set([path, ...known].map(addressOf));
  const spellings = [...known];
  for (const spelling of candidates) {
    const address = addressOf(spelling);
    if (addresses.has(address) || addresses.has(`${address}/`) || spellings.length >= MAX_SPELLINGS) continue;
    addresses.add(address);
    spellings.push(spelling);
  }
  return spellings;
}

function addressOf(path: string): string {
  const source = parseSource(path);
  return source ? formatSource(source) : path;
}

/** Converts a listed rule into the form that rules of files have. It decides which paths the rule is for. */
export function parseRule({ path, kind, action, target, ...listed }: RuleMeaning): ParsedRule {
  const rule = { action, terms: termsOf(listed) };
  const to = action === 'redirect' ? target : null;
  const form = formOf(kind, path, to);
  if (form === 'pattern') return { kind: form, path, to, ...rule };
  if (form === 'exact') return { kind: form, path, target: to === null ? null : readAddress(to), ...rule };
  const keepsRest = to?.endsWith('/:splat') === true;
  const bare = keepsRest ? to.slice(0, -':splat'.length) : to;
  return { kind: form, path: path.slice(0, -1), target: bare === null ? null : readAddress(bare), keepsRest, ...rule };
}

const readAddress = (target: string): Target => readTarget(target) ?? { path: target };

/** Tells the kind that lists show for a rule with this path. */
export function kindOf(path: string): RuleKind {
  if (!namesPlaceholder(path.split('?', 1)[0] ?? '')) return 'exact';
  return isWildcard(path) && !path.split('/').includes(NUMBER) ? 'prefix' : 'pattern';
}

/**
 * Tells the form of a rule. Wildcards of numbers (`/blog/:number/*`) are wildcards here, though lists show them as
 * patterns. A rule is a pattern if no wildcard has such a path, or if its target takes more from the path than the rest
 * at its end: `/new/:splat/`, `/new/:splat?x=1`, `/new/:number`.
 */
export function formOf(kind: RuleKind, path: string, target: string | null): ParsedRule['kind'] {
  if (kind !== 'pattern') return kind === 'exact' ? kind : 'wildcard';
  return isWildcard(path) && (target === null || !namesParts(path, target)) ? 'wildcard' : kind;
}

/** Whether a path with a placeholder stands for all below one: `/old/*`, `/blog/:number/*`. */
export function isWildcard(path: string): boolean {
  const literal = path.slice(0, -1).replace(ANY_NUMBER, '');
  return path.endsWith('/*') && !literal.includes('?') && !namesPlaceholder(literal);
}
