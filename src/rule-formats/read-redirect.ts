import { invalid } from '../base/errors.js';
import type { RuleAction } from '../base/glossary.js';
import { parsePageUrl, type PageUrl } from '../text/page-url.js';
import { barePath, isIndexFile } from '../text/paths/path-segments.js';
import { pathParts } from './path-pattern.js';
import { isNumber, joinSegments, maskNumbers, plainPath } from '../text/paths/plain-path.js';
import { NUMBER, SKIP_REASONS, type LocatedRule, type RuleTerms } from './read/read-rule.js';
import { encodeTarget, hostIn, parseSource } from './read/source-address.js';

/** A target tells where a rule leads: to the path of a page, or to a full url, with the text as it was written. */
export type Target = (PageUrl & { written: string }) | { path: string };

interface ParsedSource {
  /** The path as it is written, without a host. */
  path: string;
  action: RuleAction;
  terms?: RuleTerms;
}

/** A rule for all paths that match a pattern, perhaps with a query string. */
export interface ParsedPattern extends ParsedSource {
  kind: 'pattern';
  /** The target of a redirect, with placeholders of the pattern; null for other actions. */
  to: string | null;
}

/**
 * A rule by which a customer states that old paths went elsewhere, are gone (410), or are not worth a redirect. The
 * path of a wildcard ends with a slash; `target` is null if the action is no redirect. `keepsRest`: whether the old
 * paths went below the target, and not to one page.
 */
export type ParsedRule =
  | (ParsedSource & { kind: 'exact'; target: Target | null })
  | (ParsedSource & { kind: 'wildcard'; target: Target | null; keepsRest: boolean })
  | ParsedPattern;

/**
 * Turns a rule of a file into a rule for old paths, or into the reason why it is refused. Undefined for a comment, and
 * for a row that people have still to review.
 */
export function readRedirect(rule: LocatedRule): ParsedRule | { refused: string } | undefined {
  if ('from' in rule && /^https?:/i.test(rule.from) && hostIn(rule.from) === undefined)
    return { refused: `${rule.from} is no http(s) url without credentials, and no path` };
  if ((rule.kind === 'redirect' || rule.kind === 'gone' || rule.kind === 'bare') && !hasName(rule.from))
    return { refused: `${rule.from} has no letter and no digit, and is not that of the home page` };
  switch (rule.kind) {
    case 'nothing':
    case 'undecided':
      return undefined;
    case 'refused':
      return { refused: rule.reason };
    case 'skipped':
      return { refused: `${SKIP_REASONS[rule.reason]} (${rule.text})` };
    case 'gone':
      return { kind: 'exact', action: 'gone', target: null, ...pathOf(rule) };
    case 'bare': {
      const terms = { action: rule.action, target: null, ...pathOf(rule) };
      return rule.below ? { kind: 'wildcard', keepsRest: false, ...terms } : { kind: 'exact', ...terms };
    }
    case 'pattern':
      return { kind: 'pattern', action: rule.action, to: rule.to ?? null, ...pathOf(rule) };
    case 'wildcard':
    case 'redirect': {
      const target = readTarget(rule.to);
      if (!target) return { refused: `${rule.to} is no http(s) url without credentials, and no path` };
      const redirect = { action: 'redirect' as const, target, ...pathOf(rule) };
      return rule.kind === 'wildcard'
        ? { kind: 'wildcard', keepsRest: rule.keepsRest, ...redirect }
        : { kind: 'exact', ...redirect };
    }
  }
}

/** Tells whether an address has letters or digits that tell it from others, or is the home page: `/---` is neither. */
export function hasName(address: string): boolean {
  return pathParts(address).every((part) => part === '' || isIndexFile(part)) || plainPath(address).segments.length > 0;
}

/** Splits an address as it was written into its path and the host that the rule is for. */
function pathOf({ from, terms }: { from: string; terms?: RuleTerms }): Pick<ParsedSource, 'path' | 'terms'> {
  const path = /[*:]/.test(from.replace(/^https?:/i, ''))
    ? from.replace(/^https?:\/\/[^/?#]*/i, '') || '/'
    : (parsePageUrl(from)?.path ?? from);
  const host = terms?.host ?? hostIn(from);
  return terms === undefined && host === undefined
    ? { path }
    : { path, terms: { ...terms, ...(host === undefined ? {} : { host }) } };
}

/**
 * Reads a target as it was written; undefined if it is not an address. Browsers read `//host/path` as an address of
 * another host, and servers would take it for a path: of the two schemes that it leaves open, it gets the safe one.
 */
export function readTarget(text: string): Target | undefined {
  const written = /^\/\/[^/]/.test(text) ? `https:${text}` : text;
  const url = parsePageUrl(written);
  if (url) return { ...url, written };
  return text.startsWith('/') && written === text ? { path: text } : undefined;
}

/**
 * Returns the plain beginning of the paths that a wildcard is for; `#` stands for any number. If one segment is any
 * number, all segments that are numbers must be: paths are looked up with all of their numbers or none.
 * @throws ApiError that names `path`
 */
export function wildcardPrefix(oldPath: string): string {
  const parts = oldPath.split('/');
  if (!parts.includes(NUMBER)) return plainPrefix(oldPath);
  if (parts.some(isNumber))
    throw invalid('path', `beside ${NUMBER}, every segment that is a number must be ${NUMBER}, too.`);
  return maskNumbers(plainPath(parts.map((part) => (part === NUMBER ? '0' : part)).join('/')).segments);
}

export function plainPrefix(path: string): string {
  return joinSegments(plainPath(path).segments);
}

/** Returns the rest of a path below a prefix, as browsers send it. */
export function restBelow(path: string, prefix: string): string {
  const sentPath = parseSource(`/${barePath(path)}`)?.path ?? '';
  const segments = sentPath.split('/').filter((segment) => segment !== '');
  const rest = segments.slice(prefix.split('/').length - 1);
  return rest.join('/') + (rest.length > 0 && sentPath.endsWith('/') ? '/' : '');
}

/** The query string and section of a target, as they are sent, with their `?` and `#`; '' if the target has none. */
export interface TargetParts {
  query: string;
  section: string;
}

export function partsOfTarget(target: string): TargetParts {
  const [, query = '', section = ''] = /^[^?#]*(\?[^#]*)?(#.*)?$/s.exec(target) ?? [];
  return { query: encodeTarget(query), section: encodeTarget(section) };
}

/** Adds the query string and section of a target to the url of its page, whose own query string gives way. */
export function atTarget(url: string, { query, section }: TargetParts): string {
  return (query === '' ? url : (url.split('?', 1)[0] ?? '') + query) + section;
}
