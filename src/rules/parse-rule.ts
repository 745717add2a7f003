import type { RuleKind } from '../base/glossary.js';
import { ANY_NUMBER, namesParts, namesPlaceholder, NUMBER } from '../rule-formats/path-pattern.js';
import { readTarget, type ParsedRule, type Target } from '../rule-formats/read-redirect.js';
import { termsOf, type RuleMeaning } from './rule-meaning.js';

/** Converts a listed rule into the form that rules of files have. It decides which paths the rule is for. */
export function parseRule({ path, kind, action, target, ...listed }: RuleMeaning): ParsedRule {
  const rule = { action, terms: termsOf(listed) };
  const to = action === 'redirect' ? target : null;
  const form = formOf(kind, path, to);
  if (form === 'pattern') return { kind: form, path, to, ...rule };
  if (form === 'exact') return { kind: form, path, target: to === null ? null : addressOf(to), ...rule };
  const keepsRest = to?.endsWith('/:splat') === true;
  const bare = keepsRest ? to.slice(0, -':splat'.length) : to;
  return { kind: form, path: path.slice(0, -1), target: bare === null ? null : addressOf(bare), keepsRest, ...rule };
}

const addressOf = (target: string): Target => readTarget(target) ?? { path: target };

/** Tells the kind that lists show for a rule with this path. */
export function kindOf(path: string): RuleKind {
  if (!namesPlaceholder(path.split('?', 1)[0] ?? '')) return 'exact';
  return isWildcard(path) && !path.split('/').includes(NUMBER) ? 'prefix' : 'pattern';
}

/**
 * Tells the form of a rule. Wildcards of numbers (`/blog/:number/*`) are wildcards here, though lists show them as
 * patterns. A rule is a pattern if no wildcard has such a path, or if its target takes more from the path than the rest
 * at its end: `/new/:splat/`, `/new/:splat?x=1`, `/new/:number`.
 */
export function formOf(kind: RuleKind, path: string, target: string | null): ParsedRule['kind'] {
  if (kind !== 'pattern') return kind === 'exact' ? kind : 'wildcard';
  return isWildcard(path) && (target === null || !namesParts(path, target)) ? 'wildcard' : kind;
}

/** Whether a path with a placeholder stands for all below one: `/old/*`, `/blog/:number/*`. */
export function isWildcard(path: string): boolean {
  const literal = path.slice(0, -1).replace(ANY_NUMBER, '');
  return path.endsWith('/*') && !literal.includes('?') && !namesPlaceholder(literal);
}
