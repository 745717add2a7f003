import { parsePageUrl, type PageUrl } from '../text/page-url.js';
import { SKIP_REASONS, type LocatedRule } from './read/read-rule.js';

/** A customer's word that an old path became a page. */
export interface Redirect {
  oldPath: string;
  /** A full url, or the path of one. */
  target: PageUrl | { path: string };
}

/** A customer's word that all paths below an old one went below a new one, or to one page. */
export interface Wildcard {
  /** Ends with a slash. */
  oldPath: string;
  target: PageUrl | { path: string };
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
      return {
        oldPath: parsePageUrl(rule.from)?.path ?? rule.from,
        target: parsePageUrl(rule.to) ?? { path: rule.to },
        keepsRest: rule.keepsRest,
      };
    case 'redirect':
      return {
        oldPath: parsePageUrl(rule.from)?.path ?? rule.from,
        target: parsePageUrl(rule.to) ?? { path: rule.to },
      };
  }
}
