import { invalid } from '../base/errors.js';
import { parsePageUrl, type PageUrl } from '../text/page-url.js';
import { barePath } from '../text/paths/path-segments.js';
import { isNumber, joinSegments, maskNumbers, plainPath } from '../text/paths/plain-path.js';
import { NUMBER, SKIP_REASONS, type LocatedRule } from './read/read-rule.js';
import { parseSource } from './read/source-address.js';

/** Where a rule leads: the path of a page, or a full url and how it was written. */
export type Target = (PageUrl & { written: string }) | { path: string };

/** A customer's word that an old path became a page. */
export interface Redirect {
  oldPath: string;
  target: Target;
}

/** A customer's word that all paths below an old one went below a new one, or to one page. */
export interface Wildcard {
  /** Ends with a slash. */
  oldPath: string;
  target: Target;
  keepsRest: boolean;
}

/** A customer's word that nothing took an old path's place. */
export interface Gone {
  gonePath: string;
}

/** A customer's word that a path is not worth a redirect; or that all below one are that, or gone. */
export interface Bare {
  /** With `below` it ends with a slash. */
  barePath: string;
  action: 'gone' | 'ignore';
  below: boolean;
}

export type Says = Redirect | Wildcard | Gone | Bare;

/** Turns a rule of a file into what it says of old paths, or into the reason why nothing; undefined for a comment. */
export function readRedirect(rule: LocatedRule): Says | { refused: string } | undefined {
  switch (rule.kind) {
    case 'nothing':
    case 'undecided':
      return undefined;
    case 'refused':
      return { refused: rule.reason };
    case 'skipped':
      return { refused: `${SKIP_REASONS[rule.reason]} (${rule.text})` };
    case 'gone':
      return { gonePath: parsePageUrl(rule.from)?.path ?? rule.from };
    case 'bare':
      return { barePath: parsePageUrl(rule.from)?.path ?? rule.from, action: rule.action, below: rule.below };
    case 'wildcard':
    case 'redirect': {
      const target = readTarget(rule.to);
      if (!target) return { refused: `${rule.to} is no http(s) url without credentials, and no path` };
      const oldPath = parsePageUrl(rule.from)?.path ?? rule.from;
      return rule.kind === 'wildcard' ? { oldPath, target, keepsRest: rule.keepsRest } : { oldPath, target };
    }
  }
}

/**
 * A target as it was written. `//host/path` is an address of another host, as browsers read it; of the two schemes that
 * it leaves open it gets the safe one, since servers would take it for a path. Undefined if it is no address.
 */
export function readTarget(text: string): Target | undefined {
  const written = /^\/\/[^/]/.test(text) ? `https:${text}` : text;
  const url = parsePageUrl(written);
  if (url) return { ...url, written };
  return text.startsWith('/') && written === text ? { path: text } : undefined;
}

/**
 * The plain beginning of the paths that a wildcard is for; `#` stands for any number. Where one number is any, all are:
 * paths are looked up with all of their numbers or none.
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

/** What of a path stands below a prefix, as browsers send it. */
export function restBelow(path: string, prefix: string): string {
  const asked = parseSource(`/${barePath(path)}`)?.path ?? '';
  const segments = asked.split('/').filter((segment) => segment !== '');
  const rest = segments.slice(prefix.split('/').length - 1);
  return rest.join('/') + (rest.length > 0 && asked.endsWith('/') ? '/' : '');
}
