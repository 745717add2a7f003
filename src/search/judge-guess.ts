import type { Db, Trx } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { IndexChanges } from '../projects/index-changes.js';
import { bumpIndexVersion } from '../projects/index-version.js';
import { pathKey } from '../text/paths/plain-path.js';
import { deleteLastJudgement, findGuess, overruleWrong, storeJudgement } from './store/judgements.js';

type JudgeDeps = { db: Db; indexChanges: IndexChanges };

/** Stores a person's judgement (null: skipped). Returns the path; undefined if the search is not kept. */
export async function judgeGuess(
  deps: JudgeDeps,
  projectId: string,
  { searchId, isRight, by }: { searchId: string; isRight: boolean | null; by: string },
): Promise<string | undefined> {
  const guess = await findGuess(deps.db, projectId, searchId);
  if (!guess) return undefined;
  const key = pathKey(guess.path);
  const [counted = ''] = guess.path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  await changeAnswers(deps, projectId, async (trx) => {
    await storeJudgement(trx, projectId, {
      ...guess,
      path_key: key,
      counted_path: pathKey(counted).equals(key) ? counted : null,
      is_right: isRight,
      judged_by: by,
    });
    return isRight ?? undefined;
  });
  return guess.path;
}

/** Takes back the last judgement of a person. Returns its path; undefined if there is none. */
export function takeJudgementBack(deps: JudgeDeps, projectId: string, by: string): Promise<string | undefined> {
  return changeAnswers(deps, projectId, (trx) => deleteLastJudgement(trx, projectId, by));
}

/** Notes that the owner leads a path to a page. If somebody judged this page wrong, it is right from now on. */
export function overruleJudgement(deps: JudgeDeps, projectId: string, of: { path: string; url: string; by: string }) {
  return changeAnswers(deps, projectId, (trx) => overruleWrong(trx, projectId, of));
}

/** @param change returns undefined if it changed no answer */
async function changeAnswers<T>({ db, indexChanges }: JudgeDeps, projectId: string, change: (trx: Trx) => Promise<T>) {
  const changed = await inTransaction(db, async (trx) => {
    const made = await change(trx);
    if (made !== undefined) await bumpIndexVersion(trx, projectId);
    return made;
  });
  if (changed !== undefined) await indexChanges.committedAndVisible(projectId);
  return changed;
}
