import { compileOnce } from '../../platform/database/compile-once.js';
import { sql, joinLookup, joinPageRows } from '../../platform/database/sql.js';
import type { TermLookup } from '../../text/words/term-lookups.js';
import type { TermWeights } from '../../text/words/terms.js';
import { toHalfBytes } from '../../platform/database/binary-values.js';
import { rowsWithPlan } from '../../platform/database/session/driver.js';
import { exceptMissing } from '../../pages/store/missing-pages.js';
import { countGoneIn, selectRulesOfPath, type PathRule } from '../../rules/store/rules-of-path.js';
import { selectTrialThreshold } from '../../projects/store/projects.js';
import type { ContentWeights } from './by-content.js';
import {
  selectJudgedWrong,
  selectLearnedRedirects,
  selectNearRedirects,
  stoodBeside,
  type NearRedirect,
} from './learned-redirects.js';
import type { RequestedPath } from '../../rules/requested-path.js';
import type { LearnedRedirect } from '../../rules/learned/weigh-section-redirects.js';
import { METADATA_COLUMNS, smallMetadata } from '../../pages/store/page-listing.js';
import { toSparse } from '../../pages/store/vocabulary.js';
import {
  reachedPages,
  denseScan,
  lexicalScan,
  pathScan,
  isExcluded,
  MAX_EXCLUDED,
  planFor,
  spacePages,
  valuesOf,
  withoutVectors,
  type FoundPage,
  type SearchSpace,
  type SpaceValues,
} from './space.js';

export interface PathCandidate extends FoundPage {
  /** Cosine of the page's best chunk, -1 to 1; null without chunks. */
  cosine: number | null;
  /** The cosines of its beginning, its title and the last segment of its path. */
  beginning: number | null;
  title_cosine: number | null;
  slug_cosine: number | null;
  /** The share of the searched terms' weight that the content covers, 0 to 1; the same for the slug's terms alone. */
  lexical: number;
  slug_lexical: number;
  path_words: string;
  slug_words: string;
  /** The path was a page, which was deleted while this page stood next to it: see {@link stoodBeside}. */
  stood_beside: boolean;
  /** A person judged it the wrong page for this path. */
  judged_wrong: boolean;
}

export interface FoundByPath {
  candidates: PathCandidate[];
  /** Learned redirects of the path and of its sections. */
  redirects: LearnedRedirect[];
  /** Rules of the path, without patterns. */
  rules: PathRule[];
  /** The number of paths of its folder that are gone, `MANY_GONE` at most. */
  goneInFolder: number;
  nearRedirects: NearRedirect[];
  /** The score over which a project in trial would redirect. */
  trialAbove: number | null;
  /** The share of the project's missing paths that are gone; null if it is as usual. */
  goneShare: number | null;
  /** The words of the candidates' paths with their numbers of pages, between spaces; others are on one page at most. */
  counts: string;
}

interface SearchedPath {
  vector: Float32Array;
  /** Weights of the terms of all words, and of the slug's alone. */
  terms: TermWeights;
  slugTerms: TermWeights;
  /** Lookups in the project's own indexes. */
  lookups: readonly TermLookup[];
  signatures: { path: string; slug: string };
  /** Patterns of `like` for urls with one of the path's versions. */
  versions: readonly string[];
  /** The path as the visitor's browser sent it, without host and query string. */
  bare: string;
  redirects: RequestedPath;
  /** The pages that the path's rule leads to, perhaps over other rules. */
  pages: readonly string[];
  /** The key of the path's folder; null at the root of the site. */
  folder: Buffer | null;
}

/** Weights of evidence for the choice of candidates, which are then ranked with more evidence. */
export type ChoosingWeights = ContentWeights & Record<'slugLexical' | 'path' | 'slug', number>;

export interface CandidateLimits {
  /** The number of candidates with the best weighted sum. */
  bySum: number;
  /** The number of candidates with the best evidence of each kind. */
  perKind: number;
  /** The number of pages whose url has a version of the path. */
  withVersion: number;
}

