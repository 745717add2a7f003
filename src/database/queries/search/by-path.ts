import { sql } from 'kysely';
import type { TermLookup } from '../../../text/words/term-lookups.js';
import type { TermWeights } from '../../../text/words/terms.js';
import { toHalfBytes } from '../../half-vectors.js';
import { rowsWithPlan } from '../../session/rows-with-plan.js';
import { joinLookup, joinPageRows, joinVocabulary } from '../lateral-joins.js';
import { exceptMissing } from '../missing-pages.js';
import { knownMoves, type KnownMove, type MoveKeys } from '../moves.js';
import { toSparse } from '../page-terms.js';
import { reachedPages } from './reached-pages.js';
import { denseScan, lexicalScan, pathScan } from './scans.js';
import { planFor, spacePages, type SearchSpace } from './space.js';

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
  counts: Record<string, number>;
}

/** What a dead path is looked for by. */
export interface SearchedPath {
  vector: Float32Array;
  /** Weights of all its words' terms, and of its slug's alone. */
  terms: TermWeights;
  slugTerms: TermWeights;
  /** How its terms are looked up in indexes of the project's own. */
  lookups: readonly TermLookup[];
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

/** Metadata up to so many bytes travel with every candidate; of the rest, those that are shown are fetched. */
const SMALL_METADATA = 1_000;

/**
 * Candidates of a dead path with all that is needed to weigh them, in one round trip: the pages with the best sum of
 * evidence, the best of each kind of evidence, and those that it is known to have moved to.
 */
export async function findByPath(
  space: SearchSpace,
  path: SearchedPath,
  weights: ChoosingWeights,
  choice: Choice,
): Promise<FoundByPath> {
  const project = space.projectId;
  const { signatures } = path;
  const vector = toHalfBytes(path.vector);
  const terms = toSparse(path.terms);
  const slugTerms = toSparse(path.slugTerms);
  const statement = sql<FoundByPath>`
    with moved as materialized (${knownMoves(project, path.moves)}),
    ${spacePages(space)}
    ${reachedPages(space, { vector, terms: [terms, slugTerms], lookups: JSON.stringify(path.lookups), signatures })}
    ${denseScan(space, vector)}, ${lexicalScan(space, { lexical: terms, slug_lexical: slugTerms })},
    ${pathScan(space, signatures)},
    evidence as materialized (
      select coalesce(p.page_id, d.page_id, w.page_id) as page_id, d.cosine, d.beginning, coalesce(w.lexical, 0) as lexical, coalesce(w.slug_lexical, 0) as slug_lexical,
             p.path_likeness, p.slug_likeness,
             ${weights.dense}::float8 * greatest(0, coalesce(d.cosine, 0)) + ${weights.beginning}::float8 * greatest(0, coalesce(d.beginning, 0))
               + ${weights.lexical}::float8 * coalesce(w.lexical, 0) + ${weights.slugLexical}::float8 * coalesce(w.slug_lexical, 0)
               + ${weights.path}::float8 * p.path_likeness + ${weights.slug}::float8 * p.slug_likeness as value
        from paths p
        -- All three hold the same pages. But other joins than full ones the planner makes loops of where it expects a site
        -- to be small, and compares every page with every page of one that is not.
        full join dense d on d.page_id = p.page_id
        full join wording w on w.page_id = coalesce(p.page_id, d.page_id)
       where ${exceptMissing(sql`coalesce(p.page_id, d.page_id, w.page_id)`, project, path.moves.keys)}
    ),
    -- Whole rows, not their keys: to look the evidence up again, the planner, which knows nothing of its size, would
    -- compare every chosen page with every page of the site.
    chosen as (
      (select * from evidence order by value desc, page_id limit ${choice.together})
      union
      (select * from evidence order by cosine desc nulls last, page_id limit ${choice.each})
      union
      (select * from evidence where lexical > 0 order by lexical desc, page_id limit ${choice.each})
      union
      (select * from evidence where slug_lexical > 0 order by slug_lexical desc, page_id limit ${choice.each})
      union
      (select * from evidence order by path_likeness desc, page_id limit ${choice.each})
      union
      (select * from evidence order by slug_likeness desc, path_likeness desc, page_id limit ${choice.each})
      union
      (select * from evidence where page_id in (select page_id from moved))
    ),
    candidates as materialized (
      select c.page_id, c.cosine, c.beginning, c.lexical, c.slug_lexical, c.path, c.path_words, c.slug_words, c.counted_words
        from (select e.*, x.path, x.path_words, x.slug_words, x.counted_words,
                     sum(length(x.path)) over (order by e.page_id in (select page_id from moved) desc, e.value desc nulls last, e.page_id) as characters
                from chosen e ${joinPageRows('indexed_pages', 'x', ['path', 'path_words', 'slug_words', 'counted_words'], project, 'e.page_id')}) as c
       -- Weighing one, and looking up its words, takes time as it is long: 2,500 of 120 characters, or 146 of 2,048.
       where c.characters <= 300000
    ),
    neighbours as (
      select page_id, slug_lexical from evidence
       where slug_lexical > ${choice.leastCover} order by slug_lexical desc, page_id limit ${choice.neighbours}
    )
    select
      (select coalesce(json_agg(c), '[]')
         from (select c.page_id, c.cosine, c.beginning, c.lexical, c.slug_lexical, c.path, c.path_words, c.slug_words,
                      p.url, p.title, pg_column_size(p.metadata) > ${SMALL_METADATA} as large,
                      case when pg_column_size(p.metadata) <= ${SMALL_METADATA} then p.metadata::text end as metadata
                 from candidates c ${joinPageRows('pages', 'p', ['url', 'title', 'metadata'], project, 'c.page_id')}) as c
      ) as candidates,
      (select coalesce(json_agg(n), '[]')
         from (select n.page_id, n.slug_lexical as cover, t.terms::text as terms
                 from neighbours n ${joinLookup('page_terms', 't', ['terms'], sql`r.project_id = ${project} and r.page_id = n.page_id and r.part = 0`)}) as n
      ) as neighbours,
      (select coalesce(json_object_agg(v.word, v.pages), '{}')
         from (select distinct unnest(counted_words) as word from candidates) as w ${joinVocabulary(project, 'w.word')}
      ) as counts,
      (select coalesce(json_agg(m), '[]') from moved m) as moves`;
  const [found] = await rowsWithPlan(space.db, statement, planFor(space));
  return found as FoundByPath;
}
