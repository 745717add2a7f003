/** A JsonValue is anything that JSON can say. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

export type JsonObject = { [key: string]: JsonValue };

export type JsonScalar = string | number | boolean | null;

/** A page's state; see docs/reference/api.md's diagram for who moves it. */
export type PageStatus = 'PENDING_VECTORIZATION' | 'PROCESSING' | 'INDEXED' | 'ERROR';

export const PAGE_STATUSES: readonly PageStatus[] = ['PENDING_VECTORIZATION', 'PROCESSING', 'INDEXED', 'ERROR'];

/** Filters on metadata: every key must equal its scalar, or be an array that contains it. */
export type Filters = Record<string, JsonScalar>;

/** The words of a path that a visitor asked for, after sanitizing. */
export interface PathWords {
  /** All searchable words in reading order, lower case: `/Docs/getStarted.html` gives `docs get started`. */
  words: string[];
  /** The words of the last segment that has any: what the page itself was called. */
  slug: string[];
}

export type SearchKind = 'suggest' | 'semantic-search' | 'search' | 'proxy' | 'not-found';

/** A rule leads to a page, or a learned redirect speaks for it. */
export type LedBy = 'rule' | 'learned';

/** A visitor met a 404. `unknown`: no user agent was named. */
export type Visitor = 'person' | 'assistant' | 'search_engine' | 'scanner' | 'robot' | 'unknown';

/** The outcome of a 404: src/base/README.md. */
export type NotFoundOutcome = 'redirected' | 'clicked' | 'suggested' | 'nothing' | 'gone' | 'robot' | 'unlinked';

/** The paths that match a rule lead to a page, are gone for good, or need no redirect. */
export type RuleAction = 'redirect' | 'gone' | 'ignore';
export const RULE_ACTIONS: readonly RuleAction[] = ['redirect', 'gone', 'ignore'];

/** A rule for one path, for all below one, or for those that match a pattern, with numbers or placeholders in it. */
export type RuleKind = 'exact' | 'prefix' | 'pattern';
export const RULE_KINDS: readonly RuleKind[] = ['exact', 'prefix', 'pattern'];

/** Whether a site tells upper and lower case in paths apart, or a slash at their end. */
export type PathCounts = 'ignored' | 'matters';

/** A rule was made by an import, a sync, a person or a click. */
export type RuleOrigin = 'import' | 'sync' | 'person' | 'console' | 'learned';

export interface RuleProvenance {
  origin: RuleOrigin;
  /** The person, if one made it. */
  by: string | null;
  at: Date;
  /** The service was so sure that it learned the rule right; null or absent: it did not learn it. */
  confidence?: number | null | undefined;
}

export type KeyMode = 'live' | 'test';
export type Scope = 'read' | 'write' | 'rules';
export const SCOPES: readonly Scope[] = ['read', 'write', 'rules'];

export type Plan = 'hacker' | 'solo' | 'startup' | 'scale' | 'enterprise';

/** Rates in requests a second; bursts are the capacity of the bucket, in requests. */
export interface Rates {
  read_rate: number;
  read_burst: number;
  write_rate: number;
  write_burst: number;
}

/** These scores decide whether visitors of a project are redirected, and which pages they are shown. */
export interface Thresholds {
  /** Scores over this redirect. At 1 only known redirects do. */
  redirectAbove: number;
  /** The minimum score of what a 404 page shows. */
  shownFrom: number;
}
