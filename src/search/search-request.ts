import type { SearchKind } from '../base/glossary.js';
import type { SpaceRequest } from './search-space.js';

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
