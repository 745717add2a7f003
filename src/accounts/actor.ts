import type { Db } from '../platform/database/db.js';
import { insertAuditEntry, type Author } from './store/audit-log.js';

/** An actor changes something; the audit log keeps who it was. */
export interface Actor extends Author {
  /** The name in the history of rules. */
  name: string;
}

/** An actor without a login. */
function program(name: string, who = name): Actor {
  return { name, userId: null, who, method: null, address: '' };
}

export const COMMAND_LINE = 'command line';

/**
 * The actor of a command. No login names the people who may run commands, and they have access to the database anyway.
 * The name that they give themselves follows fixed words, which distinguish their entries from those of the console.
 */
export function onCommandLine(name = COMMAND_LINE): Actor {
  return program(name, name === COMMAND_LINE ? COMMAND_LINE : `${COMMAND_LINE} (${name})`);
}

export const DEMO: Actor = program('demo');

/** The project that a change is about; undefined: none. */
export type AboutProject = { project_id: string; name: string } | undefined;

/**
 * Writes a change into the audit log, in the transaction of the change: neither is stored without the other.
 * @param action a verb and what it was done to
 * @param subject the name of the changed thing; never a secret
 */
export async function recordChange(db: Db, author: Author, project: AboutProject, action: string, subject: string) {
  await insertAuditEntry(db, { ...author, project, action, subject });
}
