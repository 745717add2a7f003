import type { LedBy } from '../../base/glossary.js';
import type { Db, Trx } from '../../platform/database/db.js';
import type { PathSpellings } from '../../platform/database/path-spellings.js';
import { NOW, query, sha256, sql } from '../../platform/database/sql.js';
import { selectAskedAgain } from '../../analytics/store/asked-again.js';
import type { JudgedScore } from '../ranking/scores/judged-share.js';

/** A search whose best page redirects, or would, with what a person needs to judge it. */
export interface Guess {
  search_id: string;
  path: string;
  score: number;
  url: string;
  title: string | null;
  /** The first characters of the page's content. */
  beginning: string;
  /** Null for a mere guess. */
  by: LedBy | null;
  /** Counts of {@link selectAskedAgain}; null: not known. */
  redirects: number | null;
  again: number | null;
}

/** The searches of so many days are looked at, MAX_LOOKED at most: those with the first ids, which are random. */
const DAYS = 28;
const MAX_LOOKED = 20_000;
const BEGINNING = 300;
/** Paths that were asked for again come first, up to so many. A sample has at most so many redirects by rules. */
const MAX_FIRST = 5;
const MAX_BY_RULES = 4;
/** More judgements are not read. */
const MAX_JUDGED = 100_000;

const IS_OF_PATH = sql`s.kind in ('suggest', 'proxy', 'not-found') and not s.is_test and not s.of_others and not s.filtered`;

/**
 * Samples the latest redirect of each path that people met and nobody judged. First come some whose visitors asked
 * again; then, in turns, one by a rule and guesses of the bands .99 to 1, .95 to .99, .9 to .95, and .7 to .9.
 */
export function sampleGuesses(db: Db, projectId: string, limit: number): Promise<Guess[]> {
  return query(sql<Guess>`
    with looked as materialized (
      select s.* from pathmend.searches s
       where s.project_id = ${projectId}
         and (s.searched_at at time zone 'UTC')::date > (now() at time zone 'UTC')::date - ${DAYS}::int
       order by s.search_id limit ${MAX_LOOKED}),
    latest as (
      select distinct on (s.input) s.search_id, s.input as path, s.best_score as score, s.results -> 0 ->> 'page_id' as page_id,
             coalesce(s.results -> 0 ->> 'by', case when s.best_score >= 1 then 'rule' end) as by
        from looked s where ${IS_OF_PATH} order by s.input, s.searched_at desc),
    asked as (${selectAskedAgain(projectId)}),
    guesses as (
      select l.*, p.url, p.title, a.redirects, a.again, width_bucket(l.score, array[0.9, 0.95, 0.99, 1]) as band
        from latest l join pathmend.pages p on p.project_id = ${projectId} and p.page_id = l.page_id
        left join asked a on a.path = l.path
       where l.score >= 0.7
         and l.path not in (select path from pathmend.judgements where project_id = ${projectId})),
    placed as (
      select *, row_number() over (partition by band order by search_id) as turn,
             again > 0 and row_number() over (order by coalesce(again, 0) desc, search_id) <= ${MAX_FIRST} as is_first
        from guesses)
    select search_id, path, score, url, title, by, redirects, again,
           (select left(p.content, ${BEGINNING}) from pathmend.pages p
             where p.project_id = ${projectId} and p.page_id = g.page_id) as beginning
      from placed g where score < 1 or turn <= ${MAX_BY_RULES} or is_first
     order by is_first is true desc, turn, band desc limit ${limit}`).rows(db);
}

/** Finds the guess of a search; undefined if the search is no longer kept, or its page is deleted. */
export function findGuess(db: Db, projectId: string, searchId: string) {
  return query(sql<Pick<Guess, 'path' | 'score' | 'url'>>`
    select s.input as path, s.best_score as score, p.url
      from pathmend.searches s
      join pathmend.pages p on p.project_id = ${projectId} and p.page_id = s.results -> 0 ->> 'page_id'
     where s.project_id = ${projectId} and s.search_id = ${searchId} and ${IS_OF_PATH} limit 1`).first(db);
}

