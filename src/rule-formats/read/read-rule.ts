import { invalid } from '../../base/errors.js';
import type { RuleAction } from '../../base/glossary.js';

export { NUMBER } from '../path-pattern.js';

/** These are the HTTP status codes with which a rule may answer: of redirects, and of paths that are gone. */
export const REDIRECT_CODES = [301, 302, 303, 307, 308] as const;
export const GONE_CODES = [410, 451] as const;
export type RuleCode = (typeof REDIRECT_CODES)[number] | (typeof GONE_CODES)[number];

/** The terms of a rule: when it holds, and how it is answered. An absent field was not given. */
export interface RuleTerms {
  /** The host that the rule is for, in lower case, with its port if it has one. Absent: any host, or that of `from`. */
  host?: string;
  /** The status code of the answer: 301 by default, 410 if the path is gone. */
  code?: RuleCode;
  /** Whether the query string of the request is passed on to the target. */
  passQuery?: true;
  /** The rule holds from this moment on, and up to the moment `validUntil`; both are in ISO 8601. */
  validFrom?: string;
  validUntil?: string;
}

/** A rule of a redirect file. `from` may have a query string, whose parameters a request must have, in any order. */
export type Rule =
  /** `row`: the rule as a JSON object, if the file has it so. */
  | { kind: 'redirect'; from: string; to: string; row?: Record<string, unknown>; terms?: RuleTerms }
  /**
   * All paths below `from`, which ends with a slash, lead to `to`: with `keepsRest` to the same rest below it, and it
   * ends with a slash, too; else all to one page.
   */
  | { kind: 'wildcard'; from: string; to: string; keepsRest: boolean; terms?: RuleTerms }
  /** A pattern (path-pattern.ts) is neither for one path nor a wildcard. Redirects alone have `to`. */
  | { kind: 'pattern'; action: RuleAction; from: string; to?: string; terms?: RuleTerms }
  /** The path is gone for good: nothing took its place. */
  | { kind: 'gone'; from: string; terms?: RuleTerms }
  /** An ignored path; or with `below`, all gone or ignored paths below `from`, which ends with a slash. */
  | { kind: 'bare'; action: BareAction; from: string; below: boolean; terms?: RuleTerms }
  | { kind: 'skipped'; reason: SkipReason; text: string }
  /** A row of `redirects map` that people have still to review. */
  | { kind: 'undecided' }
  /** A comment, a blank line, a brace. `unread`: columns of its file that are not read. */
  | { kind: 'nothing'; unread?: readonly string[] };

export type BareAction = Exclude<RuleAction, 'redirect'>;

/** A rule or the reason why it is refused, and the line where it begins. */
export type LocatedRule = { line: number } & (Rule | { kind: 'refused'; reason: string });

/**
 * Reads one rule of a line alone, since another rule of the line may be wrong. A rule for several hosts gives one for
 * each.
 */
export type ReadRule = () => Rule | readonly Rule[];

/** Makes a rule that cannot be read: it throws an ApiError with this message. */
export function refused(message: string): ReadRule {
  return () => {
    throw invalid(undefined, message);
  };
}

/** A rule of a file, which can be read, with its line. */
export interface ReaderRule {
  line: number;
  rule: ReadRule;
}

/** Reads the lines of a file. */
export interface RuleReader {
  /** Returns the rules that end with this line. */
  push: (text: string, line: number) => ReaderRule[];
  /** To call after the last line. Returns the rules that are not known before. */
  end: () => ReaderRule[];
  /** Whether some rules are those of a web server, and not of a host. It is known after the last line. */
  readonly isOfServer: boolean;
}

/** The limit of dead paths in suggest and in events. */
export const MAX_PATH = 2_048;
export const MAX_URL = 4_096;

/** Rules that are understood but redirect no single path to a page. */
export const SKIP_REASONS = {
  pattern: 'a pattern: more than a rule can say',
  notRedirect: 'not a redirect: a rewrite, a proxy rule or an error page',
  conditional: 'holds for some visitors only',
  noTarget: 'without a new address in a field such as expected, to or target',
  date: 'has a date that is not understood: write it as 2024-01-31, or as 2024-01-31T10:00:00Z',
  switchedOff: 'switched off where it comes from',
  unknown: 'says something of the redirect that is not known here',
} as const;
export type SkipReason = keyof typeof SKIP_REASONS;

export const NOTHING: Rule = { kind: 'nothing' };

/** Terms of which some may be missing. */
export type GivenTerms = { [Name in keyof RuleTerms]?: RuleTerms[Name] | false | undefined };

/** Adds terms to a rule. The default codes are left out: 301 of a redirect, and 410 of a path that is gone. */
export function withTerms(rule: Rule, { code, ...otherTerms }: GivenTerms): Rule {
  if (!('from' in rule)) return rule;
  const isGone = rule.kind === 'gone' || ('action' in rule && rule.action === 'gone');
  const isIgnored = 'action' in rule && rule.action === 'ignore';
  const fits = isGone ? code === 451 : code && !isIgnored && code !== 301 && code < 400;
  const terms = onlyGiven({ ...otherTerms, code: fits && code });
  return Object.keys(terms).length === 0 ? rule : { ...rule, terms: { ...rule.terms, ...terms } };
}

/** Leaves out the fields that are missing, empty or false. */
export function onlyGiven<Fields extends object>(fields: Fields) {
  const present = Object.entries(fields).filter(([, value]) => value);
  return Object.fromEntries(present) as {
    [Name in keyof Fields]?: Exclude<Fields[Name], null | false | undefined | ''>;
  };
}

const WORDS: readonly [words: string, code: RuleCode][] = [
  ['permanent permanently movedpermanently perm', 301],
  ['temporary temporarily temp found movedtemporarily', 302],
  ['seeother', 303],
  ['gone', 410],
];

/** Reads a status code, as a number or in words; undefined if a rule cannot answer with it. */
export function codeOf(text: string): RuleCode | undefined {
  const word = WORDS.find(([words]) => words.split(' ').includes(text.toLowerCase()));
  return word?.[1] ?? [...REDIRECT_CODES, ...GONE_CODES].find((code) => String(code) === text);
}

export function skipPattern(from: string, to: string, why?: string): Rule {
  return { kind: 'skipped', reason: 'pattern', text: `${from} ${to}${why === undefined ? '' : `: ${why}`}` };
}

/** Skips a rule that stands under a condition which would not be stored with it. */
export function skipConditional(text: string): Rule {
  return { kind: 'skipped', reason: 'conditional', text };
}

export function isAddress(text: string): boolean {
  return text.startsWith('/') || /^https?:\/\//i.test(text);
}
