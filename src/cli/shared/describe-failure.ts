import {
  isDatabaseUnavailable,
  isDiskFull,
  isProjectGone,
  sqlState,
} from '../../platform/database/session/database-errors.js';
import { explainConnection, explainRefusal } from '../../platform/database/explain-refusal.js';
import { OperatorError, ApiError } from '../../base/errors.js';

/** The SQLSTATEs of a damaged database: data_corrupted (wrong checksum or header of a page) and index_corrupted. */
const DAMAGED = new Set(['XX001', 'XX002']);

/** Returns the message of a failed command: one line when an operator can act on it; the stack when it is a bug. */
export function describeFailure(error: unknown, databaseUrl: string | undefined): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof OperatorError) return error.message;
  const refusal = databaseUrl === undefined ? undefined : explainRefusal(error, databaseUrl);
  if (refusal) return refusal.message;
  const connection = explainConnection(error);
  if (connection) return connection.message;
  if (DAMAGED.has(sqlState(error) ?? ''))
    return `The database is damaged: ${error.message}. Restore a backup (docs/operate/backup.md, Damaged database). Until then its answers may be wrong.`;
  if (isDiskFull(error)) return 'The database has no space left on its disk.';
  if (isDatabaseUnavailable(error)) return `The database cannot be reached at the moment: ${error.message}`;
  if (isProjectGone(error)) return PROJECT_GONE;
  return error.stack ?? error.message;
}

export const PROJECT_GONE = 'The project was deleted meanwhile: what the command had done of it is gone, too.';

/** The options whose names differ from those of their fields. */
const OPTIONS: Readonly<Record<string, string>> = {
  emails: '--email',
  webhook_url: '--webhook',
  every_seconds: '--every',
};

/** Makes an error that names the option: a person sent no API field. @throws OperatorError, or the error itself */
export function explainOptionError(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  const { param, message } = error;
  if (param === undefined) throw new OperatorError(message, { cause: error });
  const option = OPTIONS[param] ?? `--${param.replaceAll('_', '-')}`;
  const text = message.startsWith(`${param} `) ? `${option}${message.slice(param.length)}` : `${option}: ${message}`;
  throw new OperatorError(text, { cause: error });
}
