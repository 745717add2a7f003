import type { KnownMove } from '../moves.js';

export interface PathCandidate {
  page_id: string;
  /** Cosine of the page's best passage, -1 to 1; null for a page without passages. */
  cosine: number | null;
  /** The same of its beginning. */
  beginning: number | null;
  /** The share of the searched terms' weight that the page's content covers, 0 to 1; of the slug's terms alone. */
  lexical: number;
  slug_lexical: number;
  /** Url path with query string. */
  path: string;
  path_words: string;
  slug_words: string;
  url: string;
  title: string | null;
  /** As text; null where there is none, and `large` where it is too long to travel with every candidate. */
  metadata: string | null;
  large: boolean | null;
}

export interface FoundByPath {
  candidates: PathCandidate[];
  /** Moves of this path and of its sections. */
  moves: KnownMove[];
  /** The pages whose content covers the slug best, with their terms as pgvector writes them. */
  neighbours: { page_id: string; cover: number; terms: string }[];
  /** On how many pages each word of the candidates' paths stands; one that is missing stands on none. */
  counts: Map<string, number>;
}

/** One of the four kinds of rows that the statement of by-path.ts answers with. */
export interface Row extends PathCandidate {
  kind: 'candidate' | 'move' | 'neighbour' | 'counts';
  move: KnownMove | null;
}

export function sorted(rows: readonly Row[]): FoundByPath {
  const found: FoundByPath = { candidates: [], moves: [], neighbours: [], counts: new Map() };
  for (const row of rows) {
    if (row.kind === 'candidate') found.candidates.push(row);
    else if (row.kind === 'move' && row.move) found.moves.push(row.move);
    else if (row.kind === 'neighbour')
      found.neighbours.push({ page_id: row.page_id, cover: row.slug_lexical, terms: row.path });
    else for (const line of (row.path as string | null)?.split('\n') ?? []) readCount(found.counts, line);
  }
  return found;
}

function readCount(counts: Map<string, number>, line: string): void {
  const blank = line.lastIndexOf(' ');
  counts.set(line.slice(0, blank), Number(line.slice(blank + 1)));
}
