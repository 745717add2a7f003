import type { Db } from '../platform/database/db.js';
import { inTransaction } from '../platform/database/session/connect.js';
import { recordChange, type Actor } from './actor.js';
import { deleteUser, updateUser } from './store/users.js';

/** False if there is no such user. @param changes what is undefined stays */
export async function changeUser(
  db: Db,
  actor: Actor,
  email: string,
  changes: { disabled?: boolean | undefined; passwordLogin?: boolean | undefined },
): Promise<boolean> {
  const { disabled, passwordLogin } = changes;
  const said = [
    ...(disabled === undefined ? [] : [disabled ? 'disabled' : 'let in again']),
    ...(passwordLogin === undefined ? [] : [`password login ${passwordLogin ? 'on' : 'off'}`]),
  ];
  return inTransaction(db, async (trx) => {
    const found = await updateUser(trx, email, changes);
    if (found) await recordChange(trx, actor, undefined, 'user changed', `${email}: ${said.join(', ')}`);
    return found;
  });
}

/** Whether there was such a user. */
export async function removeUser(db: Db, actor: Actor, email: string): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const found = await deleteUser(trx, email);
    if (found) await recordChange(trx, actor, undefined, 'user deleted', email);
    return found;
  });
}
