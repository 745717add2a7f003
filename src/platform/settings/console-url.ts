import { OperatorError } from '../../base/errors.js';
import { isLoopbackHost } from '../../text/ip-address.js';
import { parseUrl } from '../../text/parse-url.js';

export const DEMO_CONSOLE_PORT = 8081;

/**
 * Checks CONSOLE_URL, and takes the slash from its end.
 * @throws OperatorError for a url whose cookies a browser would refuse.
 */
export function readConsoleUrl(given: string): string {
  const url = parseUrl(given);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.search !== '' || url.hash !== '')
    throw new OperatorError(
      `CONSOLE_URL must be the url of the console as browsers ask for it, such as https://pathmend.example.com/console; not ${JSON.stringify(given)}.`,
    );
  if (url.username !== '' || url.password !== '')
    throw new OperatorError('CONSOLE_URL must have no user and password.');
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw new OperatorError(
      `CONSOLE_URL must begin with https:// (only localhost may do without): browsers keep no secure cookie of ${url.origin}, so that nobody could log in.`,
    );
  return `${url.origin}${url.pathname.replace(/\/$/, '')}`;
}

/** Where the console is when CONSOLE_URL is not set. */
export function defaultConsoleUrl(port: number): string {
  return `http://localhost:${port}/console`;
}
