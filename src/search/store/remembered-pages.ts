import { sql, type Sql } from '../../platform/database/sql.js';
import { joinLookup, joinPageRows } from '../../platform/database/lateral-joins.js';
import { arrivedAfter, pagesInReach, type IndexSegment } from '../../pages/store/segments.js';

/** A project, and by what its pages are found, where they are to be searched. */
export interface SearchedProject {
  projectId: string;
  modelId?: number | undefined;
  /** Undefined for a project without own indexes. */
  indexSegments?: readonly IndexSegment[] | undefined;
}

/** Cosines of the beginnings, and of the weighted terms, of a page with an edited sentence or two. */
const MIN_BEGINNING = 0.95;
const MIN_TERMS = 0.85;
/** Remembered pages of one path: on other hosts, in other spellings. So many are compared with all pages, too. */
const MAX_REMEMBERED = sql`limit 5`;

/**
 * The pages with the content of a page whose path this was, or to which a redirect of this path leads: one that was
 * deleted, or that visitors report missing. As rows of {@link KnownMove}: `content` for equal content, `similar` for
 * nearly equal, `former` for what the page held before its content was replaced.
 *
 * The search for similar pages happens only for a path with a tombstone. As a search does, it compares the beginnings
 * of all pages, or in a project with own indexes those of the nearest pages and of the unindexed tail. Without a model
 * it is left out.
 */
export function selectRemembered(
  { projectId, modelId, indexSegments: segments }: SearchedProject,
  keys: readonly Buffer[],
): Sql {
  const hashes = ['content_hash', 'former_hash', 'url_hash'];
  const vectors = ['model_id', 'beginning', 'terms'];
  const key = sql`unnest(${keys}::bytea[]) as k (key)`;
  const tombstone = (pathKey: Sql): Sql =>
    joinLookup(
      'tombstones',
      't',
      [...hashes, ...vectors],
      sql`r.project_id = ${projectId} and r.path_key = ${pathKey}`,
      MAX_REMEMBERED,
    );
  const redirect = joinLookup(
    'rules',
    'w',
    ['target_key'],
    sql`r.project_id = ${projectId} and r.rule_key = k.key and r.target_key is not null`,
    sql`limit 1`,
  );
  // Read once for both kinds of rows.
  const deleted = sql`deleted as materialized (
      select k.key, t.* from ${key} ${tombstone(sql`k.key`)}
      union all
      select k.key, t.* from ${key} ${redirect} ${tombstone(sql`w.target_key`)})`;
  const ofPath = sql`r.project_id = ${projectId} and r.path_key = k.key`;
  const reported = sql`r.project_id = ${projectId} and r.page_id = o.page_id and r.reported_at is not null`;
  const equal = sql`r.project_id = ${projectId} and r.content_hash = c.content_hash and r.url_hash <> g.url_hash`;
  const same = sql`
    select p.page_id, c.kind, encode(g.key, 'hex'), 0::float8, null::jsonb
      from (select key, content_hash, former_hash, url_hash from deleted
            union
            select k.key, o.content_hash, o.former_hash, o.url_hash
              from ${key} ${joinLookup('pages', 'o', ['page_id', ...hashes], ofPath, MAX_REMEMBERED)}
              ${joinLookup('missing_pages', 'm', ['page_id'], reported, sql`limit 1`)}) as g
     cross join lateral (values ('content', g.content_hash), ('former', g.former_hash)) as c (kind, content_hash)
      ${joinLookup('pages', 'p', ['page_id', 'url_hash'], equal, sql`limit 3`)}
      ${joinPageRows('indexed_pages', 'x', ['page_id'], projectId, 'p.page_id')}`;
  if (modelId === undefined) return sql`(with ${deleted} ${same})`;
  const distance = sql`select r.page_id, r.embedding <#> d.beginning as distance from pathmend.passages r
        where r.project_id = ${projectId} and r.model_id = ${modelId} and r.ordinal = -1`;
  const compared = segments
    ? sql`${distance} and r.page_id = any (array(
             select page_id from ${pagesInReach({ projectId, modelId, segments }, { vector: sql`d.beginning` })}))
       union all
       ${distance} and ${arrivedAfter(sql`${segments.at(-1)?.covered}`)}
       order by distance`
    : sql`${distance} order by distance`;
  return sql`(with ${deleted} ${same}
    union all
    select n.page_id, 'similar', encode(d.key, 'hex'), 0::float8, null::jsonb
      from (select * from deleted where model_id = ${modelId} and beginning is not null ${MAX_REMEMBERED}) as d
     cross join lateral (${compared} limit 3) as n
      ${joinLookup('page_terms', 't', ['terms'], sql`r.project_id = ${projectId} and r.page_id = n.page_id and r.part = 0`)}
     where -n.distance >= ${MIN_BEGINNING}::float8 and 1 - (t.terms <=> d.terms) >= ${MIN_TERMS}::float8)`;
}
