import { sql, type Sql, joinIndexedPages, joinLookup } from '../../platform/database/sql.js';
import type { LearnedRedirect } from '../../rules/learned/weigh-section-redirects.js';
import type { RedirectKeys } from '../../text/paths/plain-path.js';
import type { RequestedPath } from '../../rules/requested-path.js';
import { isInForce, selectTargetOf } from '../../rules/store/rules-of-path.js';
import { arrivedAfter, pagesInReach } from '../../pages/store/segments.js';

/**
 * A query of a dead path's {@link LearnedRedirect}s: at most 100 clicked pages of each of its keys, and the indexed
 * pages that section redirects of its prefixes lead to, at most 20 with one path (on other hosts, in other spellings).
 */
export function selectLearnedRedirects(project: SearchedProject, of: RedirectKeys): Sql<LearnedRedirect> {
  const { projectId } = project;
  const { keys, prefixes, tails } = of;
  const ofKey = sql`r.project_id = ${projectId} and r.old_path_hash = k.key`;
  return sql<LearnedRedirect>`
    select m.page_id, 'click' as kind, encode(m.old_path_hash, 'hex') as key, m.clicks::float8 as clicks,
           null::jsonb as section
      from unnest(${keys}::bytea[]) as k (key)
      ${joinLookup('learned_redirects', 'm', ['page_id', 'old_path_hash', 'clicks'], ofKey, sql`limit 100`)}
      ${joinIndexedPages(['page_id'], projectId, 'm.page_id')}
    union all
    ${selectRemembered(project, keys)}
    union all
    select x.page_id, 'section', '', 0,
           jsonb_build_object('oldPrefix', s.old_prefix, 'newPrefix', s.new_prefix, 'confidence', s.confidence,
                              'byClicks', s.source = 'click', 'whole', s.whole, 'path', s.new_prefix || s.tail)
      from unnest(${prefixes}::text[], ${tails}::text[]) as i (prefix, tail)
     -- \`offset 0\` computes the key before the comparison: under row level security no index would be used for a
     -- condition with a function that is not leakproof.
     cross join lateral (
       select s.old_prefix, s.new_prefix, s.confidence, s.source, i.tail,
              sum(s.confidence) over (partition by s.source) as whole,
              sha256(convert_to(s.new_prefix || i.tail, 'UTF8')) as key
         from pathmend.section_redirects s where s.project_id = ${projectId} and s.old_prefix = i.prefix
          and i.tail <> '' offset 0) as s
      ${joinLookup('pages', 'p', ['page_id'], sql`r.project_id = ${projectId} and r.path_key = s.key`, sql`limit 20`)}
      ${joinIndexedPages(['page_id'], projectId, 'p.page_id')}`;
}

/** A redirect of the customer, with the path of its page as in its url, and the indexed words of that path. */
export interface NearRedirect {
  page_id: string;
  old_path: string;
  path: string;
  path_words: string;
  slug_words: string;
}

/** So many redirects before the dead path in order are taken, and as many after it (docs/evidence/decisions/0042). */
const PER_SIDE = 16;
/** So many rules are read on each side, since some lead to no page. */
const NEIGHBOURS_EACH_SIDE = 64;

/** Selects the redirects that stand beside a path in order: they share most of its beginning, as its section does. */
export function selectNearRedirects(
  projectId: string,
  path: string,
  { hosts }: Pick<RequestedPath, 'hosts'>,
): Sql<NearRedirect> {
  const isHere = hosts.length === 0 ? sql`true` : sql`(r.host is null or r.host = any (${hosts}::text[]))`;
  const pathOrder = sql`left(lower(${path}::text), 200) collate "C"`;
  const side = (isThere: Sql, order: Sql): Sql => sql`
    (select p.page_id, r.path as old_path
       from (select * from pathmend.rules r
              where r.project_id = ${projectId} and r.action = 'redirect' and r.prefix is null
                and r.pattern_start is null and ${isHere} and ${isInForce} and ${isThere}
              order by ${order} limit ${NEIGHBOURS_EACH_SIDE}) as r
      cross join lateral (${selectTargetOf(projectId)}) as p
      order by ${order} limit ${PER_SIDE})`;
  return sql<NearRedirect>`
    select n.page_id, n.old_path, x.path, x.path_words, x.slug_words
      from (${side(sql`r.path_order >= ${pathOrder}`, sql`r.path_order`)}
            union all
            ${side(sql`r.path_order < ${pathOrder}`, sql`r.path_order desc`)}) as n
      ${joinIndexedPages(['path', 'path_words', 'slug_words'], projectId, 'n.page_id')}`;
}

