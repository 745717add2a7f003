import { readLiteral } from './expressions.js';
import type { Conditions } from './conditions.js';

/** How the target of a server passes the request's query string on, before its section. */
const PASSED =
  /(?:\$is_args\$(?:args|query_string)|[?&](?:\$(?:args|query_string)|%\{QUERY_STRING\}|\{(?:QUERY_STRING|(?:http\.request\.uri\.)?query)\})|\?%\[query\]|%\[query,regsub\(\^\.,[?&]\\0\)\])(?=#|$)/;

/** A target without the request's query string. */
export function splitPassed(target: string): { target: string; passes: boolean } {
  const bare = target.replace(PASSED, '');
  return { target: bare, passes: bare !== target };
}

const LOOKAHEADS = /\\\?((?:\(\?=\(\?:\.\*&\)\?[^()]+\(\?:&\|\$\)\))+)$/;
const LOOKAHEAD = /\(\?=\(\?:\.\*&\)\?([^()]+)\(\?:&\|\$\)\)/g;
/** One parameter, or two in both orders. */
const AMONG_OTHERS =
  /\\\?\(\(\?:\.\*&\)\?(?:([^()|]+)|\(\?:([^()|]+)&\(\?:\.\*&\)\?([^()|]+)\|[^()|]+&\(\?:\.\*&\)\?[^()|]+\))\(\?:&\.\*\)\?\)\$$/;

/**
 * An expression of a request, `^/item\?(?=(?:.*&)?id=7(?:&|$))` of nginx or `^/item\?((?:.*&)?id=7(?:&.*)?)$` of
 * Traefik: that of the path, and the parameters. Others stay as they are.
 */
export function splitRequest(expression: string): { path: string; when: Conditions } {
  const ahead = LOOKAHEADS.exec(expression);
  const among = ahead ? null : AMONG_OTHERS.exec(expression);
  const texts = ahead
    ? [...(ahead[1] ?? '').matchAll(LOOKAHEAD)].map(([, text]) => text)
    : (among?.slice(1) as (string | undefined)[] | undefined)?.filter((text) => text !== undefined);
  const parameters = (texts ?? []).map((text) => readLiteral(`^${text ?? ''}$`));
  if (parameters.length === 0 || parameters.includes(undefined)) return { path: expression, when: {} };
  const path = expression.replace(ahead ? LOOKAHEADS : AMONG_OTHERS, '');
  const end = among ? '(\\?.*)?$' : /\*\)?$/.test(path) ? '' : '(?:\\?|$)';
  return { path: path + end, when: { query: parameters.join('&') } };
}
