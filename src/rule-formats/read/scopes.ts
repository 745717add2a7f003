import { OperatorError } from '../../base/errors.js';
import { MAX_LEVELS } from '../../base/json.js';
import { MAX_HOSTS, withConditions, type Conditions } from './conditions.js';
import { refused, skipConditional, type ReadRule, type Rule } from './read-rule.js';
import { parseSource } from './source-address.js';

/** A scope is a block of a server's configuration (`location`, `<Location>`), which changes the rules in it. */
export interface Scope {
  /** As it is written. */
  text: string;
  /** Its rules hold for some visitors only, or the condition is not understood. */
  only?: boolean;
  /** The paths that come into the block. */
  takes?: (path: string) => boolean;
  /** What must hold beside the path. */
  when?: Conditions;
  /** Of a server: rules were read in it. */
  hasRules?: boolean;
}

/** @throws OperatorError where blocks nest deeper than any real configuration: each rule is held against all of them */
export function checkDepth(blocks: number): void {
  if (blocks > MAX_LEVELS)
    throw new OperatorError(`Blocks nest more than ${MAX_LEVELS} levels deep: some are not closed.`);
}

/** Names of a server, beside those that it has. @param hosts undefined: some are not understood, as the text says */
export function nameHosts(server: Scope, hosts: readonly string[] | undefined, text: string): void {
  const known = server.when?.hosts ?? [];
  if (known.length > MAX_HOSTS) return;
  if (hosts) server.when = { hosts: [...new Set([...known, ...hosts])] };
  else Object.assign(server, { only: true, text });
}

/** What comes of names behind rules of their server. */
export function lateNames({ hasRules }: Scope, directive: string): ReadRule[] {
  const message = `${directive} stands behind rules of its server, which are read for any host: put it first`;
  return hasRules ? [refused(message)] : [];
}

/** The rule as it stands in these blocks, the innermost last: with what they say, or refused. */
export function inScopes(rule: Rule, scopes: readonly Scope[]): Rule | Rule[] {
  const conditions = scopes.flatMap(({ when }) => when ?? []);
  const innermost = scopes.findLast(({ when }) => when)?.text ?? '';
  return withConditions(scopes.reduceRight(inScope, rule), innermost, conditions);
}

function inScope(rule: Rule, { text, only, takes }: Scope): Rule {
  if (!('from' in rule)) return rule;
  const { from } = rule;
  // What a pattern matches may be outside.
  if (rule.kind === 'pattern' && takes && !takes(literalStart(from))) return skipConditional(`${text}: ${rule.from}`);
  if (only || !(takes?.(from) ?? true)) return skipConditional(`${text}: ${rule.from}`);
  return rule;
}

function literalStart(pattern: string): string {
  const at = pattern.search(/\*|(?<![\p{L}\p{N}]):[a-z]/iu);
  return at < 0 ? pattern : pattern.slice(0, at);
}

/** Paths that begin with this text, in any notation. */
export function startsWith(beginning: string): (path: string) => boolean {
  return (path) => plain(path).startsWith(plain(beginning));
}

/** A path, and all below it. */
export function isAtOrBelow(folder: string): (path: string) => boolean {
  const bare = plain(folder.replace(/\/$/, ''));
  return (path) => plain(path) === bare || plain(path).startsWith(`${bare}/`);
}

export function isPath(wanted: string): (path: string) => boolean {
  return (path) => plain(path) === plain(wanted);
}

function plain(path: string): string {
  return (parseSource(path)?.path ?? path).replace(/\/{2,}/g, '/');
}
