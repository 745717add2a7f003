import type { Db } from '../platform/database/db.js';
import { insertAuditEntry } from './store/audit-log.js';
import type { LoginMethod } from './store/sessions.js';
import { createGuessLimit } from '../projects/failed-key-limit.js';
import type { Logger } from '../base/logger.js';

/** A login, or one that was tried. */
export interface LoginTry {
  method: LoginMethod;
  /** The caller's. */
  address: string;
  /** Undefined: of no account that is known. */
  userId?: string | undefined;
  /** The e-mail address. Never what somebody typed and is no account's: it may be a password. */
  who?: string | undefined;
}

export interface LoginAudit {
  loggedIn(login: LoginTry): Promise<void>;
  /** Counts it and, where few were refused lately, writes it into the audit log. */
  refused(login: LoginTry, reason: string): Promise<void>;
}

/** How somebody logged in, as the console and the log say it. */
export const METHOD_NAMES: Readonly<Record<LoginMethod, string>> = {
  password: 'password',
  oidc: 'single sign-on',
  proxy: "a proxy's header",
};
/** Refusals of a process, whoever's: many addresses together must not fill the disk. */
const MAX_REFUSALS_PER_MINUTE = 120;

export function createLoginAudit(
  db: Db,
  logger: Logger,
  limit = createGuessLimit(MAX_REFUSALS_PER_MINUTE, () => Promise.resolve([])),
): LoginAudit {
  let unwritten = 0;
  const how = ({ method, address }: LoginTry): string => `by ${METHOD_NAMES[method]} from ${address}`;
  return {
    loggedIn: (login) => write(db, login, 'logged in', how(login)),
    refused: async (login, reason) => {
      if (limit.waitSeconds('') > 0) {
        if (unwritten++ === 0) logger.warn('too many logins were refused: the audit log has only their number');
        return;
      }
      limit.recordRefused('');
      const more = unwritten === 0 ? '' : `; ${unwritten} more were refused before`;
      unwritten = 0;
      await write(db, login, 'login refused', `${how(login)}: ${reason}${more}`);
    },
  };
}

function write(db: Db, { userId, who, method, address }: LoginTry, action: string, subject: string): Promise<void> {
  return insertAuditEntry(db, {
    userId: userId ?? null,
    who: who ?? '(no account)',
    project: undefined,
    action,
    subject,
    method,
    address,
  });
}
