/**
 * The words of this program, one word for one thing. Every folder uses them in this sense.
 *
 * What is kept:
 * - **project**: one customer's site and its index; the tenant. Every row that belongs to one carries `project_id`.
 * - **page**: what a customer pushed: url, title, content, metadata. One per normalized url and project.
 * - **passage**: a slice of a page's content that fits the model; the unit that has a vector.
 * - **beginning**: a page's first 30 words, which have a vector of their own beside the passages.
 * - **term**: a word without ending and accents, or a pair of characters of a script without spaces, as a number; what
 *   content is found by word for word. **Code**: a word with digits and separators: an error code, a version.
 * - **vector**: the embedding of a passage or of a query; unit length, so cosine is the dot product.
 * - **model**: a sentence-embedding model in ONNX form with its manifest. Vectors of two models never meet.
 * - **index**: passages, paths and vocabulary of a project's pages: what a search reads.
 * - **own indexes**: HNSW and inverted indexes of a large project, on copies in tables of its own; one **index
 *   segment** for each range of arrival. The **unindexed tail** is what arrived behind the last segment; it is scanned.
 * - **index version**: a number that grows with every change of a project's index; caches are keyed by it.
 * - **vocabulary**: the words of a project's indexed pages and paths, with the number of pages that hold each.
 * - **key**: an API key; live or test; carries scopes (read, write, rules). Only its SHA-256 is stored.
 * - **plan**: names the rates of a project. **bucket**: a project's token bucket, one for reads and one for writes.
 *
 * What a path says:
 * - **dead path**: the path of a 404, as the visitor's browser sent it. Its **segments** stand between slashes.
 * - **plain path**: a path's segments decoded, in lower case, without endings, index files and query string.
 * - **slug**: the words of a path's last segment.
 * - **probe**: a request that only a scanner or robot makes.
 * - **redirect**: the customer's word that an old path became a page.
 * - **wildcard**: a redirect of all paths below an old one.
 * - **move**: an old path and the page that it became, known from a redirect or from clicks.
 * - **section move**: an old and a new prefix of plain paths, learned from redirects: what was below the one is now
 *   below the other. **Support** are the redirects that show it, **contradictions** those that it would have got wrong.
 *
 * What a search does:
 * - **search**: one call of suggest, semantic-search, /v1/search, /v1/proxy or /v1/not-found; has a
 *   `search_id`. Retrieve has none.
 * - **candidate**: a page that some evidence speaks for, before ranking.
 * - **evidence**: a number between 0 and 1 that speaks for a candidate: of content, of path or of learned redirects.
 * - **edit distance**: how many letters differ between two words (Damerau and Levenshtein).
 * - **share**: a candidate's part of the certainty that one of them, or none, is right.
 * - **score**: the calibrated probability, 0 to 1, that a candidate is the page that was meant (of a question: that it
 *   is among the three that are shown); never a raw cosine.
 * - **suggestion**: a candidate as the caller sees it.
 * - **search space**: the pages that a search may answer with, after filters and exclusions, and the model that they
 *   are searched under.
 * - **event**: a click on a suggestion, or a 404 that a visitor met.
 * - **visitor**: who met a 404: a person; an assistant, which fetches for one; a search engine; a scanner, which looks
 *   for vulnerabilities; another robot; unknown, without a user agent.
 * - **outcome**: what happened after a 404: redirected, clicked, suggested (and none clicked), nothing (to show), gone,
 *   robot (of robots and scanners, whatever was answered), unlinked (to no search that is known).
 * - **rule**: what is set for a path, of all paths below one, or of those that match a **pattern** (`/p-:id.html`), on
 *   one host or on any: where it leads, that it is gone for good, or that it is ignored. Its **terms** are its code,
 *   host and dates, and whether it passes the query string on. A **proposal** is one that the service learned; a person
 *   confirms or rejects it.
 * - **rollup**: sums of 404s or searches, by day or path, which the analysts' views read. To **rebuild** makes them
 *   again from the rows. To **link** gives a search its click, and a 404 the outcome of its search.
 *
 * What a project is made equal to:
 * - **source**: what has a site's pages: rows of a file, a folder, an export, the site as it is served.
 * - **sync**: to make a project's pages equal to those of a source. What the source does not have is **gone**; to
 *   **prune** deletes it. What cannot be taken is **refused**, and reported.
 * - **validators**: what a server sends with a page, with which it can be asked whether the page has changed.
 *
 * How it runs:
 * - **in-flight**: begun and not answered. The **admission queue** holds what waits to be begun; **drain**: to finish
 *   what is in flight and take nothing new.
 * - **client error**: an answer of 400 to 499; the caller has to change something.
 * - **job**: a unit of work in pg-boss's queue. **Maintenance**: the jobs that come round by the clock. **Backfill**:
 *   to make for old rows what new ones have from the start.
 * - **checkout**: a connection taken from the pool. **Generic plan**: one that PostgreSQL keeps for all parameters.
 * - **bootstrap**: to make the database and the model ready before a process serves.
 * - **abort signal**: tells work that nobody waits for it any more.
 *
 * Time: durations are milliseconds in names that end in `Ms` (constants in `_MS`); SQL and headers that count seconds
 * say so in theirs. A moment that is stored or shown is a `Clock`'s `now()`; one that only another is measured from is
 * `performance.now()`, which no change of the machine's clock moves.
 *
 * Limits: `max` and `min`, never "most", "longest" or "least".
 */

/** Anything that JSON can say. */
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

/** Who met a 404. `unknown`: no user agent was named. */
export type Visitor = 'person' | 'assistant' | 'search_engine' | 'scanner' | 'robot' | 'unknown';

/** The outcome of a 404: glossary above. */
export type NotFoundOutcome = 'redirected' | 'clicked' | 'suggested' | 'nothing' | 'gone' | 'robot' | 'unlinked';

/** What a rule does with the paths that match it: they lead to a page, are gone for good, or need no redirect. */
export type RuleAction = 'redirect' | 'gone' | 'ignore';
export const RULE_ACTIONS: readonly RuleAction[] = ['redirect', 'gone', 'ignore'];

/**
 * A rule for one path, for all below one, or for those that match a pattern: all below a path in which a segment may be
 * any number, or any with placeholders.
 */
export type RuleKind = 'exact' | 'prefix' | 'pattern';
export const RULE_KINDS: readonly RuleKind[] = ['exact', 'prefix', 'pattern'];

/** Whether a site tells upper and lower case in paths apart, or a slash at their end. */
export type PathCounts = 'ignored' | 'matters';

/** What made a rule. */
export type RuleOrigin = 'import' | 'sync' | 'person' | 'console' | 'learned';

export interface Made {
  origin: RuleOrigin;
  /** The person, if one made it. */
  by: string | null;
  at: Date;
  /** How sure the service was that it learned it right; null or absent: it was given. */
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

/** From which scores on visitors of a project are redirected, and shown a page. */
export interface Thresholds {
  /** Scores over this redirect. At 1 only known redirects do. */
  redirectAbove: number;
  /** The minimum score of what a 404 page shows. */
  shownFrom: number;
}
