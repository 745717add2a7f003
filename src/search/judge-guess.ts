import type { Db } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import type { IndexChanges } from '../projects/index-changes.js';
import { bumpIndexVersion } from '../projects/index-version.js';
import { pathKey } from '../text/paths/plain-path.js';
import { deleteLastJudgement, findGuess, storeJudgement } from './store/judgements.js';

type JudgeDeps = { db: Db; indexChanges: IndexChanges };

/** Stores whether a search's best page is right; null: skipped. Returns the path; undefined: it is not kept. */
export async function judgeGuess(
  { db, indexChanges }: JudgeDeps,
  projectId: string,
  { searchId, isRight, by }: { searchId: string; isRight: boolean | null; by: string },
): Promise<string | undefined> {
  const guess = await findGuess(db, projectId, searchId);
  if (!guess) return undefined;
  const key = pathKey(guess.path);
  const [counted = ''] = guess.path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/, 1);
  await inTransaction(db, async (trx) => {
    await storeJudgement(trx, projectId, {
      ...guess,
      path_key: key,
      counted_path: pathKey(counted).equals(key) ? counted : null,
      is_right: isRight,
      judged_by: by,
    });
    if (isRight !== null) await bumpIndexVersion(trx, projectId);
  });
  await indexChanges.committedAndVisible(projectId);
  return guess.path;
}

/** Takes back what somebody judged last. Returns its path; undefined: there is nothing. */
export async function takeJudgementBack({ db, indexChanges }: JudgeDeps, projectId: string, by: string) {
  const path = await inTransaction(db, async (trx) => {
    const taken = await deleteLastJudgement(trx, projectId, by);
    await bumpIndexVersion(trx, projectId);
    return taken;
  });
  await indexChanges.committedAndVisible(projectId);
  return path;
}