/**
 * Tells whether a page stood next to a page that was deleted: it came before the deletion, and in the first half of
 * that page's life or within a day of its arrival. What came later may be its new place, which owners build before they
 * delete.
 */
export function stoodBeside(createdAt: Sql): Sql {
  return sql`coalesce((select bool_or(${createdAt} < t.deleted_at and (t.created_at is null or
               ${createdAt} < t.created_at + greatest(interval '1 day', (t.deleted_at - t.created_at) / 2)))
          from deleted_here t), false)`;
}

/** A path has at most so many pages that are not guessed any more. */
const MAX_WRONG = sql`limit 100`;

/** Makes a query of the urls of pages that were judged wrong for a path, by the first of its keys. */
export function selectJudgedWrong(projectId: string, keys: readonly Buffer[]): Sql {
  const isWrong = sql`r.project_id = ${projectId} and r.path_key = k.key`;
  return sql`
    select j.url from (select (${keys}::bytea[])[1] as key offset 0) as k ${joinLookup('wrong_guesses', 'j', ['url'], isWrong, MAX_WRONG)}`;
}

/** A project, with its model and the reach of its own indexes, if its pages are searched for similar ones. */
export interface SearchedProject {
  projectId: string;
  modelId?: number | undefined;
  /** The place in the order of arrival up to which the project's own indexes reach; undefined: it has none. */
  covered?: string | undefined;
}

/** The minimum cosines of the beginnings, and of the weighted terms, for a page with an edited sentence or two. */
const MIN_BEGINNING = 0.95;
const MIN_TERMS = 0.85;
/** A path may have several remembered pages, on other hosts or in other spellings. So many are compared. */
const MAX_REMEMBERED = sql`limit 5`;

/**
 * Makes a query of the pages with the content of a page whose path this was, or to which a redirect of this path leads:
 * a page that was deleted, or that visitors report missing. Its rows are {@link LearnedRedirect}s: `content` for equal
 * content, `similar` for nearly equal, `former` for what the page held before its content was replaced.
 *
 * The search for similar pages happens only for a path with a tombstone. As a search does, it compares the beginnings
 * of all pages, or in a project with own indexes those of the nearest pages and of the unindexed tail. Without a model
 * it is left out.
 */
function selectRemembered({ projectId, modelId, covered }: SearchedProject, keys: readonly Buffer[]): Sql {
  const hashes = ['content_hash', 'former_hash', 'url_hash'];
  const vectors = ['model_id', 'beginning', 'terms'];
  const key = sql`unnest(${keys}::bytea[]) as k (key)`;
  const tombstone = (pathKey: Sql): Sql => {
    const ofKey = sql`r.project_id = ${projectId} and r.path_key = ${pathKey}`;
    return joinLookup('tombstones', 't', [...hashes, ...vectors], ofKey, MAX_REMEMBERED);
  };
  const leads = sql`r.project_id = ${projectId} and r.rule_key = k.key and r.target_key is not null`;
  const redirect = joinLookup('rules', 'w', ['target_key'], leads, sql`limit 1`);
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
      ${joinIndexedPages(['page_id'], projectId, 'p.page_id')}`;
  if (modelId === undefined) return sql`(with ${deleted} ${same})`;
  const distance = sql`select r.page_id, r.embedding <#> d.beginning as distance from pathmend.chunks r
        where r.project_id = ${projectId} and r.model_id = ${modelId} and r.ordinal = -1`;
  const compared =
    covered !== undefined
      ? sql`${distance} and r.page_id = any (array(
             select page_id from ${pagesInReach({ projectId, modelId, covered }, { vector: sql`d.beginning` })}))
       union all
       ${distance} and ${arrivedAfter(sql`${covered}`)}
       order by distance`
      : sql`${distance} order by distance`;
  return sql`(with ${deleted} ${same}
    union all
    select n.page_id, 'similar', encode(d.key, 'hex'), 0::float8, null::jsonb
      from (select * from deleted where model_id = ${modelId} and beginning is not null ${MAX_REMEMBERED}) as d
     cross join lateral (${compared} limit 3) as n
      ${joinLookup('page_terms', 't', ['terms'], sql`r.project_id = ${projectId} and r.page_id = n.page_id and r.part = 0`)}
      ${joinIndexedPages(['page_id'], projectId, 'n.page_id')}
     where -n.distance >= ${MIN_BEGINNING}::float8 and 1 - (t.terms <=> d.terms) >= ${MIN_TERMS}::float8)`;
}
