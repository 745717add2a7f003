/**
 * The words of the code. docs/glossary.md has the words of the product, which the code uses in the same sense. Here are
 * the words that only the code needs, and what the code adds to the others.
 *
 * Stored data:
 * - **project**: the tenant; each of its rows has `project_id`.
 * - **page**: one for each normalized url of a project.
 * - **beginning**: the first 30 words of a page, which have their own vector.
 * - **term**: a word without ending and accents, or a pair of characters in scripts without spaces, stored as a number.
 * - **code**: a word with digits and separators, such as an error code or a version.
 * - **vector**: the embedding of a chunk or a query, of length one, so that the dot product is the cosine.
 * - **index**: the vectors, terms, paths and vocabulary of a project, which searches read.
 * - **index segment**: a part of a large project's own indexes, for one range of arrival.
 * - **unindexed tail**: the pages that arrived after the last segment; searches scan them.
 * - **index version**: grows with each change of a project's index; caches have it in their keys.
 * - **key**: an API key, live or test, stored only as its SHA-256.
 * - **bucket**: a project's token bucket, one for reads and one for writes.
 * - **rollup**: a table of sums, by day or path. To **rebuild** is to compute sums again from the rows.
 * - **link**: connects a search to its click, and a 404 to the outcome of its search.
 *
 * Paths:
 * - **segment**: a part of a path between two slashes.
 * - **plain path**: the segments of a path, decoded and in lower case, without endings, index files and query string.
 * - **slug**: the words of a path's last segment.
 * - **probe**: a request that only scanners and robots make.
 * - **support**: the redirects that confirm a section redirect. **Contradictions**: the redirects that it gets wrong.
 *
 * Searches:
 * - **search space**: the pages that a search may answer with, after filters and exclusions, and its model.
 * - **edit distance**: the number of letters that differ between two words (Damerau and Levenshtein).
 * - **share**: a candidate's part of the probability; the shares of all candidates and of "none of them" sum to 1.
 * - **score**: a probability, never a raw cosine. For a question: that the page is among the three that are shown.
 * - **outcome** of a 404: `nothing`: no page reached the threshold; `robot`: a robot or scanner met it; `unlinked`: its
 *   search is unknown.
 *
 * Syncs:
 * - **refused**: an item of a source that cannot be stored, reported with its reason.
 * - **validators**: headers (ETag, Last-Modified) that a server sends with a page, to check later whether it changed.
 *
 * Operation:
 * - **in flight**: begun and not answered yet.
 * - **admission queue**: the requests that wait to begin.
 * - **client error**: an answer of 400 to 499: the caller must change something.
 * - **maintenance**: the jobs that run on a schedule.
 * - **backfill**: computes for old rows what new rows have from the start.
 * - **checkout**: a connection taken from the pool.
 * - **generic plan**: a query plan that PostgreSQL keeps for all parameters.
 * - **bootstrap**: prepares the database and the model before a process serves.
 * - **abort signal**: stops work whose caller has gone.
 *
 * Time: durations are milliseconds, in names that end in `Ms` (constants in `_MS`). Seconds, in SQL and headers, are in
 * the name too. Moments that are stored or shown come from a `Clock`'s `now()`; durations are measured by
 * `performance.now()`, which changes of the machine's clock do not affect.
 *
 * Limits: `max` and `min`, never "most", "longest" or "least".
 */

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

/** The outcome of a 404: glossary above. */
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
