import { recordChange, type AboutProject, type Actor } from '../../accounts/actor.js';
import type { Db } from '../../platform/database/db.js';
import { inTransaction } from '../../platform/database/session/connect.js';
import { bumpIndexVersion } from '../../projects/index-version.js';
import { requestOwnWeights, undoOwnWeights } from '../store/project-weights.js';

/** Switches to the model's weights until a fit is requested. */
export async function undoWeights(db: Db, actor: Actor, project: NonNullable<AboutProject>): Promise<void> {
  await inTransaction(db, async (trx) => {
    await recordChange(trx, actor, project, 'weights changed', "the model's");
    await undoOwnWeights(trx, project.project_id);
    await bumpIndexVersion(trx, project.project_id);
  });
}

/** Makes a fit due; the caller queues its job. */
export async function requestWeights(db: Db, actor: Actor, project: NonNullable<AboutProject>): Promise<void> {
  await inTransaction(db, async (trx) => {
    await recordChange(trx, actor, project, 'weights changed', 'fitted');
    await requestOwnWeights(trx, project.project_id);
  });
}
