import { recordChange, type AboutProject, type Actor } from '../accounts/actor.js';
import { messageOf, OperatorError } from '../base/errors.js';
import type { Db } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { sqlState } from '../platform/database/session/database-errors.js';
import { query, sql } from '../platform/database/sql.js';

/** Makes a login for the schema `analytics`, of all projects or of one. @returns its password. @throws OperatorError */
export function makeAnalyst(db: Db, actor: Actor, name: string, project: AboutProject): Promise<string> {
  return inTransaction(db, async (trx) => {
    await recordChange(trx, actor, project, 'analyst made', name);
    return await query(sql<{ password: string }>`
      select pathmend.make_analyst(${name}, ${project?.project_id}::uuid) as password`).value(trx, 'password', '');
  }).catch((error: unknown) => {
    throw sqlState(error)?.startsWith('42') === true ? new OperatorError(messageOf(error), { cause: error }) : error;
  });
}
