import { OperatorError } from '../../base/errors.js';
import { MAX_LEVELS } from '../../base/json.js';
import { MAX_HOSTS, withConditions, type Conditions } from './conditions.js';
import { refused, skipConditional, type ReadRule, type Rule } from './read-rule.js';
import { parseSource } from './source-address.js';

/** A scope is a block of a server's configuration (`location`, `<Location>`), which changes the rules in it. */
export interface Scope {
  /** The beginning of the block as it is written, for messages. */
  text: string;
  /** Whether its rules hold for some visitors only, or the condition is not understood. */
  only?: boolean;
  /** Tells whether the block is for a path. Absent: it is for all paths. */
  takes?: (path: string) => boolean;
  /** The conditions that must hold in the block, apart from the path. */
  when?: Conditions;
  /** Whether rules were read in the block, if it is a server. */
  hasRules?: boolean;
}

/** @throws OperatorError if blocks nest deeper than any real configuration: each rule is checked against all of them */
export function checkDepth(blocks: number): void {
  if (blocks > MAX_LEVELS)
    throw new OperatorError(`Blocks nest more than ${MAX_LEVELS} levels deep: some are not closed.`);
}

/**
 * Adds names to those that a server has.
 * @param hosts undefined if some names are not understood, as the text tells
 */
export function nameHosts(server: Scope, hosts: readonly string[] | undefined, text: string): void {
  const known = server.when?.hosts ?? [];
  if (known.length > MAX_HOSTS) return;
  if (hosts) server.when = { hosts: [...new Set([...known, ...hosts])] };
  else Object.assign(server, { only: true, text });
}

/** Refuses names behind rules of their server, since these rules were read for any host. */
export function lateNames({ hasRules }: Scope, directive: string): ReadRule[] {
  const message = `${directive} stands behind rules of its server, which are read for any host: put it first`;
  return hasRules ? [refused(message)] : [];
}

/** Reads a rule in its blocks, the innermost last: adds their conditions to the rule, or refuses it. */
export function inScopes(rule: Rule, scopes: readonly Scope[]): Rule | Rule[] {
  const conditions = scopes.flatMap(({ when }) => when ?? []);
  const innermost = scopes.findLast(({ when }) => when)?.text ?? '';
  return withConditions(scopes.reduceRight(inScope, rule), innermost, conditions);
}

function inScope(rule: Rule, { text, only, takes }: Scope): Rule {
  if (!('from' in rule)) return rule;
  const { from } = rule;
  // A pattern may match paths outside the block.
  if (rule.kind === 'pattern' && takes && !takes(literalStart(from))) return skipConditional(`${text}: ${rule.from}`);
  if (only || !(takes?.(from) ?? true)) return skipConditional(`${text}: ${rule.from}`);
  return rule;
}

function literalStart(pattern: string): string {
  const at = pattern.search(/\*|(?<![\p{L}\p{N}]):[a-z]/iu);
  return at < 0 ? pattern : pattern.slice(0, at);
}

/** Makes a test for paths that begin with this text, in any notation. */
export function startsWith(beginning: string): (path: string) => boolean {
  return (path) => plain(path).startsWith(plain(beginning));
}

/** Makes a test for a path, and all below it. */
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
