import type { Db } from '../platform/database/db.js';
import { insertAuditEntry } from './store/audit-log.js';
import type { LoginMethod } from './roles.js';

/** An actor changes something; the audit log keeps who it was. */
export interface Actor {
  /** The name in the history of rules. */
  name: string;
  userId: string | null;
  /** An e-mail address; of no login, what does it. */
  who: string;
  /** The user logged in by this method; null: not logged in. */
  method: LoginMethod | null;
  /** The caller's; '': not known. */
  address: string;
}

/** An actor without a login. */
function program(name: string, who = name): Actor {
  return { name, userId: null, who, method: null, address: '' };
}

export const COMMAND_LINE = 'command line';

/**
 * People who may run commands have the database anyway, and no login names them: their own name for themselves follows
 * the words that distinguish their entries from those of the console.
 */
export function onCommandLine(name = COMMAND_LINE): Actor {
  return program(name, name === COMMAND_LINE ? COMMAND_LINE : `${COMMAND_LINE} (${name})`);
}

export const DEMO: Actor = program('demo');

/** A change is about a project; undefined: about none. */
export type AboutProject = { project_id: string; name: string } | undefined;

/**
 * Writes a change into the audit log: in its transaction, so that there is none without the other.
 * @param action a verb and what it was done to
 * @param subject which one; never a secret
 */
export async function recordChange(
  db: Db,
  { userId, who, method, address }: Omit<Actor, 'name'>,
  project: AboutProject,
  action: string,
  subject: string,
): Promise<void> {
  await insertAuditEntry(db, { userId, who, project, action, subject, method, address });
}