/** A path may have several deleted pages: on other hosts, in other spellings. */
const MAX_DELETED = sql`limit 5`;

const PATH_COLUMNS = ['path', 'path_words', 'slug_words', 'indexed_at'];

/** These parts of a path go into the statement as texts. */
type Texts = 'terms' | 'slugTerms' | 'lookups';

/** The values of the statement. */
interface Values {
  space: SpaceValues;
  path: Omit<SearchedPath, 'vector' | Texts> & { vector: Buffer } & Record<Texts, string>;
  weights: ChoosingWeights & { withoutVectors: number };
  limits: CandidateLimits;
}

/** Reads the candidates of a dead path in one round trip, with all that ranking needs. */
export async function findByPath(
  space: SearchSpace,
  { vector, terms, slugTerms, lookups, ...path }: SearchedPath,
  weights: ChoosingWeights,
  limits: CandidateLimits,
): Promise<FoundByPath> {
  const statement = compiledByPath(space.db, {
    space: valuesOf(space),
    path: {
      ...path,
      vector: toHalfBytes(vector),
      terms: toSparse(terms),
      slugTerms: toSparse(slugTerms),
      lookups: JSON.stringify(lookups),
    },
    weights: { ...weights, withoutVectors: withoutVectors(weights) },
    limits,
  });
  const [row] = await rowsWithPlan(space.db, statement, planFor(space));
  return row as FoundByPath;
}