type JudgedKey = { path_key: Buffer; url: string };

export interface Judgement extends JudgedKey, Pick<Guess, 'path' | 'score'> {
  /** The path as 404s are counted; null if its query string tells which page is meant. */
  counted_path: string | null;
  /** Null says that it was skipped. */
  is_right: boolean | null;
  judged_by: string;
}

/** Stores or deletes that a page is wrong for a path. Searches find wrong pages by the path's key alone. */
async function setWrong(trx: Trx, projectId: string, { path_key, url }: JudgedKey, isWrong: boolean): Promise<void> {
  await trx
    .deleteFrom('pathmend.wrong_guesses')
    .where('project_id', '=', projectId)
    .where('path_key', '=', path_key)
    .where('url', '=', url)
    .execute();
  if (!isWrong) return;
  await trx
    .insertInto('pathmend.wrong_guesses')
    .values({ project_id: projectId, path_key, url_hash: sha256(url), url })
    .execute();
}

export async function storeJudgement(trx: Trx, projectId: string, judged: Judgement): Promise<void> {
  const { path_key, path, counted_path, url, score, is_right, judged_by } = judged;
  await trx
    .insertInto('pathmend.judgements')
    .values({
      project_id: projectId,
      path_key,
      url_hash: sha256(url),
      path,
      path_hash: sha256(counted_path),
      url,
      score,
      is_right,
      judged_by,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'path_key', 'url_hash'])
        .doUpdateSet({ score, is_right, judged_by, judged_at: NOW }),
    )
    .execute();
  await setWrong(trx, projectId, judged, is_right === false);
}

/** Judges a page right that was judged wrong; undefined if there was none. */
export async function overruleWrong(trx: Trx, projectId: string, judged: { path: string; url: string; by: string }) {
  const overruled = await trx
    .updateTable('pathmend.judgements')
    .set({ is_right: true, judged_by: judged.by, judged_at: NOW })
    .where('project_id', '=', projectId)
    .where('path_hash', '=', sha256(judged.path))
    .where('url', '=', judged.url)
    .where('is_right', '=', false)
    .returning(['path_key', 'url'])
    .execute();
  for (const key of overruled) await setWrong(trx, projectId, key, false);
  return overruled[0];
}

/** Deletes the last judgement of a person, and returns its path; undefined if there is none. */
export async function deleteLastJudgement(trx: Trx, projectId: string, judgedBy: string): Promise<string | undefined> {
  const taken = await query(sql<JudgedKey & { path: string }>`
    delete from pathmend.judgements
     where project_id = ${projectId}
       and (path_key, url_hash) = (select path_key, url_hash from pathmend.judgements
                                    where project_id = ${projectId} and judged_by = ${judgedBy}
                                    order by judged_at desc limit 1)
    returning path, path_key, url`).first(trx);
  if (taken) await setWrong(trx, projectId, taken, false);
  return taken?.path;
}

/** Reads the scores of guesses that were judged, without those that were skipped. */
export function selectJudgedScores(db: Db, projectId: string): Promise<JudgedScore[]> {
  return query(sql<JudgedScore>`
    select score, is_right as "isRight" from pathmend.judgements
     where project_id = ${projectId} and is_right is not null and score < 1 limit ${MAX_JUDGED}`).rows(db);
}

/** Erases the judgements of a path. Returns whether there were any: then answers may change. */
export async function eraseJudgements(trx: Trx, projectId: string, path: PathSpellings): Promise<boolean> {
  const paths = await path.among(trx, sql`select path from pathmend.judgements where project_id = ${projectId}`);
  const erased = await query(sql<JudgedKey>`
    delete from pathmend.judgements where project_id = ${projectId} and path = any (${paths}::text[])
    returning path_key, url`).rows(trx);
  for (const judged of erased) await setWrong(trx, projectId, judged, false);
  return erased.length > 0;
}
