import { ApiError, OperatorError } from '../../base/errors.js';

/** Of fields whose option has another name. */
const OPTIONS: Readonly<Record<string, string>> = { emails: '--email', webhook_url: '--webhook' };

/** Nobody called an API: in place of an ApiError one that names the option. @throws OperatorError, or what is none */
export function sayOption(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  const { param, message } = error;
  if (param === undefined) throw new OperatorError(message, { cause: error });
  const option = OPTIONS[param] ?? `--${param.replaceAll('_', '-')}`;
  const said = message.startsWith(`${param} `) ? `${option}${message.slice(param.length)}` : `${option}: ${message}`;
  throw new OperatorError(said, { cause: error });
}
