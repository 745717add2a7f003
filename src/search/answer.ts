import type { JsonObject } from '../glossary.js';
import type { Explanation } from './rank/explanation.js';

/** A page as a search names it. */
export interface FoundSuggestion {
  pageId: string;
  /** Full URL, for redirects. */
  href: string;
  /** Url path with query string, as callers see it. */
  url: string;
  title: string;
  score: number;
  metadata: JsonObject | undefined;
  /** Why, where the request asked for it. */
  explanation: Explanation | undefined;
}

/** What a search found; shared between callers by the cache, so nobody changes it. */
export interface SearchAnswer {
  readonly suggestions: readonly FoundSuggestion[];
  /** What was searched for: the path's words after sanitizing and spelling, or the query. */
  readonly understood: string;
}
