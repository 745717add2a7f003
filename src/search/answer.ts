import type { JsonObject, SearchKind } from '../base/glossary.js';
import type { Explanation } from './ranking/scores/explanation.js';
import type { SpaceRequest } from './search-space.js';

export interface FoundSuggestion {
  pageId: string;
  /** Full URL, for redirects. */
  href: string;
  /** Url path with query string, as callers see it. */
  url: string;
  title: string;
  score: number;
  metadata: JsonObject | undefined;
  /** Undefined unless requested. */
  explanation: Explanation | undefined;
}

/** Immutable, because the cache shares it between callers. */
export interface SearchAnswer {
  readonly suggestions: readonly FoundSuggestion[];
  /** The path's words after sanitizing and spelling correction, or the query. */
  readonly understood: string;
  /** A rule says that the path is gone for good. */
  readonly isGone?: boolean;
  /** The address on another host to which a rule leads. */
  readonly leadsTo?: string | undefined;
  /** The key of the rule that decided, if one did. */
  readonly rule?: Buffer | undefined;
}

export interface SearchRequest extends SpaceRequest {
  kind: SearchKind;
  /** A dead path for suggest, proxy and not-found, a query for the others. */
  input: string;
  limit: number;
  threshold: number;
  /** Whether suggestions have an explanation. */
  explain: boolean;
}

export function takesPath({ kind }: SearchRequest): boolean {
  return kind === 'suggest' || kind === 'proxy' || kind === 'not-found';
}