const compiledByPath = compileOnce(({ space, path, weights, limits }: Values) => {
  const project = space.projectId;
  const { redirects, vector, terms, slugTerms, lookups } = path;
  const { signatures } = path;
  const hasVersion = path.versions.length > 0;
  const excluded = isExcluded(space, sql`page_id`);
  return sql<FoundByPath>`
    with moved as materialized (${selectLearnedRedirects(space, redirects)}),
    ruled as materialized (${selectRulesOfPath(project, redirects)}),
    deleted_here as materialized (
      select t.created_at, t.deleted_at from unnest(${redirects.keys}::bytea[]) as k (key)
      ${joinLookup('tombstones', 't', ['created_at', 'deleted_at'], sql`r.project_id = ${project} and r.path_key = k.key`, MAX_DELETED)}),
    judged as materialized (${selectJudgedWrong(project, redirects.keys)}),
    known as (select page_id from moved union all select page_id from ruled where page_id is not null
              union all select unnest(${path.pages}::text[])),
    ${spacePages(space)}
    ${reachedPages(space, { vector, terms: [terms, slugTerms], lookups, signatures })}
    ${denseScan(space, vector)}, ${lexicalScan(space, { lexical: terms, slug_lexical: slugTerms })},
    ${pathScan(space, signatures, path.versions)},
    evidence as materialized (
      select coalesce(p.page_id, d.page_id, w.page_id) as page_id, d.cosine, d.beginning,
             d.title_cosine, d.slug_cosine,
             coalesce(w.lexical, 0) as lexical, coalesce(w.slug_lexical, 0) as slug_lexical,
             p.path_likeness, p.slug_likeness ${hasVersion ? sql`, p.has_version` : sql``},
             ${weights.dense}::float8 * greatest(0, coalesce(d.cosine, 0))
               + ${weights.beginning}::float8 * greatest(0, coalesce(d.beginning, 0))
               + ${weights.denseTitle}::float8 * greatest(0, coalesce(d.title_cosine, 0))
               + ${weights.denseMax}::float8 * greatest(0, d.cosine, d.beginning, d.title_cosine, d.slug_cosine)
               + case when d.cosine is null then ${weights.withoutVectors}::float8 else 0 end
               + ${weights.lexical}::float8 * coalesce(w.lexical, 0)
               + ${weights.slugLexical}::float8 * coalesce(w.slug_lexical, 0)
               + ${weights.path}::float8 * p.path_likeness + ${weights.slug}::float8 * p.slug_likeness as value
        from paths p
        -- All three have the same pages, but for other joins the planner may choose nested loops when it expects a
        -- small site, and then compares every page of a large one with every other.
        full join dense d on d.page_id = p.page_id
        full join wording w on w.page_id = coalesce(p.page_id, d.page_id)
       where ${exceptMissing(sql`coalesce(p.page_id, d.page_id, w.page_id)`, project, redirects.keys)}
    ),
    offered as (select * from evidence ${excluded ? sql`where not ${excluded}` : sql``}),
    -- Whole rows, not keys: to join the evidence again, the planner, which does not know its size, would compare every
    -- chosen page with every page of the site.
    chosen as (
      (select * from offered order by value desc, page_id limit ${limits.bySum})
      union
      (select * from offered order by cosine desc nulls last, page_id limit ${limits.perKind})
      union
      (select * from offered order by title_cosine desc nulls last, page_id limit ${limits.perKind})
      union
      (select * from offered order by slug_cosine desc nulls last, page_id limit ${limits.perKind})
      union
      (select * from offered where lexical > 0 order by lexical desc, page_id limit ${limits.perKind})
      union
      (select * from offered where slug_lexical > 0 order by slug_lexical desc, page_id limit ${limits.perKind})
      union
      (select * from offered order by path_likeness desc, page_id limit ${limits.perKind})
      union
      (select * from offered order by slug_likeness desc, path_likeness desc, page_id limit ${limits.perKind})
      ${hasVersion ? sql`union (select * from offered where has_version order by path_likeness desc, page_id limit ${limits.withVersion})` : sql``}
      union
      (select * from offered where page_id in (select page_id from known))
      ${excluded ? sql`union (select * from evidence where ${excluded} order by value desc nulls last, page_id limit ${MAX_EXCLUDED}::int)` : sql``}
    ),
    candidates as materialized (
      select c.page_id, c.cosine, c.beginning, c.title_cosine, c.slug_cosine, c.lexical, c.slug_lexical, c.path, c.path_words, c.slug_words,
             c.indexed_at is null as is_waiting
        from (select e.*, x.path, x.path_words, x.slug_words, x.indexed_at,
                     sum(length(x.path)) over (order by e.page_id in (select page_id from known) desc,
                                                        e.value desc nulls last, e.page_id) as characters
                from chosen e ${joinPageRows('indexed_pages', 'x', PATH_COLUMNS, project, 'e.page_id')}) as c
       -- The time for a candidate depends on its path's length. This allows 2,500 of 120 characters, or 146 of 2,048.
       where c.characters <= 300000
    )
    select
      (select coalesce(json_agg(c), '[]')
         from (select c.page_id, c.cosine, c.beginning, c.title_cosine, c.slug_cosine, c.lexical, c.slug_lexical, c.path, c.path_words, c.slug_words,
                      c.is_waiting, p.url, p.title, ${isExcluded(space, sql`c.page_id`) ?? sql`false`} as is_excluded, ${stoodBeside(sql`p.created_at`)} as stood_beside,
                      p.url in (select url from judged) as judged_wrong, ${smallMetadata}
                 from candidates c
                 ${joinPageRows('pages', 'p', ['url', 'title', 'created_at', ...METADATA_COLUMNS], project, 'c.page_id')}) as c
      ) as candidates,
      (select coalesce(string_agg(v.word || ' ' || v.pages, ' '), '')
         -- An array: one index scan finds all words. A word of one page weighs as much as an unknown one.
         from pathmend.vocabulary v
        where v.project_id = ${project} and v.pages > 1
          and v.word = any (array(select distinct unnest(string_to_array(path_words, ' ')) from candidates))
      ) as counts,
      (select coalesce(json_agg(m), '[]') from moved m) as redirects,
      (select coalesce(json_agg(r), '[]') from ruled r) as rules,
      (${countGoneIn(project, path.folder)}) as "goneInFolder",
      (select coalesce(json_agg(r), '[]') from (${selectNearRedirects(project, path.bare, redirects)}) as r) as "nearRedirects",
      (${selectTrialThreshold(project)}) as "trialAbove",
      (select gone_share::float8 from pathmend.index_versions where project_id = ${project}) as "goneShare"`;
});
