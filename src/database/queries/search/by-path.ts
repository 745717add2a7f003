import { sql } from 'kysely';
import type { TermWeights } from '../../../search/words/terms.js';
import { knownMoves, type KnownMove, type MoveKeys } from '../moves.js';
import { poolOf } from './pool.js';
import { denseScan, lexicalScan, pathScan } from './scans.js';
import { matchingPages, type Scope } from './scope.js';

/** What a dead path is looked for by. */
export interface SearchedPath {
  vector: Float32Array;
  /** Weights of all its words' terms, and of its slug's alone. */
  terms: TermWeights;
  slugTerms: TermWeights;
  /** Sets of terms that are rare enough to be looked up in an index of the project's own. */
  rare: readonly (readonly number[])[];
  signatures: { path: string; slug: string };
  moves: MoveKeys;
}

/** How much each kind of evidence counts when candidates are chosen; what is left of them is weighed with more care. */
export interface ChoosingWeights {
  dense: number;
  beginning: number;
  lexical: number;
  slugLexical: number;
  path: number;
  slug: number;
}

/** How many candidates are taken: by their weighted sum, and of each kind of evidence at least. */
export interface Choice {
  together: number;
  each: number;
  /** Pages whose terms come along, of those that cover the slug by more than `leastCover`. */
  neighbours: number;
  leastCover: number;
}

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

/** Metadata up to so many bytes travel with every candidate; of the rest, those that are shown are fetched. */
const SMALL_METADATA = 1_000;

interface Row extends PathCandidate {
  kind: 'candidate' | 'move' | 'neighbour' | 'counts';
  move: KnownMove | null;
}

/**
 * Candidates of a dead path with all that is needed to weigh them, in one round trip: the pages with the best sum of
 * evidence, the best of each kind of evidence, and those that it is known to have moved to. The answer holds rows of
 * four kinds, since a second statement would be a second round trip.
 */
export async function findByPath(scope: Scope, path: SearchedPath, weights: ChoosingWeights, choice: Choice): Promise<FoundByPath> {
  const { vector, terms, slugTerms, signatures } = path;
  const ids = scope.covered === undefined ? sql`` : sql`pool as materialized (${poolOf(scope, { vector, terms: [terms, slugTerms], rare: path.rare, signatures })}),`;
  const { together, each } = choice;
  const { rows } = await sql<Row>`
    with moved as materialized (${knownMoves(scope.projectId, path.moves)}),
    ${matchingPages(scope)} ${ids}
    ${denseScan(scope, vector)}, ${lexicalScan(scope, { lexical: terms, slug_lexical: slugTerms })}, ${pathScan(scope, signatures)},
    evidence as materialized (
      select p.page_id, d.cosine, d.beginning, coalesce(w.lexical, 0) as lexical, coalesce(w.slug_lexical, 0) as slug_lexical,
             p.path_likeness, p.slug_likeness,
             ${weights.dense}::float8 * greatest(0, coalesce(d.cosine, 0)) + ${weights.beginning}::float8 * greatest(0, coalesce(d.beginning, 0))
               + ${weights.lexical}::float8 * coalesce(w.lexical, 0) + ${weights.slugLexical}::float8 * coalesce(w.slug_lexical, 0)
               + ${weights.path}::float8 * p.path_likeness + ${weights.slug}::float8 * p.slug_likeness as value
        from paths p
        left join dense d on d.page_id = p.page_id
        left join wording w on w.page_id = p.page_id
    ),
    -- Whole rows, not their keys: to look the evidence up again, the planner, which knows nothing of its size, would
    -- compare every chosen page with every page of the site.
    chosen as (
      (select * from evidence order by value desc, page_id limit ${together})
      union
      (select * from evidence order by cosine desc nulls last, page_id limit ${each})
      union
      (select * from evidence where lexical > 0 order by lexical desc, page_id limit ${each})
      union
      (select * from evidence where slug_lexical > 0 order by slug_lexical desc, page_id limit ${each})
      union
      (select * from evidence order by path_likeness desc, page_id limit ${each})
      union
      (select * from evidence order by slug_likeness desc, path_likeness desc, page_id limit ${each})
      union
      (select * from evidence where page_id in (select page_id from moved))
    ),
    candidates as materialized (
      select e.page_id, e.cosine, e.beginning, e.lexical, e.slug_lexical, x.path, x.path_words, x.slug_words, x.counted_words
        from chosen e
        join pathmend.indexed_pages x on x.project_id = ${scope.projectId} and x.page_id = e.page_id
    ),
    neighbours as (
      select page_id, slug_lexical from evidence
       where slug_lexical > ${choice.leastCover} order by slug_lexical desc, page_id limit ${choice.neighbours}
    )
    select 'candidate' as kind, c.page_id, c.cosine, c.beginning, c.lexical, c.slug_lexical, c.path, c.path_words, c.slug_words,
           p.url, p.title, case when pg_column_size(p.metadata) <= ${SMALL_METADATA} then p.metadata::text end as metadata,
           pg_column_size(p.metadata) > ${SMALL_METADATA} as large, null::jsonb as move
      from candidates c
      join pathmend.pages p on p.project_id = ${scope.projectId} and p.page_id = c.page_id
    union all
    select 'neighbour', n.page_id, null, null, null, n.slug_lexical, t.terms::text, null, null, null, null, null, null, null
      from neighbours n
      join pathmend.page_terms t on t.project_id = ${scope.projectId} and t.page_id = n.page_id
    union all
    select 'counts', null, null, null, null, null, string_agg(v.word || ' ' || v.pages, E'\n'), null, null, null, null, null, null, null
      from pathmend.vocabulary v
     where v.project_id = ${scope.projectId}
       -- An array, not a join: of that the planner expects so many words that it reads the project's whole vocabulary.
       and v.word = any (array(select distinct unnest(counted_words) from candidates))
    union all
    select 'move', m.page_id, null, null, null, null, null, null, null, null, null, null, null, to_jsonb(m) from moved m`.execute(scope.db);
  return sorted(rows);
}

function sorted(rows: readonly Row[]): FoundByPath {
  const found: FoundByPath = { candidates: [], moves: [], neighbours: [], counts: new Map() };
  for (const row of rows) {
    if (row.kind === 'candidate') found.candidates.push(row);
    else if (row.kind === 'move' && row.move) found.moves.push(row.move);
    else if (row.kind === 'neighbour') found.neighbours.push({ page_id: row.page_id, cover: row.slug_lexical, terms: row.path });
    else for (const line of (row.path as string | null)?.split('\n') ?? []) readCount(found.counts, line);
  }
  return found;
}

function readCount(counts: Map<string, number>, line: string): void {
  const blank = line.lastIndexOf(' ');
  counts.set(line.slice(0, blank), Number(line.slice(blank + 1)));
}
