import {
  MAX_CONDITIONS,
  queryCondition,
  readHosts,
  readParameter,
  readSeconds,
  type Conditions,
} from './conditions.js';
import { readExpression, type Matched } from './expressions.js';
import { escapeColons } from './source-address.js';
import { allBelow } from './to-rule.js';

/** One of the paths or expressions of a matcher; or what is not understood of it. */
export type Alternative = { text: string; matched: Matched } | { text: string; isConditional: true };

/** A named matcher: one of its paths, and all that it says besides. */
export class CaddyMatcher {
  #paths: readonly Alternative[] | undefined;
  #unread: string | undefined;
  #conditions: Conditions[] = [];

  /** What must hold beside the path. */
  get when(): readonly Conditions[] {
    return this.#conditions;
  }

  /** It says nothing of the path, and all that it says is understood. */
  get isOfAllPaths(): boolean {
    return this.#paths === undefined && this.#unread === undefined && this.#conditions.length === 1;
  }

  get alternatives(): readonly Alternative[] {
    if (this.#unread !== undefined) return [{ text: this.#unread, isConditional: true }];
    const [{ query = '', hosts = [] } = {}] = this.#conditions;
    const ofAll = { text: query || hosts.join(' '), matched: { refused: 'it is for every path' } };
    return this.#paths ?? [ofAll];
  }

  /** `path /old /older`, `host a.example`: matchers of one name must hold together. */
  add(kind: string, args: readonly string[]): void {
    const value = args.at(-1) ?? '';
    const paths = pathsOf(kind, args);
    const condition = conditionOf(kind, args, value);
    const said = kind === 'expression' ? readCel(args.join(' ')) : [condition];
    const known = said.filter((one) => one !== undefined);
    if (paths && this.#paths === undefined) this.#paths = paths;
    else if (known.length === said.length && this.#conditions.length + known.length <= MAX_CONDITIONS)
      this.#conditions.push(...known);
    else this.#unread ??= [kind, ...args].join(' ');
  }
}

/** What an `expression` says that must hold together: of the query string and of the time. */
function readCel(text: string): (Conditions | undefined)[] {
  return text
    .replace(/^`|`$/g, '')
    .split(' && ')
    .map((part) => {
      const [, expression] = /^\{http\.request\.uri\.query\}\.matches\(r"([^"]*)"\)$/.exec(part) ?? [];
      if (expression !== undefined) return queryCondition(expression, true);
      const [, sign, seconds = ''] = /^int\(\{time\.now\.unix\}\) (>=|<) (\d+)$/.exec(part) ?? [];
      return sign === undefined ? undefined : readSeconds(sign === '<' ? 'lt' : 'ge', seconds);
    });
}

function pathsOf(kind: string, args: readonly string[]): Alternative[] | undefined {
  const value = args.at(-1) ?? '';
  const isUri = kind === 'vars_regexp' && args.at(-2) === '{http.request.uri}';
  if (kind === 'path' && args.length > 0) return args.map((path) => ({ text: path, matched: pathOf(path) }));
  if (kind === 'path_regexp' || isUri) return [{ text: value, matched: readExpression(value, isUri) }];
  return undefined;
}

function conditionOf(kind: string, args: readonly string[], value: string): Conditions | undefined {
  if (kind === 'host') {
    const hosts = readHosts(args);
    return hosts && { hosts };
  }
  if (kind === 'vars_regexp' && args.at(-2) === '{http.request.uri.query}') return queryCondition(value, true);
  // The same parameter twice is one or the other.
  const names = new Set(args.map((one) => one.split('=', 1)[0]));
  if (kind !== 'query' || args.length === 0 || names.size < args.length) return undefined;
  const query = args.map((one) => {
    const at = one.indexOf('=');
    return at < 1 || one.includes('*') ? undefined : readParameter(one.slice(0, at), one.slice(at + 1));
  });
  return query.includes(undefined) ? undefined : queryCondition(query.join('&'), false);
}

/** A path of Caddy is literal, but for a star at its end. */
export function pathOf(written: string): Matched {
  const path = escapeColons(written);
  const beginning = path.slice(0, -1);
  if (!path.includes('*')) return { path };
  if (!path.endsWith('*') || beginning.includes('*')) return { refused: 'a star may stand at its end alone' };
  return allBelow(beginning);
}
